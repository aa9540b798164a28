// The wait policy: a waiting thread polls for a while, then sleeps. Waking a thread costs tens of
// microseconds, more than most waits of a loop last. But polling occupies a core, so threads that share cores
// sleep at once. Thread rule: thread-safe.
#pragma once

#include <chrono>

#include <sched.h>

namespace stradsap::rt {

/// Delivers the events that threads wait for. A waiting thread may poll it without taking turns.
class deliverer {
 public:
  /// Until end_looking(), an event need not wake another thread.
  virtual void begin_looking() = 0;
  /// Delivers the events at hand, unless another thread delivers.
  virtual void look() = 0;
  virtual void end_looking() = 0;
  /// Until end_waiting(), this thread sleeps, or is about to, until an event.
  virtual void begin_waiting() = 0;
  virtual void end_waiting() = 0;

 protected:
  ~deliverer() = default;
};

/// While it lives, its thread polls the deliverer, if there is one.
class polling_scope {
 public:
  explicit polling_scope(deliverer* post) : post_(post) {
    if (post_ != nullptr) post_->begin_looking();
  }
  ~polling_scope() {
    if (post_ != nullptr) post_->end_looking();
  }
  polling_scope(const polling_scope&) = delete;
  polling_scope& operator=(const polling_scope&) = delete;
  void look() const {
    if (post_ != nullptr) post_->look();
  }

 private:
  deliverer* post_;
};

/// While it lives, its thread may sleep until an event.
class sleeper {
 public:
  explicit sleeper(deliverer* post) : post_(post) {
    if (post_ != nullptr) post_->begin_waiting();
  }
  ~sleeper() {
    if (post_ != nullptr) post_->end_waiting();
  }
  sleeper(const sleeper&) = delete;
  sleeper& operator=(const sleeper&) = delete;

 private:
  deliverer* post_;
};

/// Fixed by the options of the process: whether each executor on this machine has a core of its own.
struct wait_policy {
  bool cores_to_spare = true;
  deliverer* post = nullptr;  // a thread that waits for its events holds no mutex

  /// Polls until ready() is true, for a short time; returns the last value of ready(). It yields between
  /// polls, so that a thread on the same core can make it true.
  template <class Ready> [[nodiscard]] bool spin(Ready ready) const {
    {
      const polling_scope here(post);
      const bool came = spin_until([&] {
        here.look();
        return ready();
      });
      if (came) return true;
    }
    return ready();  // the end of a polling_scope delivers remaining events
  }

 private:
  template <class Ready> [[nodiscard]] bool spin_until(Ready ready) const {
    constexpr int looks = 100;
    for (int look = 0; look < looks; ++look) {
      if (ready()) return true;
      __builtin_ia32_pause();
    }
    if (!cores_to_spare) return ready();
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    do {
      sched_yield();
      if (ready()) return true;
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }
};

}  // namespace stradsap::rt
