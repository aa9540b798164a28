// Short scheduler slices for threads that run briefly and that others wait for. If the kernel wakes a thread
// on a core where another one computes, the thread may wait there for milliseconds until that one's slice
// ends, even if other cores are idle. From version 6.12 on, Linux gives the core at once to a thread with a
// short slice.
// Thread rule: the thread that creates it.
#pragma once

namespace stradsap::rt {

/// Threads that this one starts while it lives have slices of 0.1 ms, if the kernel supports that.
class scheduler_slice {
 public:
  scheduler_slice();
  ~scheduler_slice();
  scheduler_slice(const scheduler_slice&) = delete;
  scheduler_slice& operator=(const scheduler_slice&) = delete;

 private:
  bool changed_ = false;
};

}  // namespace stradsap::rt
