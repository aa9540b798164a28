#include "runtime/net/delayed_delivery.hpp"

#include <utility>

#include <pthread.h>

namespace stradsap::rt {

delayed_delivery::delayed_delivery(network_listener& to, std::chrono::microseconds delay)
    : to_(to), delay_(delay), thread_([this] { serve(); }) {
  pthread_setname_np(thread_.native_handle(), "latency");
}

delayed_delivery::~delayed_delivery() {
  {
    const lock_guard hold(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void delayed_delivery::received(rank_id from, message m) {
  if (std::holds_alternative<shutdown>(m)) return to_.received(from, std::move(m));
  const lock_guard hold(mutex_);
  waiting_.push_back({clock::now() + delay_, from, std::move(m)});
  changed_.notify_all();
}

void delayed_delivery::serve() {
  while (true) {
    delayed next;
    {
      const lock_guard hold(mutex_);
      while (waiting_.empty() && !stop_) changed_.wait_until(mutex_, clock::now() + std::chrono::seconds(1));
      while (!stop_ && clock::now() < waiting_.front().due) changed_.wait_until(mutex_, waiting_.front().due);
      if (stop_) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    try {
      to_.received(next.from, std::move(next.what));
    } catch (const std::exception& e) {
      to_.peer_lost(next.from, e.what());
    }
  }
}

}  // namespace stradsap::rt
