// The driver's side of a container: the program's accesses between loops, and the other ranks' view of them.
#define STRADSAP_INSTRUMENTED
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <stradsap/abi/container_capture.hpp>
#include <stradsap/dmap.hpp>

#include "runtime/dds/driver_handle.hpp"
#include "runtime/dds/resident_elements.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;
using stradsap::abi::access;

namespace {

/// A container of three elements in a plan's layout; a recall leaves `found` in each.
template <class T> struct container_in_plan_layout {
  explicit container_in_plan_layout(const T& found) {
    handle.attach(&window);
    for (std::uint64_t i = 0; i < 3; ++i) *static_cast<T*>(handle.element(i, access::write)) = T{};
    bring = [this, found](replica& of) {
      ++calls;
      of.restore_canonical_layout();
      for (std::uint64_t i = 0; i < 3; ++i) *element(i) = found;
    };
    handle.close_window();
    local.adopt_plan_layout({plan_id{1}, 0});
    handle.open_window();
  }
  T* element(std::uint64_t i) { return static_cast<T*>(static_cast<void*>(local.at(i))); }

  int calls = 0;
  driver_handle::recaller bring;
  stradsap::abi::window window;
  replica local{container_id{0}, stradsap::abi::operations<T>::table, 3, nullptr,
                driver_rank,     [](replica&, const auto&) {}};
  driver_handle handle{local, [this](replica& of) { bring(of); }};
};

}  // namespace

TEST_CASE("a read of elements in a plan's layout recalls them once", "[dds]") {
  container_in_plan_layout<std::string> c("found");
  CHECK(c.window.readable == 0);
  CHECK(c.calls == 0);
  CHECK(*static_cast<std::string*>(c.handle.element(1, access::read)) == "found");
  CHECK(c.window.readable == 3);
  CHECK(*static_cast<std::string*>(c.handle.element(2, access::write)) == "found");
  CHECK(c.calls == 1);
}

TEST_CASE("a container is recalled before it is taken whole or changes its size", "[dds]") {
  container_in_plan_layout<long> all(7);
  CHECK(static_cast<long*>(all.handle.all(access::read))[2] == 7);
  container_in_plan_layout<long> larger(7);
  larger.handle.resize(5);
  CHECK(*larger.element(2) == 7);
  CHECK(*larger.element(4) == 0);
  container_in_plan_layout<long> smaller(7);
  smaller.handle.resize(2);
  CHECK(*smaller.element(1) == 7);
  container_in_plan_layout<long> range(7);
  CHECK(static_cast<long*>(range.handle.range(1, 2, access::read))[1] == 7);
}

TEST_CASE("each access of a container with calls to fold first folds them, once", "[dds]") {
  replica local{container_id{0},
                stradsap::abi::operations<long>::table,
                3,
                nullptr,
                driver_rank,
                [](replica&, const auto&) {}};
  driver_handle handle(local, [](replica&) {});
  stradsap::abi::window window;
  handle.attach(&window);
  int folds = 0;
  const auto fold = [&] {
    ++folds;
    handle.let_go();
    *static_cast<long*>(static_cast<void*>(local.at(1))) = 10L * folds;
  };
  const auto value_after = [&](const auto& use) {
    handle.close_window();
    handle.hold_back(fold);
    use();
    return *static_cast<long*>(handle.element(1, access::read));
  };
  CHECK(value_after([] {}) == 10);
  CHECK(value_after([&] { (void)handle.element(0, access::write); }) == 20);
  CHECK(value_after([&] { (void)handle.range(0, 2, access::read); }) == 30);
  CHECK(value_after([&] { (void)handle.all(access::read); }) == 40);
  CHECK(value_after([&] { handle.resize(5); }) == 50);
  CHECK(folds == 5);
}

