#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include <stradsap/error.hpp>

#include "runtime/base/mutex.hpp"
#include "runtime/net/exchange.hpp"
#include "runtime/net/transport.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/job_folder.hpp"

using namespace stradsap::rt;

namespace {

/// Collects the messages that one rank receives.
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
    changed_.notify_all();
  }
  void peer_lost(rank_id peer, const std::string& why) override {
    const lock_guard hold(mutex_);
    lost_.push_back(peer);
    why_ = why;
    changed_.notify_all();
  }
  /// The first n messages; fewer if they do not come within ten seconds.
  std::vector<std::pair<rank_id, message>> wait(std::size_t n) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const lock_guard hold(mutex_);
    while (heard_.size() < n && changed_.wait_until(mutex_, until)) {
    }
    return heard_;
  }
  std::vector<rank_id> wait_for_loss() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const lock_guard hold(mutex_);
    while (lost_.empty() && changed_.wait_until(mutex_, until)) {
    }
    return lost_;
  }
  std::string why_lost() {
    const lock_guard hold(mutex_);
    return why_;
  }
  std::atomic<exchange*> collectives = nullptr;

 private:
  mutex mutex_;
  condition changed_;
  std::vector<std::pair<rank_id, message>> heard_;
  std::vector<rank_id> lost_;
  std::string why_;
};

/// All ranks of a run, in this process. `uses_memory`: one value for each rank, or one for all.
struct mesh {
  explicit mesh(int ranks, const std::vector<bool>& uses_memory = {true})
      : ears(static_cast<std::size_t>(ranks)) {
    std::vector<std::future<std::unique_ptr<transport>>> meeting;
    for (rank_id r = 0; r < ranks; ++r) {
      options o = folder.of(r, ranks);
      o.shared_memory = uses_memory[static_cast<std::size_t>(r) % uses_memory.size()];
      meeting.push_back(std::async(
          std::launch::async, [this, o, r] { return connect_zmq(o, ears[static_cast<std::size_t>(r)]); }));
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

/// Both transports, and a run in which some ranks cannot use shared memory.
std::vector<bool> any_road() {
  return GENERATE(std::vector<bool>{true}, std::vector<bool>{false}, std::vector<bool>{true, true, false});
}

token numbered(std::uint32_t number, std::size_t size) {
  token t;
  t.block = number;
  t.elements.resize(size, static_cast<std::byte>(number));
  return t;
}

/// Whether these are the tokens from 0 on, complete.
bool are_numbered(const std::vector<std::pair<rank_id, message>>& heard, std::size_t (*size)(std::uint32_t)) {
  std::uint32_t next = 0;
  for (const auto& [from, m] : heard) {
    const token* const t = std::get_if<token>(&m);
    if (t == nullptr || t->block != next++ || t->elements.size() != size(t->block)) return false;
    const auto is_of_it = [&](std::byte b) { return b == static_cast<std::byte>(t->block); };
    if (!std::all_of(t->elements.begin(), t->elements.end(), is_of_it)) return false;
  }
  return true;
}

/// Rank 1 of two, in a process of its own; its parent ends it.
class other_process {
 public:
  template <class Life> other_process(const job_folder& folder, bool uses_memory, Life live) {
    process_ = ::fork();
    if (process_ != 0) return;
    options o = folder.of(1, 2);
    o.shared_memory = uses_memory;
    ear nobody;
    const auto net = connect_zmq(o, nobody);
    net->listen();
    live(*net);
  }
  ~other_process() { kill(); }
  other_process(const other_process&) = delete;
  other_process& operator=(const other_process&) = delete;
  void stop() const { ::kill(process_, SIGSTOP); }
  void kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(std::exchange(process_, 0), nullptr, 0);
  }

 private:
  pid_t process_ = 0;
};

/// Mappings of inboxes in this process.
int inboxes_mapped() {
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);) found += line.find("/memfd:stradsap-inbox") != line.npos;
  return found;
}

}  // namespace

