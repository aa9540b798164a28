// A wake event: an eventfd that wakes the thread of this process that polls its descriptor. Thread rule:
// thread-safe.
#pragma once

namespace stradsap::rt {

class wake_event {
 public:
  wake_event();
  ~wake_event();
  wake_event(const wake_event&) = delete;
  wake_event& operator=(const wake_event&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  void ring() const;
  /// Clears the event after a wake.
  void hush() const;

 private:
  const int descriptor_;
};

}  // namespace stradsap::rt