TEST_CASE("writes that change nothing leave the version of a watched container", "[dds]") {
  using stradsap::abi::all_fields;
  replica local{container_id{0},
                stradsap::abi::operations<std::string>::table,
                3,
                nullptr,
                driver_rank,
                [](replica&, const auto&) {}};
  driver_handle handle{local, [](replica&) {}};
  stradsap::abi::window window;
  handle.attach(&window);
  const auto element = [&](std::uint64_t i) {
    return static_cast<std::string*>(handle.element(i, access::write));
  };
  /// The program writes `text`; then another launch begins.
  const auto version_after = [&](const char* text) {
    (void)handle.take_update();
    handle.open_window();
    CHECK(window.count == 0);
    *element(1) = text;
    handle.settle_writes();
    return handle.versions().key(all_fields);
  };
  const std::uint64_t unwatched = version_after("one");
  CHECK(version_after("one") != unwatched);
  handle.watch();
  const std::uint64_t before = version_after("two");
  CHECK(version_after("skipped, since the last comparison found a change") != before);
  const std::uint64_t now = version_after("three");
  for (int i = 0; i < 4; ++i) (void)version_after("three");
  const std::uint64_t kept = version_after("three");
  CHECK(version_after("three") == kept);
  CHECK(version_after("four") != kept);
  CHECK(kept != now);
}

namespace {

template <class T> T value_of(unsigned draw) { return static_cast<T>(draw); }
template <> std::string value_of(unsigned draw) { return std::string(draw % 40, 'x') + std::to_string(draw); }

/// A program's vector on two ranks, and the same vector as the sequential program has it.
template <class T> class vector_on_two_ranks {
 public:
  explicit vector_on_two_ranks(unsigned seed) : draw_(seed) {
    driver_.begin_blank();
    handle_.attach(&window_);
  }

  /// Whether driver and worker have the sequential program's values after random operations and loops.
  bool agrees() {
    for (int step = 0; step < 60; ++step) {
      operate();
      if (draw_() % 4 == 0 && !launch()) return false;
    }
    return launch() && read_all();
  }

 private:
  replica::fetcher fetch_from(replica& other) {
    return [&other](replica& to, const auto& ranges) {
      for (const element_range& r : ranges) to.unpack(r.begin, r.end, other.pack(r.begin, r.end));
    };
  }
  /// As a handle reaches an element: through its window, or else by a call.
  T& at(std::uint64_t i, stradsap::abi::access how) {
    const bool in_window = i < (how == access::write ? window_.count : window_.readable);
    return in_window ? static_cast<T*>(window_.base)[i] : *static_cast<T*>(window_.source->element(i, how));
  }
  bool read_all() {
    bool same = window_.size == expected_.size();
    for (std::uint64_t i = 0; same && i < expected_.size(); ++i) same = at(i, access::read) == expected_[i];
    return same;
  }

  void operate() {
    const std::uint64_t n = expected_.size();
    const unsigned choice = draw_() % 8;
    if (choice == 0) return resize(draw_() % 30);
    if (choice == 1) return handle_.reserve(draw_() % 60);
    if (n == 0) return;
    const std::uint64_t i = draw_() % n;
    if (choice == 2) {
      auto* const first = static_cast<T*>(handle_.range(i, n - i, access::write));
      for (std::uint64_t k = i; k < n; ++k) first[k - i] = expected_[k] = value_of<T>(draw_());
    } else if (choice == 3) {
      static_cast<T*>(handle_.all(access::write))[i] = expected_[i] = value_of<T>(draw_());
    } else if (choice < 6) {
      at(i, access::write) = expected_[i] = value_of<T>(draw_());
    } else {
      (void)at(i, access::read);
    }
  }
  void resize(std::uint64_t n) {
    handle_.resize(n);
    expected_.resize(n);
  }

  /// A launch: the worker follows the driver and reads all; then a loop writes on both ranks.
  bool launch() {
    handle_.close_window();
    handle_.begin_launch();
    if (const container_update update = handle_.take_update(); update.id != container_id::none)
      worker_.apply(update);
    worker_.hold_all();
    bool same = worker_.size() == expected_.size() &&
                worker_.groups().bounds() == driver_.groups().bounds() &&
                worker_.groups().owners() == driver_.groups().owners();
    for (std::uint64_t i = 0; same && i < expected_.size(); ++i) same = element(worker_, i) == expected_[i];
    if (same && draw_() % 2 == 0) run_loop();
    handle_.open_window();
    return same;
  }
  void run_loop() {
    const partition& groups = driver_.groups();
    if (driver_.uncut() && driver_.size() > 3) {
      const partition halves({driver_.size() / 2, driver_.size()}, {groups.owner(0), groups.owner(0)});
      driver_.cut(halves);
      worker_.cut(halves);
    }
    for (replica::group_id g = 0; g < groups.num_groups(); ++g) {
      const auto rank = static_cast<rank_id>(draw_() % 2);
      replica& on = rank == driver_rank ? driver_ : worker_;
      on.hold(g);
      for (std::uint64_t i = groups.begin(g); i < groups.end(g); ++i)
        element(on, i) = expected_[i] = value_of<T>(draw_());
      driver_.set_owner(g, rank);
      worker_.set_owner(g, rank);
    }
    driver_.drop_copies();
    worker_.drop_copies();
    worker_.note_written();
    handle_.note_loop(stradsap::abi::all_fields, "a.cpp:1");
  }
  static T& element(replica& of, std::uint64_t i) { return *static_cast<T*>(static_cast<void*>(of.at(i))); }

  std::mt19937 draw_;
  std::vector<T> expected_ = std::vector<T>(5);
  stradsap::abi::window window_;
  replica driver_{container_id{0},
                  stradsap::abi::operations<T>::table,
                  5,
                  nullptr,
                  driver_rank,
                  [this](replica& to, const auto& ranges) { fetch_from(worker_)(to, ranges); }};
  replica worker_{container_id{0}, stradsap::abi::operations<T>::table, 0, nullptr, 1, fetch_from(driver_)};
  driver_handle handle_{driver_, {}};
};

}  // namespace

