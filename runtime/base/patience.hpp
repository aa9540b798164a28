// How long a thread looks again before it sleeps. Waking a thread costs tens of microseconds, more than most
// waits of a loop last; but who looks again takes a core, so nobody does where threads have none of their
// own. Thread rule: thread-safe.
#pragma once

#include <chrono>

#include <sched.h>

namespace stradsap::rt {

/// Brings what threads wait for. A thread that waits may look for it itself, which takes no other one's turn.
class deliverer {
 public:
  /// Until end_looking(), nobody else need be woken for what comes.
  virtual void begin_looking() = 0;
  /// Delivers what has come, unless another thread does.
  virtual void look() = 0;
  virtual void end_looking() = 0;
  /// Until end_waiting(), a thread sleeps until something comes, or is about to.
  virtual void begin_waiting() = 0;
  virtual void end_waiting() = 0;

 protected:
  ~deliverer() = default;
};

/// While it lives, its thread looks too, if there is anything to look for.
class watch {
 public:
  explicit watch(deliverer* post) : post_(post) {
    if (post_ != nullptr) post_->begin_looking();
  }
  ~watch() {
    if (post_ != nullptr) post_->end_looking();
  }
  watch(const watch&) = delete;
  watch& operator=(const watch&) = delete;
  void look() const {
    if (post_ != nullptr) post_->look();
  }

 private:
  deliverer* post_;
};

/// While it lives, its thread may sleep until something comes.
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

/// Set once, by the process's options: whether each executor on this machine has a core for itself.
struct patience {
  bool cores_to_spare = true;
  deliverer* post = nullptr;  // whoever waits for what it may bring holds no mutex meanwhile

  /// Waits a little while until ready() is true; whether it is. Other threads run between looks, so that one
  /// that is to make it true and was put on this core can.
  template <class Ready> [[nodiscard]] bool spin(Ready ready) const {
    {
      const watch here(post);
      const bool came = spin_until([&] {
        here.look();
        return ready();
      });
      if (came) return true;
    }
    return ready();  // the end of a watch brings what there still is
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
