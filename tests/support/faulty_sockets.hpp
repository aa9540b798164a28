// Sockets with one fault: a frame to one rank goes wrong. Pings are frames too, so that a later one always
// comes. Thread rule: as sockets.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/net/sockets.hpp"

enum class fault_kind {
  none,
  drop,   // the frame is not sent
  twice,  // it is sent twice
  swap,   // it is sent after the next one
  late,   // it and the next ones wait, in order, until `lateness` are waiting
  cut,    // the connection closes on both sides before it
};

struct frame_fault {
  fault_kind kind = fault_kind::none;
  stradsap::rt::rank_id to = 0;
  std::uint64_t number = 0;  // of the frame, in this direction
  std::uint64_t lateness = 0;
};

class faulty_sockets final : public stradsap::rt::sockets {
 public:
  using rank_id = stradsap::rt::rank_id;
  /// `cut` closes the connection to a rank on both sides.
  faulty_sockets(std::unique_ptr<stradsap::rt::sockets> over, const frame_fault& fault,
                 std::function<void(rank_id)> cut)
      : over_(std::move(over)), fault_(fault), cut_(std::move(cut)) {}

  std::string address() const override { return over_->address(); }
  std::vector<int> descriptors() override { return over_->descriptors(); }
  void receive(stradsap::rt::socket_listener& listener) override { over_->receive(listener); }

  bool send(rank_id to, stradsap::rt::bytes frame) override {
    const stradsap::rt::lock_guard hold(mutex_);
    if (to != fault_.to || fault_.kind == fault_kind::none) return over_->send(to, std::move(frame));
    const bool is_faulty = count_++ == fault_.number;
    if (is_faulty && fault_.kind == fault_kind::cut) cut_(to);
    if (is_faulty && fault_.kind == fault_kind::drop) return true;
    if (is_faulty && fault_.kind == fault_kind::twice && !over_->send(to, frame)) return false;
    return fault_.kind == fault_kind::late ? send_late(std::move(frame))
                                           : send_swapped(std::move(frame), is_faulty);
  }

 private:
  bool send_swapped(stradsap::rt::bytes frame, bool is_faulty) {
    if (is_faulty && fault_.kind == fault_kind::swap) return waiting_.push_back(std::move(frame)), true;
    return over_->send(fault_.to, std::move(frame)) && send_waiting();
  }
  bool send_late(stradsap::rt::bytes frame) {
    waiting_.push_back(std::move(frame));
    const bool waits = count_ > fault_.number && count_ <= fault_.number + fault_.lateness;
    return waits || send_waiting();
  }
  bool send_waiting() {
    bool is_sent = true;
    for (auto& frame : std::exchange(waiting_, {}))
      is_sent = is_sent && over_->send(fault_.to, std::move(frame));
    return is_sent;
  }

  const std::unique_ptr<stradsap::rt::sockets> over_;
  const frame_fault fault_;
  const std::function<void(rank_id)> cut_;
  stradsap::rt::mutex mutex_;
  std::uint64_t count_ = 0;
  std::deque<stradsap::rt::bytes> waiting_;
};