TEST_CASE("messages between all pairs of ranks arrive whole and in order", "[net]") {
  const int ranks = GENERATE(2, 3, 8);
  mesh m(ranks, any_road());
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
  mesh m(3, any_road());
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

TEST_CASE("ranks of one machine write into each other's inboxes, unless told not to", "[net]") {
  const bool uses_memory = GENERATE(true, false);
  mesh m(2, {uses_memory});
  // Each rank: the head of its own inbox and of the other's, and two rings, each twice.
  const int wanted = uses_memory ? 12 : 0;
  std::size_t rounds = 0;
  while (rounds < 1 || (inboxes_mapped() != wanted && rounds < 10'000)) {
    m.nets[0]->send(1, cancel{});
    m.nets[1]->send(0, cancel{});
    ++rounds;
    REQUIRE(m.ears[0].wait(rounds).size() == rounds);
    REQUIRE(m.ears[1].wait(rounds).size() == rounds);
  }
  CHECK(inboxes_mapped() == wanted);
  CHECK(std::filesystem::exists(m.folder.path() + "/rank.1.doorbell") == uses_memory);
}

TEST_CASE("messages keep their order on the way from one road to the other", "[net]") {
  const auto size = [](std::uint32_t n) -> std::size_t { return n % 100; };
  constexpr std::uint32_t count = 2000;  // begins before the ranks know each other's inboxes
  bool in_order = true;
  for (int trial = 0; trial < 20; ++trial) {
    mesh m(2);
    const auto talk = [&](rank_id self) {
      for (std::uint32_t n = 0; n < count; ++n)
        m.nets[static_cast<std::size_t>(self)]->send(1 - self, numbered(n, size(n)));
    };
    std::thread other([&] { talk(1); });
    talk(0);
    other.join();
    for (ear& e : m.ears) {
      const auto heard = e.wait(count);
      in_order = in_order && heard.size() == count && are_numbered(heard, size);
    }
  }
  CHECK(in_order);
}

TEST_CASE("what a rank does not hear yet waits for it, however much it is", "[net]") {
  const auto size = [](std::uint32_t n) -> std::size_t { return n % 10 == 0 ? 3'000'000 : 50'000; };
  constexpr std::uint32_t count = 100;
  const bool uses_memory = GENERATE(true, false);
  const job_folder folder;
  ear ears[2];
  std::unique_ptr<transport> nets[2];
  const auto join = [&](rank_id r) {
    options o = folder.of(r, 2);
    o.shared_memory = uses_memory;
    nets[r] = connect_zmq(o, ears[r]);
  };
  std::thread other([&] { join(1); });
  join(0);
  other.join();
  nets[0]->listen();
  for (std::uint32_t n = 0; n < count; ++n) nets[0]->send(1, numbered(n, size(n)));
  nets[1]->listen();
  const auto heard = ears[1].wait(count);
  CHECK(heard.size() == count);
  CHECK(are_numbered(heard, size));
  for (auto& net : nets) net->expect_departures();
}

TEST_CASE("what was handed over is heard though its sender's transport ends", "[net]") {
  const auto size = [](std::uint32_t) -> std::size_t { return 300'000; };
  mesh m(2, {GENERATE(true, false)});
  for (std::uint32_t n = 0; n < 50; ++n) m.nets[0]->send(1, numbered(n, size(n)));
  for (auto& net : m.nets) net->expect_departures();
  m.nets[0].reset();
  const auto heard = m.ears[1].wait(50);
  CHECK(heard.size() == 50);
  CHECK(are_numbered(heard, size));
}

TEST_CASE("a rank that is killed while it speaks is lost, and was heard in order and in whole messages",
          "[net]") {
  const auto size = [](std::uint32_t n) -> std::size_t { return n % 50 == 0 ? 1'000'000 : 1000; };
  const bool uses_memory = GENERATE(true, false);
  const job_folder folder;
  other_process other(folder, uses_memory, [&](transport& net) {
    for (std::uint32_t n = 0; n < 5000; ++n) net.send(0, numbered(n, size(n)));
    while (true) ::pause();
  });
  options o = folder.of(0, 2);
  o.shared_memory = uses_memory;
  ear e;
  const auto net = connect_zmq(o, e);
  net->listen();
  CHECK(e.wait(300).size() >= 300);
  other.kill();
  CHECK(e.wait_for_loss() == std::vector<rank_id>{1});
  CHECK(are_numbered(e.wait(0), size));
  net->expect_departures();
}

TEST_CASE("a rank that is stopped is lost after the hang time-out, on whatever road it was heard", "[net]") {
  const bool uses_memory = GENERATE(true, false);
  const job_folder folder;
  other_process other(folder, uses_memory, [](transport& net) {
    net.send(0, cancel{});
    while (true) ::pause();
  });
  options o = folder.of(0, 2);
  o.shared_memory = uses_memory;
  o.hang_timeout = std::chrono::seconds(1);
  ear e;
  const auto net = connect_zmq(o, e);
  net->listen();
  CHECK(e.wait(1).size() == 1);
  other.stop();
  CHECK(e.wait_for_loss() == std::vector<rank_id>{1});
  CHECK(e.why_lost() == "it has been silent for 1 s");
  net->expect_departures();
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
  std::vector<std::unique_ptr<exchange>> all;  // they receive messages until the mesh ends
  mesh m(ranks, any_road());
  all = exchanges_over(m, ranks);
  // From 0 bytes to megabytes. Each byte depends on its position.
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
  mesh m(ranks == 1 ? 2 : ranks, any_road());
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
  // Rank 1 took no part in the last step, so ranks 0 and 2 learn of each other and of the failure.
  for (auto& one : work) CHECK(one.get());
}
