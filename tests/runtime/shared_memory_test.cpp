#include "runtime/net/shared_memory.hpp"

#include <poll.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <stradsap/error.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/job_folder.hpp"

using namespace stradsap::rt;

namespace {

options options_of(const job_folder& folder, rank_id r, bool uses_memory) {
  options o = folder.of(r, 2);
  o.shared_memory = uses_memory;
  return o;
}

/// The shared memory of ranks 0 and 1, and the frames that went by sockets instead.
struct machine {
  explicit machine(bool both_use_it = true)
      : memory{{options_of(folder, 0, true), counted[0]}, {options_of(folder, 1, both_use_it), counted[1]}} {}
  /// Opens the inbox of each rank for the other.
  void open() {
    memory[1].open_outbox(0, memory[0].place().value(), [&] { ++announced; });
    REQUIRE(memory[0].open_inbox(1));
    memory[0].open_outbox(1, memory[1].place().value(), [] {});
    REQUIRE(memory[1].open_inbox(0));
  }
  void send(const message& m, bool can_wait = false) {
    memory[1].send(0, to_frame(m), can_wait, [&](bytes frame) { by_sockets.push_back(std::move(frame)); });
  }
  job_folder folder;
  traffic counted[2];
  shared_memory memory[2];
  int announced = 0;
  std::vector<bytes> by_sockets;
};

token numbered_token(std::uint32_t number, std::size_t size) {
  token t;
  t.block = number;
  t.elements.resize(size);
  return t;
}

std::uint32_t number_in(const std::optional<message>& m) { return std::get<token>(m.value()).block; }

}  // namespace

TEST_CASE("messages go by sockets until the inbox of the rank is open", "[memory]") {
  machine m;
  m.send(numbered_token(0, 10));
  CHECK(m.by_sockets.size() == 1);
  CHECK(!m.memory[0].has_any());
  m.open();
  CHECK(m.announced == 1);
  for (std::uint32_t n = 1; n < 4; ++n) m.send(numbered_token(n, 10));
  CHECK(m.by_sockets.size() == 1);
  CHECK(m.memory[0].has_any(1));
  for (std::uint32_t n = 1; n < 4; ++n) CHECK(number_in(m.memory[0].next(1)) == n);
  CHECK(!m.memory[0].next(1));
  CHECK(m.counted[1].bytes_sent() == m.counted[0].bytes_received());
  CHECK(m.counted[1].bytes_sent() > 30);
}

TEST_CASE("without an inbox there is no place, and nothing is opened or arrives", "[memory]") {
  machine m(/*both_use_it=*/false);
  CHECK(!m.memory[1].place());
  CHECK(m.memory[1].descriptor() == -1);
  CHECK(!m.memory[1].open_inbox(0));
  CHECK(!m.memory[1].has_any());
  CHECK(!m.memory[1].next(0));
  m.memory[1].open_outbox(0, m.memory[0].place().value(), [&] { ++m.announced; });
  CHECK(m.announced == 0);
  m.send(numbered_token(0, 10));
  CHECK(m.by_sockets.size() == 1);
  CHECK(m.memory[1].flush(0));
}

TEST_CASE("an inbox that cannot be opened is not announced", "[memory]") {
  machine m;
  inbox_place other = m.memory[0].place().value();
  ++other.nonce;
  m.memory[1].open_outbox(0, other, [&] { ++m.announced; });
  CHECK(m.announced == 0);
  m.send(numbered_token(0, 10));
  CHECK(m.by_sockets.size() == 1);
}

TEST_CASE("messages without room wait for a flush, and the reader rings when there is some", "[memory]") {
  machine m;
  m.open();
  constexpr std::uint32_t count = 20;
  for (std::uint32_t n = 0; n < count; ++n) m.send(numbered_token(n, 300'000));
  CHECK(!m.memory[1].flush(0));
  m.memory[1].hush();
  bool was_rung = false;
  std::uint32_t next = 0;
  for (int i = 0; i < 1000 && next < count; ++i) {
    if (const auto got = m.memory[0].next(1)) {
      REQUIRE(number_in(got) == next);
      ++next;
      continue;
    }
    pollfd doorbell{m.memory[1].descriptor(), POLLIN, 0};
    const bool is_rung = ::poll(&doorbell, 1, 0) == 1;
    was_rung = was_rung || is_rung;
    if (!is_rung) break;  // nobody would flush
    m.memory[1].hush();
    (void)m.memory[1].flush(0);
  }
  CHECK(next == count);
  CHECK(was_rung);
  CHECK(m.memory[1].flush(0));
}

TEST_CASE("no message of a rank is taken once its inbox is closed", "[memory]") {
  machine m;
  m.open();
  m.send(numbered_token(0, 10));
  m.memory[0].close_inbox(1);
  CHECK(!m.memory[0].has_any());
  CHECK(!m.memory[0].next(1));
}

TEST_CASE("a thread's messages are in order when the inbox opens meanwhile", "[memory]") {
  bool in_order = true;
  for (int trial = 0; trial < 20; ++trial) {
    machine m;
    std::atomic<std::uint32_t> sent{0};
    std::atomic<bool> is_open{false};
    std::size_t before = 0;  // frames by sockets when the inbox opens
    std::thread sender([&] {
      for (int more = 1000; more > 0; more -= is_open ? 1 : 0) {
        m.send(numbered_token(sent, 10));
        ++sent;
      }
    });
    while (sent < 100) std::this_thread::yield();
    m.memory[1].open_outbox(0, m.memory[0].place().value(), [&] { before = m.by_sockets.size(); });
    is_open = true;
    sender.join();
    REQUIRE(m.memory[0].open_inbox(1));
    in_order = in_order && m.by_sockets.size() == before && before >= 100;
    for (auto n = static_cast<std::uint32_t>(before); n < sent; ++n) {
      const auto got = m.memory[0].next(1);
      in_order = in_order && got && number_in(got) == n;
    }
  }
  CHECK(in_order);
}
