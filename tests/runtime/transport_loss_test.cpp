#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/net/frame.hpp"
#include "runtime/net/transport.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/job_folder.hpp"
#include "tests/support/mesh.hpp"

using namespace stradsap::rt;

namespace {

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

}  // namespace

TEST_CASE("a peer that goes is lost on every other rank, and its last words were heard", "[transport]") {
  mesh m(3, any_medium());
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

TEST_CASE("a rank is lost when its connection closes, after the messages in the inbox", "[transport]") {
  const bool uses_memory = GENERATE(true, false);
  constexpr std::uint32_t count = 3000;  // more than are delivered in one turn
  mesh m(2, {.uses_zmq = false, .uses_memory = {uses_memory}}, /*listens=*/false);
  for (int i = 0; i < 10'000 && uses_memory && inboxes_mapped() != inboxes_of_two; ++i) ::sched_yield();
  for (std::uint32_t n = 0; n < count; ++n) m.nets[1]->send(0, numbered(n, 10));
  m.network.close(1);
  m.nets[0]->listen();
  CHECK(m.ears[0].wait_for_loss() == std::vector<rank_id>{1});
  CHECK(m.ears[0].why_lost() == "its process has gone");
  CHECK(m.ears[0].wait(0).size() == count);
  const std::uint64_t before = m.nets[0]->bytes_sent();
  m.nets[0]->send(1, cancel{});
  CHECK(m.nets[0]->bytes_sent() == before);
}

TEST_CASE("a rank is lost when it breaks the protocol, and gets nothing more", "[transport]") {
  const bool uses_memory = GENERATE(true, false);
  mesh m(2, {.uses_zmq = false, .uses_memory = {uses_memory}});
  bytes frame = to_frame(cancel{});
  const std::uint64_t number = 999;
  std::memcpy(frame.data(), &number, sizeof number);
  m.network.write(1, 0, frame);
  CHECK(m.ears[0].wait_for_loss() == std::vector<rank_id>{1});
  CHECK(m.ears[0].why_lost().find("message 999 came where ") == 0);
  const std::uint64_t before = m.nets[0]->bytes_sent();
  m.nets[0]->send(1, cancel{});
  CHECK(m.nets[0]->bytes_sent() == before);
}

TEST_CASE("a rank that breaks the protocol before listen() is reported then", "[transport]") {
  mesh m(2, {.uses_zmq = false, .uses_memory = {false}}, /*listens=*/false);
  const std::uint64_t before = m.nets[0]->bytes_received();
  bytes frame = to_frame(cancel{});
  const std::uint64_t number = 999;
  std::memcpy(frame.data(), &number, sizeof number);
  m.network.write(1, 0, frame);
  for (int i = 0; i < 1'000'000 && m.nets[0]->bytes_received() < before + frame.size(); ++i) ::sched_yield();
  CHECK(m.ears[0].lost_now().empty());
  m.nets[0]->listen();
  CHECK(m.ears[0].wait_for_loss() == std::vector<rank_id>{1});
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

TEST_CASE("a rank that is stopped is lost after the hang time-out, however it was heard", "[net]") {
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
