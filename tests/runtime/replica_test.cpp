// One rank's part of a container, without a program that uses it.
#define STRADSAP_INSTRUMENTED
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <sys/mman.h>

#include <stradsap/abi/container_capture.hpp>
#include <stradsap/dmap.hpp>

#include "runtime/dds/resident_elements.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

static constexpr auto fetch_nothing = [](replica&, const auto&) {};

TEST_CASE("a replica in a plan's layout can be destroyed", "[dds]") {
  replica local(container_id{0}, stradsap::abi::operations<std::string>::table, 3, nullptr, driver_rank,
                fetch_nothing);
  local.adopt_plan_layout({plan_id{1}, 0});
  CHECK(local.plan_layout() == stream_place{plan_id{1}, 0});
}

TEST_CASE("a view without the driver's handle adds no key", "[dds]") {
  auto made = std::make_unique<stradsap::abi::flat_key_index<int, long>>();
  auto& keys = *made;
  replica local(container_id{0}, stradsap::abi::entry_operations<int, long>::table, 0, std::move(made),
                driver_rank, fetch_nothing);
  keys.add(7);
  resident_elements view(local, "m");
  CHECK_THROWS_AS(view.add_entry(), stradsap::error);
  CHECK(local.size() == 0);
}

TEST_CASE("an update voids the copies of the driver's groups, and all copies if bounds change", "[dds]") {
  int fetches = 0;
  replica local(container_id{0}, stradsap::abi::operations<long>::table, 0, nullptr, 1,
                [&](replica&, const auto& ranges) { fetches += static_cast<int>(ranges.size()); });
  container_update update;
  update.size = 6;
  update.bounds = {2, 4, 6};
  update.owners = {driver_rank, 1, 2};
  local.apply(update);
  CHECK_FALSE(local.held(0));
  CHECK(local.held(1));
  local.hold_all();
  CHECK(fetches == 2);
  CHECK(local.all_held());
  local.apply(update);
  CHECK_FALSE(local.held(0));
  CHECK(local.held(1));
  CHECK(local.held(2));
  update.bounds = {3, 4, 6};
  local.apply(update);
  CHECK_FALSE(local.held(2));
}

static int range_reads = 0;
static stradsap::abi::value_range range_of(const void* first, std::uint64_t n) {
  ++range_reads;
  return stradsap::abi::values_of<long>(first, n);
}

TEST_CASE("windows tell the range of values as it is now, read once, and only while it is shown", "[dds]") {
  replica local(container_id{0}, stradsap::abi::operations<long>::table, 3, nullptr, driver_rank,
                fetch_nothing);
  resident_elements view(local, "m");
  const auto shows = [&](long least, long greatest) {
    const stradsap::abi::value_range told = local.window_through(view).values;
    return told.least == least && told.greatest == greatest;
  };
  const stradsap::abi::value_range unknown;
  reinterpret_cast<long*>(local.at(0))[1] = -7;
  CHECK(shows(unknown.least, unknown.greatest));
  range_reads = 0;
  local.show_values(range_of);
  local.show_values(range_of);
  CHECK(shows(-7, 0));
  CHECK(range_reads == 1);
  local.hide_values();
  CHECK(shows(unknown.least, unknown.greatest));
  reinterpret_cast<long*>(local.at(0))[2] = 5;
  local.note_written();
  local.show_values(range_of);
  CHECK(shows(-7, 5));
  local.resize(5, growth::last_group);
  reinterpret_cast<long*>(local.at(0))[4] = 8;
  CHECK(shows(unknown.least, unknown.greatest));
  local.show_values(range_of);
  CHECK(shows(-7, 8));
  const stradsap::rt::bytes other = local.pack(1, 2);
  local.unpack(4, 5, other);
  CHECK(shows(unknown.least, unknown.greatest));
  local.show_values(range_of);
  CHECK(shows(-7, 5));
  local.resize(0, growth::last_group);
  local.show_values(range_of);
  CHECK(shows(unknown.least, unknown.greatest));
}

TEST_CASE("the range of large numbers without a sign is unknown", "[dds]") {
  using stradsap::abi::values_of;
  const std::uint64_t large[] = {3, ~std::uint64_t{0}};
  CHECK(values_of<std::uint64_t>(large, 1).greatest == 3);
  CHECK(values_of<std::uint64_t>(large, 2).greatest == stradsap::abi::value_range{}.greatest);
  const unsigned char small[] = {200, 7};
  CHECK(values_of<unsigned char>(small, 2).least == 7);
  CHECK(values_of<unsigned char>(small, 2).greatest == 200);
}

TEST_CASE("elements that were never written are on all ranks, until an update or a loop writes them",
          "[dds]") {
  int fetches = 0;
  replica local(container_id{0}, stradsap::abi::operations<long>::table, 0, nullptr, 1,
                [&](replica&, const auto&) { ++fetches; });
  container_update update;
  update.size = 4;
  update.bounds = {4};
  update.owners = {driver_rank};
  update.is_blank = true;
  local.apply(update);
  CHECK(local.all_held());
  local.cut(partition({2, 4}, {driver_rank, driver_rank}));
  CHECK(local.all_held());
  SECTION("a loop") { local.note_written(); }
  SECTION("an update") {
    update.is_blank = false;
    local.apply(update);
  }
  CHECK_FALSE(local.held(0));
  local.hold_all();
  CHECK(fetches == 1);
}

