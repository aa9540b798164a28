#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <string>
#include <thread>

#include <stradsap/error.hpp>

#include "runtime/net/transport.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/job_folder.hpp"
#include "tests/support/mesh.hpp"

using namespace stradsap::rt;

TEST_CASE("messages between all pairs of ranks arrive whole and in order", "[transport]") {
  const int ranks = GENERATE(2, 3, 8);
  mesh m(ranks, any_medium());
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

TEST_CASE("ranks of one machine write into each other's inboxes, unless told not to", "[transport]") {
  const bool uses_memory = GENERATE(true, false);
  mesh m(2, {.uses_zmq = false, .uses_memory = {uses_memory}});
  const int wanted = uses_memory ? inboxes_of_two : 0;
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

TEST_CASE("messages keep their order as they change from sockets to memory", "[transport]") {
  const bool uses_zmq = zmq_or_local();
  const auto size = [](std::uint32_t n) -> std::size_t { return n % 100; };
  constexpr std::uint32_t count = 2000;  // begins before the ranks know each other's inboxes
  bool in_order = true;
  for (int trial = 0; trial < 20; ++trial) {
    mesh m(2, {uses_zmq});
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

TEST_CASE("what a rank does not hear yet waits for it, however much it is", "[transport]") {
  const auto size = [](std::uint32_t n) -> std::size_t { return n % 10 == 0 ? 3'000'000 : 50'000; };
  constexpr std::uint32_t count = 100;
  mesh m(2, any_medium(), /*listens=*/false);
  m.nets[0]->listen();
  for (std::uint32_t n = 0; n < count; ++n) m.nets[0]->send(1, numbered(n, size(n)));
  m.nets[1]->listen();
  const auto heard = m.ears[1].wait(count);
  CHECK(heard.size() == count);
  CHECK(are_numbered(heard, size));
}

TEST_CASE("what was handed over is heard though its sender's transport ends", "[transport]") {
  const auto size = [](std::uint32_t) -> std::size_t { return 300'000; };
  mesh m(2, any_medium());
  for (std::uint32_t n = 0; n < 50; ++n) m.nets[0]->send(1, numbered(n, size(n)));
  for (auto& net : m.nets) net->expect_departures();
  m.nets[0].reset();
  const auto heard = m.ears[1].wait(50);
  CHECK(heard.size() == 50);
  CHECK(are_numbered(heard, size));
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
