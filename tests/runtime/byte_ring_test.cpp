#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <thread>

#include "runtime/net/byte_ring.hpp"
#include "runtime/net/inbox_memory.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/frames.hpp"

using namespace stradsap::rt;

namespace {

/// A ring of 64 KiB, both ends over the same addresses.
struct small_ring {
  static constexpr std::size_t size = 65536;

  static mapping twice() {
    const int file = ::memfd_create("ring", MFD_CLOEXEC);
    if (::ftruncate(file, size) != 0) throw std::runtime_error("no memory for a ring");
    auto made = mapping::of(file, 0, size, 2);
    ::close(file);
    return std::move(made.value());
  }

  mapping memory = twice();
  std::unique_ptr<ring_ends> ends = std::make_unique<ring_ends>();
  ring_writer writer{*ends, memory.data(), size};
  ring_reader reader{*ends, memory.data(), size};
};

/// Sizes that leave every possible gap at the ring's end, and fill it to the last byte.
std::size_t size_of(std::uint64_t number) { return (number * 7919) % (small_ring::size / 4 - 8) + 8; }

}  // namespace

TEST_CASE("records come out of a ring whole and in order, also across its end", "[ring]") {
  small_ring ring;
  std::uint64_t written = 0;
  std::uint64_t read = 0;
  bool right = true;
  for (int round = 0; round < 200; ++round) {
    while (ring.writer.write({frame_of(written, size_of(written)), written % 3 != 0})) ++written;
    while (const auto r = ring.reader.next()) {
      right = right && is_frame(r->payload, read, size_of(read)) && r->is_last == (read % 3 != 0);
      (void)ring.reader.take();
      ++read;
    }
    right = right && read == written;
  }
  CHECK(right);
  CHECK(read > 1000);
}

TEST_CASE("a writer without room is told once there is, and not for each record", "[ring]") {
  small_ring ring;
  const bytes frame(small_ring::size / 8 - 8);  // eight fill the ring
  for (int i = 0; i < 8; ++i) REQUIRE(ring.writer.write({frame}));
  for (int i = 0; i < 4; ++i) {
    (void)ring.reader.next();
    CHECK(!ring.reader.take());  // no writer waits
  }
  for (int i = 0; i < 4; ++i) REQUIRE(ring.writer.write({frame}));
  CHECK(!ring.writer.write({frame}));
  std::vector<bool> told;
  while (ring.reader.next()) told.push_back(ring.reader.take());
  CHECK(told == std::vector<bool>{false, false, false, true, false, false, false, false});
  CHECK(ring.writer.write({frame}));
}

TEST_CASE("two threads hand records on through a full ring, and neither waits for ever", "[ring]") {
  small_ring ring;
  constexpr std::uint64_t count = 20'000;
  std::atomic<std::uint32_t> room{0};
  std::thread second([&] {
    for (std::uint64_t n = 0; n < count;) {
      const std::uint32_t before = room;
      if (ring.writer.write({frame_of(n, size_of(n) / 8)})) {
        ++n;
      } else {
        room.wait(before);  // woken by a notification of room, or the test does not end
      }
    }
  });
  bool right = true;
  for (std::uint64_t n = 0; n < count;) {
    const auto r = ring.reader.next();
    if (!r) {
      std::this_thread::yield();
      continue;
    }
    right = right && is_frame(r->payload, n, size_of(n) / 8);
    if (ring.reader.take()) {
      ++room;
      room.notify_one();
    }
    ++n;
  }
  second.join();
  CHECK(right);
}

TEST_CASE("a ring that holds what no writer writes says so", "[ring]") {
  small_ring ring;
  REQUIRE(ring.writer.write({frame_of(1, 100)}));
  const std::uint32_t too_much = 5000;
  switch (GENERATE(0, 1, 2, 3)) {
    case 0:
      std::memcpy(ring.memory.data(), &too_much, sizeof too_much);
      break;  // longer than the written frame
    case 1:
      std::memcpy(ring.memory.data() + 4, &too_much, sizeof too_much);
      break;  // an invalid mark of a record's end
    case 2:
      ring.ends->tail += small_ring::size;
      break;
    default:
      ring.ends->tail += 1;
  }
  CHECK_THROWS_WITH(ring.reader.next(), Catch::Contains("its shared memory is corrupt"));
}