TEST_CASE("only numbers begin blank", "[dds]") {
  replica numbers(container_id{0}, stradsap::abi::operations<long>::table, 3, nullptr, driver_rank,
                  fetch_nothing);
  replica texts(container_id{1}, stradsap::abi::operations<std::string>::table, 3, nullptr, driver_rank,
                fetch_nothing);
  replica map(container_id{2}, stradsap::abi::entry_operations<int, long>::table, 0,
              std::make_unique<stradsap::abi::flat_key_index<int, long>>(), driver_rank, fetch_nothing);
  for (replica* of : {&numbers, &texts, &map}) of->begin_blank();
  CHECK(numbers.is_blank());
  CHECK_FALSE(texts.is_blank());
  CHECK_FALSE(map.is_blank());
}

TEST_CASE("a container finds zeros where another one was", "[dds]") {
  const auto& ops = stradsap::abi::operations<long>::table;
  for (std::uint64_t n : {3, 50, 3000, 7, 3000}) {
    replica local(container_id{0}, ops, n, nullptr, driver_rank, fetch_nothing);
    local.resize(2 * n, growth::last_group);
    long sum = 0;
    for (std::uint64_t i = 0; i < 2 * n; ++i) {
      long& element = *static_cast<long*>(static_cast<void*>(local.at(i)));
      sum += element;
      element = 1;
    }
    CHECK(sum == 0);
    local.resize(n / 2, growth::last_group);
  }
}

TEST_CASE("memory is taken for elements that nobody has written, and changes none", "[dds]") {
  replica local(container_id{0}, stradsap::abi::operations<long>::table, 1000, nullptr, driver_rank,
                fetch_nothing);
  local.begin_blank();
  local.may_take_memory();
  auto* const first = static_cast<long*>(static_cast<void*>(local.at(0)));
  first[0] = first[512] = 7;  // as a loop of the library does
  local.note_written();
  local.take_memory();
  CHECK(first[0] + first[512] == 14);
  local.resize(3000, growth::last_group);
  CHECK(first[0] + first[512] == 14);
  CHECK(first[2999] == 0);
}

// ---- copies that are freed ----

/// Pages of memory behind a range of addresses.
static std::size_t resident_pages(const std::byte* first, std::size_t size) {
  constexpr std::size_t page = 4096;
  std::vector<unsigned char> there(size / page);
  REQUIRE(::mincore(const_cast<std::byte*>(first), size / page * page, there.data()) == 0);
  return static_cast<std::size_t>(std::count_if(there.begin(), there.end(), [](auto p) { return p & 1; }));
}

TEST_CASE("freed copies take no memory and are fetched again; owned and kept elements stay", "[dds]") {
  constexpr std::uint64_t n = 3 << 20;
  std::vector<element_range> fetched;
  replica local(container_id{0}, stradsap::abi::operations<long>::table, n, nullptr, driver_rank,
                [&](replica& to, const std::vector<element_range>& ranges) {
                  fetched = ranges;
                  for (const element_range& r : ranges)
                    for (std::uint64_t i = r.begin; i < r.end; ++i) *reinterpret_cast<long*>(to.at(i)) = 7;
                });
  std::fill_n(reinterpret_cast<long*>(local.at(0)), n / 3, 5);
  local.cut(partition({n / 3, 2 * n / 3, n}, {driver_rank, 1, 2}));
  local.hold_all();
  const std::size_t whole = resident_pages(local.at(0), n * sizeof(long));
  local.free_copies_outside({n / 4, n / 2});
  CHECK_FALSE(local.held(1));
  CHECK_FALSE(local.held(2));
  CHECK(resident_pages(local.at(0), n * sizeof(long)) <= whole / 2 + 1);
  const auto value = [&](std::uint64_t i) { return *reinterpret_cast<long*>(local.at(i)); };
  CHECK(value(0) == 5);
  CHECK(value(n / 3 - 1) == 5);
  CHECK(value(n / 2 - 1) == 7);
  CHECK(value(n - 1) == 0);
  fetched.clear();
  local.borrow_range({n / 4, n / 2});
  CHECK(fetched.empty());
  local.hold_all();
  CHECK(fetched.size() == 1);
  CHECK(value(n - 1) == 7);
}

TEST_CASE("freed copies of elements with memory of their own are as new", "[dds]") {
  replica local(container_id{0}, stradsap::abi::operations<std::string>::table, 4, nullptr, driver_rank,
                [](replica& to, const std::vector<element_range>& ranges) {
                  for (const element_range& r : ranges)
                    for (std::uint64_t i = r.begin; i < r.end; ++i)
                      *reinterpret_cast<std::string*>(to.at(i)) = std::string(100, 'x');
                });
  local.cut(partition({2, 4}, {driver_rank, 1}));
  local.hold_all();
  *reinterpret_cast<std::string*>(local.at(1)) = "mine";
  local.free_copies_outside({0, 0});
  CHECK(*reinterpret_cast<std::string*>(local.at(1)) == "mine");
  CHECK(reinterpret_cast<std::string*>(local.at(3))->empty());
  local.hold_all();
  CHECK(reinterpret_cast<std::string*>(local.at(3))->size() == 100);
}
