#include "runtime/net/sessions.hpp"

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/error.hpp>

#include "runtime/net/build_id.hpp"
#include "runtime/net/machine_kind.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/local_network.hpp"

using namespace stradsap::rt;

namespace {

/// Writes down the events of sessions.
class diary final : public session_listener {
 public:
  void met(rank_id peer) override { note("met", peer); }
  void received(rank_id from, message m) override {
    const auto* const c = std::get_if<cancel>(&m);
    note(c == nullptr ? "message" : std::to_string(c->position), from);
  }
  void failed(rank_id peer, const std::string& why) override { note(why, peer); }
  void disconnected(rank_id peer) override { note("disconnected", peer); }

  std::vector<std::string> events;

 private:
  void note(const std::string& what, rank_id who) { events.push_back(what + " " + std::to_string(who)); }
};

/// The sessions of one rank of a local network.
struct session_end {
  session_end(local_network& net, rank_id self, int ranks)
      : over(made(self, ranks), net.open(self), counted, seen) {}
  static options made(rank_id self, int ranks) {
    options o;
    o.rank = self;
    o.world_size = ranks;
    o.start_timeout = std::chrono::seconds(1);
    return o;
  }
  /// The events since the last call.
  std::vector<std::string> report() {
    over.receive();
    return std::exchange(seen.events, {});
  }
  traffic counted;
  diary seen;
  sessions over;
};

/// Ranks 0 and 1, after their hellos.
struct both_ends {
  both_ends() {
    high.over.begin();
    (void)low.report();
    (void)high.report();
  }
  local_network net;
  session_end low{net, 0, 2};
  session_end high{net, 1, 2};
};

bytes frame_with(const message& m, std::uint64_t number) {
  bytes made = to_frame(m);
  std::memcpy(made.data(), &number, sizeof number);
  return made;
}

using words = std::vector<std::string>;

}  // namespace

TEST_CASE("a session begins with a hello in each direction, then carries messages in order", "[sessions]") {
  local_network net;
  session_end low(net, 0, 2);
  session_end high(net, 1, 2);
  low.over.begin();
  CHECK(high.report().empty());  // the higher rank says hello first
  high.over.begin();
  CHECK(low.report() == words{"met 1"});
  for (std::uint32_t n = 0; n < 3; ++n) low.over.send(1, to_frame(cancel{launch_id{1}, n}));
  CHECK(high.report() == words{"met 0", "0 0", "1 0", "2 0"});
  high.over.send(0, to_frame(cancel{launch_id{1}, 7}));
  CHECK(low.report() == words{"7 1"});
  low.over.wait();
  high.over.wait();
  CHECK(low.counted.bytes_sent() == high.counted.bytes_received());
  CHECK(low.counted.bytes_sent() > 0);
}

TEST_CASE("a rank of another build, protocol or run, or with another seed, is refused", "[sessions]") {
  local_network net;
  session_end low(net, 0, 2);
  hello other{5, build_id(), 2, machine_kind(), 0, ""};
  std::string why;
  SECTION("build") {
    other.build = "another";
    why = "rank 1 is another build of the program: its build id is another";
  }
  SECTION("protocol") {
    other.protocol = 4;
    why = "rank 1 is another build of the program";
  }
  SECTION("run") {
    other.world_size = 5;
    why = "rank 1 expects 5 ranks, rank 0 expects 2";
  }
  SECTION("variables") {
    other.refusal = "STRADSAP_THREADS=0: expected a number";
    why = "rank 1 cannot run: STRADSAP_THREADS=0: expected a number";
  }
  SECTION("seed") {
    other.seed = 7;
    why = "rank 1 has the seed 7, rank 0 has 0: give STRADSAP_SEED to all ranks";
  }
  net.write(1, 0, frame_with(other, 0));
  CHECK(low.report().empty());
  CHECK_THROWS_WITH(low.over.wait(), Catch::Contains(why));
  net.write(1, 0, frame_with(cancel{}, 1));
  CHECK(low.report() == words{"it spoke before it said hello 1"});
}

TEST_CASE("ranks on machines of several kinds cause a warning that names them", "[sessions]") {
  CHECK(why_bits_may_differ({{0, "a"}, {1, "a"}}).empty());
  CHECK(why_bits_may_differ({{2, "a, C library 1"}, {1, "b"}, {0, "a, C library 1"}}) ==
        "the bits may differ from a run on machines of one kind: rank 0, 2 on a, C library 1; rank 1 on b.");
  CHECK(machine_kind().find(", C library 2.") != std::string::npos);
}

TEST_CASE("a rank that never says hello is named at the time-out, with the own address", "[sessions]") {
  local_network net;
  session_end low(net, 0, 3);
  net.write(1, 0, frame_with(hello{5, build_id(), 3, machine_kind(), 0, ""}, 0));
  CHECK(low.report() == words{"met 1"});
  CHECK_THROWS_WITH(low.over.wait(), Catch::Contains("no hello from rank 2 within 1 s (socket mailbox 0)"));
}

TEST_CASE("a rank whose first frame is wrong is named at once, not at the time-out", "[sessions]") {
  local_network net;
  session_end low(net, 0, 3);
  net.write(2, 0, frame_with(cancel{}, 5));
  CHECK(low.report() == words{"message 5 came where 0 was expected 2"});
  CHECK_THROWS_WITH(low.over.wait(), "rank 2 cannot be met: message 5 came where 0 was expected");
}

TEST_CASE("a second hello changes nothing", "[sessions]") {
  both_ends both;
  const std::uint64_t before = both.low.counted.bytes_sent();
  both.net.write(1, 0, frame_with(hello{5, build_id(), 2, machine_kind(), 0, ""}, 1));
  CHECK(both.low.report().empty());
  CHECK(both.low.counted.bytes_sent() == before);  // it gets no second answer
}

TEST_CASE("a rank whose frames are not as agreed has failed, and is heard no more", "[sessions]") {
  both_ends both;
  bytes damaged = frame_with(cancel{}, 1);
  damaged.pop_back();
  const auto [wrong, why] = GENERATE_COPY(table<bytes, std::string>({
      {frame_with(cancel{}, 2), "message 2 came where 1 was expected 1"},  // one is missing
      {frame_with(cancel{}, 0), "message 0 came where 1 was expected 1"},  // one came twice
      {damaged, ""},
      {bytes(3), ""},
      {bytes(), ""},
  }));
  both.net.write(1, 0, wrong);
  both.net.write(1, 0, frame_with(cancel{}, 1));
  const auto seen = both.low.report();
  REQUIRE(seen.size() == 1);
  if (!why.empty()) CHECK(seen[0] == why);
  CHECK(seen[0].find("1", seen[0].size() - 1) != seen[0].npos);
}

TEST_CASE("a closed connection is reported after the last messages, and to a sender", "[sessions]") {
  both_ends both;
  both.high.over.send(0, to_frame(cancel{launch_id{1}, 4}));
  both.net.close(1);
  CHECK(both.low.report() == words{"4 1", "disconnected 1"});
  both.low.over.send(1, to_frame(cancel{}));
  CHECK(std::exchange(both.low.seen.events, {}) == words{"disconnected 1"});
}