TEST_CASE("the last writer of a field is the last loop that wrote it, or the program", "[dds]") {
  stradsap::abi::window window;
  replica local{container_id{0}, stradsap::abi::operations<int>::table, 3, nullptr,
                driver_rank,     [](replica&, const auto&) {}};
  driver_handle handle{local, {}};
  handle.attach(&window);
  (void)handle.take_update();
  handle.note_loop(1, "a.cpp:1");
  handle.note_loop(2, "a.cpp:2");
  CHECK(std::string(handle.last_writer(1)) == "a.cpp:1");
  CHECK(std::string(handle.last_writer(3)) == "a.cpp:2");
  CHECK(handle.last_writer(4) == nullptr);
  handle.note_loop(1, "a.cpp:3");
  CHECK(std::string(handle.last_writer(1)) == "a.cpp:3");
  (void)handle.element(0, access::write);
  CHECK(handle.last_writer(1) == nullptr);
  (void)handle.take_update();  // as another launch does
  CHECK(handle.last_writer(1) == nullptr);
  handle.note_loop(1, "a.cpp:1");
  CHECK(std::string(handle.last_writer(1)) == "a.cpp:1");
  CHECK(handle.last_writer(2) == nullptr);
}

TEST_CASE("after any use by the program, the next launch finds the program's elements on all ranks",
          "[dds]") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    REQUIRE(vector_on_two_ranks<long>(seed).agrees());
    REQUIRE(vector_on_two_ranks<std::string>(seed).agrees());
  }
}

namespace {

/// A vector of 4096 elements in 16 groups; a loop leaves the second half on another rank.
class vector_with_a_half_elsewhere {
 public:
  static constexpr std::uint64_t n = 4096;

  vector_with_a_half_elsewhere() { handle_.attach(&window_); }

  /// The loop and its end on the driver. `seconds`: the loop takes.
  void run_loop(std::uint64_t loop, double seconds) {
    handle_.close_window();
    std::vector<std::uint64_t> bounds;
    std::vector<rank_id> owners;
    for (std::uint64_t g = 1; g <= 16; ++g) {
      bounds.push_back(g * n / 16);
      owners.push_back(g <= 8 ? driver_rank : 1);
    }
    local_.cut(partition(bounds, owners));
    handle_.note_loop(stradsap::abi::all_fields, "a.cpp:1");
    handle_.reopen(/*versions_matter=*/true, /*is_alone=*/false);
    fetches_ = 0;
    handle_.fetch_foreseen(loop, seconds);
  }
  /// Reads elements as a program does; returns the number of calls to the handle.
  std::uint64_t read(std::uint64_t first, std::uint64_t end) {
    std::uint64_t calls = 0;
    for (std::uint64_t i = first; i < end; ++i) {
      if (i < window_.readable) continue;
      (void)handle_.element(i, access::read);
      ++calls;
    }
    return calls;
  }
  [[nodiscard]] int fetches() const { return fetches_; }
  [[nodiscard]] bool is_open() const { return window_.open == stradsap::abi::opening::to_read; }

