// A frame: a message as bytes, behind its sequence number. Sockets and inboxes number their frames apart,
// each direction from 0, so a missing frame is an error. Thread rule: a sequence belongs to one thread at a
// time; traffic is thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// The message as a frame without a number.
[[nodiscard]] inline bytes to_frame(const message& m) { return encode(m, /*room=*/sizeof(std::uint64_t)); }

/// The numbers of the frames in one direction.
class frame_sequence {
 public:
  /// Numbers the next frame to send.
  void number(bytes& frame) {
    std::memcpy(frame.data(), &next_, sizeof next_);
    ++next_;
  }
  /// The message of a received frame. Throws error(errc::decode) for a frame that is not a message, or not
  /// the next one.
  [[nodiscard]] message open(std::span<const std::byte> frame);

 private:
  std::uint64_t next_ = 0;
};

/// The bytes that a rank has sent and received.
class traffic {
 public:
  void sent(std::size_t size_bytes) { sent_ += size_bytes; }
  /// A send happens before its answer; the load shows it to a thread sanitizer, which sees one process.
  void received(std::size_t size_bytes) {
    (void)sent_.load();
    received_ += size_bytes;
  }
  [[nodiscard]] std::uint64_t bytes_sent() const { return sent_; }
  [[nodiscard]] std::uint64_t bytes_received() const { return received_; }

 private:
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> received_{0};
};

}  // namespace stradsap::rt
