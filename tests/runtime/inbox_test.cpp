#include "runtime/net/inbox.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <stdexcept>

#include "runtime/net/inbox_memory.hpp"
#include "runtime/net/outbox.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/frames.hpp"
#include "tests/support/job_folder.hpp"

using namespace stradsap::rt;

namespace {

/// Both ends of the path from rank 1 to rank 0.
struct road {
  road() {
    to = inbox::make(folder.of(0, 2));
    if (!its_doorbell.open(folder.path(), 0) || !to->open(1)) throw std::runtime_error("no inbox");
    from = std::make_unique<outbox>(opened_inbox_memory::open(to->place(), 1, 2).value(), its_doorbell);
  }
  [[nodiscard]] bool is_rung() const {
    pollfd one{to->own_doorbell().descriptor(), POLLIN, 0};
    const bool rung = ::poll(&one, 1, 0) == 1;
    to->own_doorbell().hush();
    return rung;
  }
  job_folder folder;
  doorbell its_doorbell;
  std::unique_ptr<inbox> to;
  std::unique_ptr<outbox> from;
};

}  // namespace

TEST_CASE("frames of any length pass through an inbox, and wait where there is no room", "[inbox]") {
  road r;
  const auto size = [](std::uint64_t n) { return n % 5 == 0 ? 3'000'000 + n : n * 1000; };
  constexpr std::uint64_t count = 50;  // many times the ring's size
  for (std::uint64_t n = 0; n < count; ++n) r.from->send(frame_of(n, size(n)), /*can_wait=*/false);
  CHECK(!r.from->is_empty());
  bool right = true;
  bool was_told = false;
  for (std::uint64_t n = 0; n < count;) {
    const auto frame = r.to->next(1);
    if (frame) {
      right = right && is_frame(*frame, n, size(n));
      ++n;
      r.to->take(1);
    }
    if (!r.to->made_room(1)) {
      if (!frame) break;  // the outbox waits for room and gets no notification
      continue;
    }
    was_told = true;
    r.from->flush();
  }
  CHECK(right);
  CHECK(was_told);
  CHECK(r.from->is_empty());
  CHECK(!r.to->has_any());
}

TEST_CASE("who writes into an inbox rings if nobody looks, and once", "[inbox]") {
  road r;
  r.to->begin_looking();
  r.from->send(frame_of(0, 100), /*can_wait=*/false);
  CHECK(!r.is_rung());
  r.to->begin_looking();
  r.to->end_looking();  // one thread still looks
  r.from->send(frame_of(1, 100), /*can_wait=*/false);
  CHECK(!r.is_rung());
  r.to->end_looking();
  CHECK(r.to->has_any());
  r.from->send(frame_of(2, 100), /*can_wait=*/false);
  CHECK(r.is_rung());
  r.from->send(frame_of(3, 100), /*can_wait=*/false);
  CHECK(!r.is_rung());
}

TEST_CASE("what can wait rings where a thread waits for something, and nobody looks", "[inbox]") {
  road r;
  r.to->begin_looking();
  r.to->end_looking();
  r.from->send(frame_of(0, 100), /*can_wait=*/true);
  CHECK(!r.is_rung());
  r.to->begin_waiting();
  r.to->begin_looking();
  CHECK(r.to->has_any());  // a thread that begins to wait finds earlier frames
  r.from->send(frame_of(1, 100), /*can_wait=*/true);
  CHECK(!r.is_rung());
  r.to->end_looking();
  r.from->send(frame_of(2, 100), /*can_wait=*/true);
  CHECK(r.is_rung());
  r.to->end_waiting();
  r.to->begin_looking();
  r.to->end_looking();
  r.from->send(frame_of(3, 100), /*can_wait=*/true);
  CHECK(!r.is_rung());
  r.from->send(frame_of(4, 100), /*can_wait=*/false);
  CHECK(r.is_rung());
}

TEST_CASE("an inbox that is not what was said is not opened", "[inbox]") {
  const job_folder folder;
  const auto one = inbox::make(folder.of(0, 2));
  REQUIRE(one != nullptr);
  CHECK(opened_inbox_memory::open(one->place(), 1, 2));
  inbox_place other = one->place();
  ++other.nonce;
  CHECK(!opened_inbox_memory::open(other, 1, 2));
  CHECK(!opened_inbox_memory::open(one->place(), 1, 3));  // another size
  CHECK(!opened_inbox_memory::open({::getpid(), 0, 0}, 1, 2));
  CHECK(!opened_inbox_memory::open({::getpid(), 9999, 0}, 1, 2));
  const int file = ::memfd_create("stradsap-inbox", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  REQUIRE(::ftruncate(file, static_cast<off_t>(inbox_layout(2).size_bytes)) == 0);
  CHECK(!opened_inbox_memory::open({::getpid(), file, 0}, 1, 2));  // could become shorter
  ::close(file);
}

TEST_CASE("of a writer that was killed, whole frames are heard and nothing else", "[inbox]") {
  const job_folder folder;
  const auto to = inbox::make(folder.of(0, 2));
  REQUIRE(to->open(1));
  const auto size = [](std::uint64_t n) { return n % 3 == 0 ? 700'000 : 100 + n % 5000; };
  const pid_t child = ::fork();
  if (child == 0) {
    doorbell its;
    (void)its.open(folder.path(), 0);
    outbox from(opened_inbox_memory::open(to->place(), 1, 2).value(), its);
    for (std::uint64_t n = 0;; n += from.is_empty() ? 1 : 0) {
      from.is_empty() ? from.send(frame_of(n, size(n)), false) : from.flush();
    }
  }
  std::uint64_t heard = 0;
  bool right = true;
  const auto take_all = [&](std::uint64_t most) {
    while (heard < most) {
      const auto frame = to->next(1);
      if (!frame) return;
      right = right && is_frame(*frame, heard, size(heard));
      to->take(1);
      ++heard;
    }
  };
  while (heard < 200 && right && ::waitpid(child, nullptr, WNOHANG) == 0) take_all(200);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  take_all(~std::uint64_t{0});
  CHECK(right);
  CHECK(heard >= 200);
  CHECK(!to->has_any());
}