 private:
  int fetches_ = 0;
  stradsap::abi::window window_;
  replica local_{container_id{0}, stradsap::abi::operations<long>::table,       n, nullptr,
                 driver_rank,     [this](replica&, const auto&) { ++fetches_; }};
  driver_handle handle_{local_, [](replica&) {}};
};

}  // namespace

TEST_CASE("a program that reads one element gets all others, for it may go on from the address", "[dds]") {
  for (const std::uint64_t place : {std::uint64_t{0}, vector_with_a_half_elsewhere::n - 1}) {
    vector_with_a_half_elsewhere v;
    v.run_loop(1, 1);
    CHECK(v.read(place, place + 1) == 1);
    CHECK(v.fetches() == 1);
    CHECK(v.is_open());
    CHECK(v.read(0, v.n) == 0);
  }
}

TEST_CASE("elements that a program reads after each call of a loop are there before it asks", "[dds]") {
  vector_with_a_half_elsewhere v;
  for (int pass = 0; pass < 200; ++pass) {
    v.run_loop(1, /*seconds=*/1e9);
    CHECK(v.is_open() == (pass > 0));
    (void)v.read(0, v.n);
    v.run_loop(2, 1e9);  // nobody reads in between
    CHECK(v.fetches() == 0);
  }
}

TEST_CASE("fetches that cost as much as the loop end soon after the program stops reading", "[dds]") {
  vector_with_a_half_elsewhere v;
  int without = 0;
  for (int pass = 0; pass < 300; ++pass) {
    v.run_loop(1, /*seconds=*/0);
    without += v.fetches() == 0 ? 1 : 0;
    (void)v.read(0, v.n);
  }
  CHECK(without > 2);
  CHECK(without < 12);
  for (int pass = 0; pass < 65; ++pass) v.run_loop(1, 0);
  CHECK(v.fetches() == 0);
}

namespace {

struct map_of_the_driver {
  using index = stradsap::abi::flat_key_index<int, long>;

  void add(int key) {
    static_cast<index*>(local.keys())->add(key);
    (void)handle.add_entry();
  }

  replica local{container_id{0},
                stradsap::abi::entry_operations<int, long>::table,
                0,
                std::make_unique<index>(),
                driver_rank,
                [](replica&, const auto&) {}};
  driver_handle handle{local, {}};
};

}  // namespace

TEST_CASE("the keys that the program adds between two launches are one group of the driver", "[dds]") {
  map_of_the_driver m;
  m.add(10);
  m.add(20);
  CHECK(m.handle.take_update().first_key == 0);
  m.local.cut(partition({1, 2}, {1, 1}));
  m.add(30);
  m.add(40);
  const container_update update = m.handle.take_update();
  CHECK(update.first_key == 2);
  CHECK(update.bounds == std::vector<std::uint64_t>{1, 2, 4});
  CHECK(update.owners == std::vector<std::int32_t>{1, 1, driver_rank});
  m.handle.begin_launch();
  m.add(50);
  CHECK(m.handle.take_update().bounds == std::vector<std::uint64_t>{1, 2, 4, 5});
}

TEST_CASE("the first key of a new launch makes the driver the owner of a map that no plan has cut", "[dds]") {
  map_of_the_driver m;
  m.add(10);
  m.local.set_owner(0, 1);
  m.add(20);
  CHECK(m.handle.take_update().owners == std::vector<std::int32_t>{driver_rank});
}

TEST_CASE("the elements that the program adds between two launches are one group of the driver", "[dds]") {
  replica local(container_id{0}, stradsap::abi::operations<long>::table, 4, nullptr, driver_rank,
                [](replica&, const auto&) {});
  driver_handle handle(local, {});
  (void)handle.take_update();
  local.cut(partition({2, 4}, {1, 1}));
  handle.resize(5);
  handle.resize(7);
  const container_update update = handle.take_update();
  CHECK(update.bounds == std::vector<std::uint64_t>{2, 4, 7});
  CHECK(update.owners == std::vector<std::int32_t>{1, 1, driver_rank});
}

