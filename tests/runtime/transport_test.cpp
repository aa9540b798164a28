#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <thread>

#include <stradsap/error.hpp>

#include "runtime/base/mutex.hpp"
#include "runtime/net/exchange.hpp"
#include "runtime/net/transport.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

namespace {

/// A folder that a job of these tests owns.
class job_folder {
 public:
  job_folder() {
    char name[] = "/tmp/stradsap-test.XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~job_folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] options of(rank_id r, int ranks) const {
    options o;
    o.rank = r;
    o.world_size = ranks;
    o.run_dir = path_;
    o.start_timeout = std::chrono::seconds(10);
    return o;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Collects what one rank hears.
class ear final : public network_listener {
 public:
  void received(rank_id from, message m) override {
    exchange* const steps = collectives;
    if (steps != nullptr && std::holds_alternative<part>(m)) {
      steps->received(from, std::move(std::get<part>(m)));
      return;
    }
    const lock_guard hold(mutex_);
    heard_.emplace_back(from, std::move(m));
    arrival_.notify_all();
  }
  void peer_lost(rank_id peer, const std::string&) override {
    const lock_guard hold(mutex_);
    lost_.push_back(peer);
    arrival_.notify_all();
  }
  /// The first n messages; fewer if they do not come within ten seconds.
  std::vector<std::pair<rank_id, message>> wait(std::size_t n) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const lock_guard hold(mutex_);
    while (heard_.size() < n && arrival_.wait_until(mutex_, until)) {
    }
    return heard_;
  }
  std::vector<rank_id> wait_for_loss() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const lock_guard hold(mutex_);
    while (lost_.empty() && arrival_.wait_until(mutex_, until)) {
    }
    return lost_;
  }
  std::atomic<exchange*> collectives = nullptr;

 private:
  mutex mutex_;
  condition arrival_;
  std::vector<std::pair<rank_id, message>> heard_;
  std::vector<rank_id> lost_;
};

/// All ranks of a run, in this process.
struct mesh {
  explicit mesh(int ranks) : ears(static_cast<std::size_t>(ranks)) {
    std::vector<std::future<std::unique_ptr<transport>>> meeting;
    for (rank_id r = 0; r < ranks; ++r) {
      meeting.push_back(std::async(std::launch::async, [this, r, ranks] {
        return connect_zmq(folder.of(r, ranks), ears[static_cast<std::size_t>(r)]);
      }));
    }
    for (auto& one : meeting) nets.push_back(one.get());
    for (auto& net : nets) net->listen();
  }
  ~mesh() {
    for (auto& net : nets) {
      if (net != nullptr) net->expect_departures();
    }
  }
  job_folder folder;
  std::vector<ear> ears;
  std::vector<std::unique_ptr<transport>> nets;
};

}  // namespace

TEST_CASE("messages between all pairs of ranks arrive whole and in order", "[net]") {
  const int ranks = GENERATE(2, 3, 8);
  mesh m(ranks);
  constexpr std::uint32_t count = 200;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (rank_id from = 0; from < ranks; ++from) {
      for (rank_id to = 0; to < ranks; ++to) {
        token t;
        t.block = i;
        t.elements.resize(i * 37);
        if (from != to) m.nets[static_cast<std::size_t>(from)]->send(to, t);
      }
    }
  }
  bool in_order = true;
  for (ear& e : m.ears) {
    std::map<rank_id, std::uint32_t> next;
    for (const auto& [from, got] : e.wait(count * static_cast<std::size_t>(ranks - 1))) {
      const token& t = std::get<token>(got);
      in_order = in_order && t.block == next[from]++ && t.elements.size() == t.block * 37;
    }
    for (const auto& [from, n] : next) in_order = in_order && n == count;
    in_order = in_order && next.size() == static_cast<std::size_t>(ranks - 1);
  }
  CHECK(in_order);
}

TEST_CASE("a peer that goes is lost on every other rank, and its last words were heard", "[net]") {
  mesh m(3);
  const rank_id gone = GENERATE(0, 1, 2);
  for (rank_id r = 0; r < 3; ++r) {
    if (r != gone) m.nets[static_cast<std::size_t>(gone)]->send(r, cancel{launch_id{1}, 5});
  }
  m.nets[static_cast<std::size_t>(gone)]->expect_departures();
  m.nets[static_cast<std::size_t>(gone)].reset();
  for (rank_id r = 0; r < 3; ++r) {
    if (r == gone) continue;
    CHECK(m.ears[static_cast<std::size_t>(r)].wait_for_loss() == std::vector<rank_id>{gone});
    CHECK(m.ears[static_cast<std::size_t>(r)].wait(1).size() == 1);
  }
}

