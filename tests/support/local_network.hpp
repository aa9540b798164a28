// A network between ranks of this process: sockets that pass frames through queues in memory. A test can also
// write frames in the name of a rank, so faults enter here. The thread sanitizer sees all of it.
// Thread rule: thread-safe; it outlives its sockets.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/net/sockets.hpp"
#include "runtime/net/wake_event.hpp"

class local_network {
 public:
  /// The sockets of a rank. They are closed when they are destroyed, for all other ranks.
  std::unique_ptr<stradsap::rt::sockets> open(stradsap::rt::rank_id self) {
    return std::make_unique<end>(*this, self);
  }
  /// Delivers the frame as if `from` had sent it. False if `to` is closed.
  bool write(stradsap::rt::rank_id from, stradsap::rt::rank_id to, stradsap::rt::bytes frame) {
    const stradsap::rt::lock_guard hold(mutex_);
    mailbox& box = boxes_.at(static_cast<std::size_t>(to));
    if (box.is_closed || cut_.count(std::minmax(from, to)) != 0) return false;
    box.frames.emplace_back(from, std::move(frame));
    box.filled.ring();
    return true;
  }
  /// Closes the connections of a rank: it can be reached no more, and every other rank learns of it.
  void close(stradsap::rt::rank_id gone) {
    const stradsap::rt::lock_guard hold(mutex_);
    for (mailbox& box : boxes_) {
      box.closed.push_back(gone);
      box.filled.ring();
    }
    boxes_.at(static_cast<std::size_t>(gone)).is_closed = true;
  }
  /// Closes the connection between two ranks.
  void cut(stradsap::rt::rank_id one, stradsap::rt::rank_id other) {
    const stradsap::rt::lock_guard hold(mutex_);
    cut_.insert(std::minmax(one, other));
    report_closed(one, other);
    report_closed(other, one);
  }

 private:
  void report_closed(stradsap::rt::rank_id gone, stradsap::rt::rank_id to) {
    mailbox& box = boxes_.at(static_cast<std::size_t>(to));
    box.closed.push_back(gone);
    box.filled.ring();
  }

  /// The events that one rank has not received yet.
  struct mailbox {
    std::deque<std::pair<stradsap::rt::rank_id, stradsap::rt::bytes>> frames;
    std::vector<stradsap::rt::rank_id> closed;
    bool is_closed = false;
    stradsap::rt::wake_event filled;
  };

  class end final : public stradsap::rt::sockets {
   public:
    end(local_network& net, stradsap::rt::rank_id self) : net_(net), self_(self) {}
    ~end() override { net_.close(self_); }
    std::string address() const override { return "mailbox " + std::to_string(self_); }
    std::vector<int> descriptors() override { return {box().filled.descriptor()}; }
    bool send(stradsap::rt::rank_id to, stradsap::rt::bytes frame) override {
      return net_.write(self_, to, std::move(frame));
    }
    void receive(stradsap::rt::socket_listener& listener) override {
      decltype(box().frames) frames;
      decltype(box().closed) closed;
      {
        const stradsap::rt::lock_guard hold(net_.mutex_);
        box().filled.hush();
        frames.swap(box().frames);
        closed.swap(box().closed);
      }
      for (const auto& [from, frame] : frames) listener.frame_received(from, frame);
      for (const stradsap::rt::rank_id r : closed) {
        if (r != self_) listener.connection_closed(r);
      }
    }

   private:
    mailbox& box() { return net_.boxes_.at(static_cast<std::size_t>(self_)); }
    local_network& net_;
    stradsap::rt::rank_id self_;
  };

  stradsap::rt::mutex mutex_;
  std::array<mailbox, 8> boxes_;
  std::set<std::pair<stradsap::rt::rank_id, stradsap::rt::rank_id>> cut_;
};