TEST_CASE("growth beyond the reserved memory first brings all elements to the driver", "[dds]") {
  static const stradsap::abi::element_ops large{1 << 20, 8, true, true, false, {}};
  replica local(container_id{0}, large, 2, nullptr, driver_rank, [](replica& to, const auto& ranges) {
    for (const element_range& r : ranges) *to.at(r.begin) = std::byte{7};
  });
  driver_handle handle(local, {});
  local.cut(partition({1, 2}, {driver_rank, 1}));
  REQUIRE(local.capacity() == 2);
  handle.resize(3);
  CHECK(*local.at(1) == std::byte{7});
  CHECK(handle.take_update().owners == std::vector<std::int32_t>{driver_rank, driver_rank, driver_rank});
}

TEST_CASE("the window is open for writes after the program's first write, and for reads after a read",
          "[dds]") {
  replica local(container_id{0}, stradsap::abi::operations<long>::table, 4, nullptr, driver_rank,
                [](replica&, const auto&) {});
  driver_handle handle(local, {});
  stradsap::abi::window window;
  handle.attach(&window);
  (void)handle.take_update();
  local.cut(partition({2, 4}, {driver_rank, 1}));
  (void)handle.element(0, access::read);
  CHECK(window.count == 0);
  CHECK(window.readable == 4);
  (void)handle.element(0, access::write);
  CHECK(window.count == 4);
  CHECK(local.groups().elements_of(driver_rank) == 4);
  handle.close_window();
  CHECK(window.readable == 0);
}

TEST_CASE("a program that only reads changes nothing for the other ranks", "[dds]") {
  replica local(container_id{0}, stradsap::abi::operations<long>::table, 4, nullptr, driver_rank,
                [](replica&, const auto&) {});
  driver_handle handle(local, {});
  (void)handle.take_update();
  local.cut(partition({2, 4}, {driver_rank, 1}));
  const std::uint64_t before = handle.versions().key(stradsap::abi::all_fields);
  (void)handle.element(3, access::read);
  (void)handle.all(access::read);
  CHECK(handle.take_update().id == container_id::none);
  CHECK(handle.versions().key(stradsap::abi::all_fields) == before);
  (void)handle.element(3, access::write);
  const container_update update = handle.take_update();
  CHECK(update.owners == std::vector<std::int32_t>{driver_rank, driver_rank});
  CHECK(handle.versions().key(stradsap::abi::all_fields) != before);
}

static int reads_of_values = 0;
static stradsap::abi::value_range values_read(const void* first, std::uint64_t n) {
  ++reads_of_values;
  return stradsap::abi::values_of<long>(first, n);
}

TEST_CASE("loops on the driver alone read the range of values once, until the program writes", "[dds]") {
  replica local(container_id{0}, stradsap::abi::operations<long>::table, 4, nullptr, driver_rank,
                [](replica&, const auto&) {});
  driver_handle handle(local, {});
  stradsap::abi::window window;
  handle.attach(&window);
  resident_elements source(local, "m");
  const auto write = [&](std::uint64_t i, long value) {
    if (i < window.count) {
      static_cast<long*>(window.base)[i] = value;
    } else {
      *static_cast<long*>(handle.element(i, access::write)) = value;
    }
  };
  const auto greatest = [&] {
    handle.settle_writes();
    handle.await_write();
    (void)handle.all(access::read);
    local.show_values(values_read);
    local.hide_values();
    local.show_values(values_read);
    return local.window_through(source).values.greatest;
  };
  write(1, 5);
  write(2, 6);
  reads_of_values = 0;
  CHECK(greatest() == 6);
  CHECK(greatest() == 6);
  CHECK(reads_of_values == 1);
  write(2, 3);
  write(3, 9);
  CHECK(greatest() == 9);
  CHECK(greatest() == 9);
  CHECK(reads_of_values == 2);
  handle.take(stradsap::abi::all_fields, "a.cpp:1");  // by a loop
  reinterpret_cast<long*>(local.at(0))[0] = 12;
  CHECK(greatest() == 12);
  write(0, 1);
  CHECK(greatest() == 9);
}