TEST_CASE("a rank that never comes is named at the start time-out", "[net]") {
  const job_folder folder;
  options o = folder.of(0, 2);
  o.start_timeout = std::chrono::seconds(1);
  ear e;
  CHECK_THROWS_WITH(connect_zmq(o, e), Catch::Contains("no hello from rank 1 within 1 s"));
}

TEST_CASE("ranks that expect different numbers of ranks refuse each other", "[net]") {
  const job_folder folder;
  ear one;
  ear two;
  auto other = std::async(std::launch::async, [&]() -> std::string {
    try {
      (void)connect_zmq(folder.of(1, 3), one);
    } catch (const stradsap::error& e) {
      return e.what();
    }
    return "";
  });
  CHECK_THROWS_WITH(connect_zmq(folder.of(0, 2), two), Catch::Contains("expects 3 ranks"));
  CHECK(!other.get().empty());
}

TEST_CASE("a folder that others can enter is refused", "[net]") {
  const job_folder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  ear e;
  CHECK_THROWS_WITH(connect_zmq(folder.of(0, 2), e), Catch::Contains("not a private folder"));
}

static std::vector<std::unique_ptr<exchange>> exchanges_over(mesh& m, rank_id ranks) {
  std::vector<std::unique_ptr<exchange>> all;
  for (rank_id r = 0; r < ranks; ++r) {
    all.push_back(std::make_unique<exchange>(r, ranks, m.nets[static_cast<std::size_t>(r)].get()));
    m.ears[static_cast<std::size_t>(r)].collectives = all.back().get();
  }
  return all;
}

TEST_CASE("a collective step carries much and little at once", "[net]") {
  constexpr rank_id ranks = 3;
  std::vector<std::unique_ptr<exchange>> all;  // heard into until the mesh ends
  mesh m(ranks);
  all = exchanges_over(m, ranks);
  // From 0 to megabytes, and each byte is of its place.
  const auto part_for = [](rank_id from, rank_id to) {
    bytes one(static_cast<std::size_t>(from * to) * 1'500'001);
    for (std::size_t i = 0; i < one.size(); ++i) one[i] = static_cast<std::byte>(i / 1000 + i);
    return one;
  };
  std::vector<std::future<bool>> work;
  for (rank_id r = 0; r < ranks; ++r) {
    work.push_back(std::async(std::launch::async, [&, r] {
      exchange& x = *all[static_cast<std::size_t>(r)];
      x.begin(launch_id{1});
      bool right = true;
      for (int step = 0; step < 3; ++step) {
        std::vector<bytes> out;
        for (rank_id to = 0; to < ranks; ++to) out.push_back(part_for(r, to));
        const std::vector<bytes> in = x.all_to_all(std::move(out));
        for (rank_id from = 0; from < ranks; ++from)
          right = right && in[static_cast<std::size_t>(from)] == part_for(from, r);
      }
      return right;
    }));
  }
  for (auto& one : work) CHECK(one.get());
}

TEST_CASE("collectives keep their steps apart, and one rank's failure is everybody's", "[net]") {
  const int ranks = GENERATE(1, 3);
  std::vector<std::unique_ptr<exchange>> all;
  mesh m(ranks == 1 ? 2 : ranks);
  all = exchanges_over(m, ranks);
  std::vector<std::future<bool>> work;
  for (rank_id r = 0; r < ranks; ++r) {
    work.push_back(std::async(std::launch::async, [&, r] {
      exchange& x = *all[static_cast<std::size_t>(r)];
      x.begin(launch_id{1});
      bool right = true;
      for (int step = 0; step < 50; ++step) {
        const auto in = x.all_gather(bytes(static_cast<std::size_t>(10 * step + r)));
        for (rank_id from = 0; from < ranks; ++from) {
          right = right &&
                  in[static_cast<std::size_t>(from)].size() == static_cast<std::size_t>(10 * step + from);
        }
      }
      if (ranks == 1) return right;
      if (r == 1) {
        x.give_up("rank 1 cannot");
        return right;
      }
      try {
        (void)x.all_gather({});
      } catch (const stradsap::error& e) {
        return right && std::string(e.what()) == "rank 1 cannot";
      }
      return false;
    }));
  }
  // Rank 1 took no part in the last step, so rank 0 and 2 hear of each other and of the failure.
  for (auto& one : work) CHECK(one.get());
}
