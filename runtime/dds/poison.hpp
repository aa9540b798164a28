// Check builds under AddressSanitizer: while bodies run, memory of elements is poisoned, except for what the
// running iteration may reach. A stray access through any pointer, in any library, then stops at its line.
// Without the sanitizer nothing here does anything. Why it is made so: docs/decisions/poison.md.
// The sanitizer has one shadow for the process, so what stands here belongs to the process too.
// Thread rule: thread-safe.
#pragma once

#include <cstddef>
#include <mutex>

namespace stradsap::rt::poison {

/// Whether the program was linked with the sanitizer.
[[nodiscard]] bool is_possible();

/// Memory of elements. It is poisoned while bodies run, and never after the region's end.
class region {
 public:
  region() = default;
  region(const std::byte* first, std::size_t size) { cover(first, size); }
  ~region() { cover(nullptr, 0); }
  region(region&& other) noexcept { swap(other); }
  region& operator=(region&& other) noexcept {
    swap(other);
    return *this;
  }

  /// The elements now are here; `first` is aligned to 8 bytes, and up to 7 bytes behind the last are ours.
  void cover(const std::byte* first, std::size_t size);

 private:
  void swap(region& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
  }

  const std::byte* first_ = nullptr;
  std::size_t size_ = 0;
};

/// The runtime itself reads or writes these bytes in the scope, while bodies may run on other threads.
class opened {
 public:
  opened(const std::byte* first, std::size_t size);
  ~opened();
  opened(const opened&) = delete;
  opened& operator=(const opened&) = delete;

 private:
  const std::byte* first_;
  std::size_t size_;
};

/// Bodies run on this thread. All regions are open again when the last of these scopes has ended.
class running_bodies {
 public:
  /// `checked`: they belong to a check build; of others nothing is poisoned.
  explicit running_bodies(bool checked);
  ~running_bodies();
  running_bodies(const running_bodies&) = delete;
  running_bodies& operator=(const running_bodies&) = delete;

 private:
  bool counts_;
};

/// One iteration after the other, on one thread. The process runs one iteration at a time, since all threads
/// share the shadow.
class iteration {
 public:
  /// Waits until no other iteration runs. All regions are poisoned then.
  void begin();
  /// The running iteration may reach these bytes.
  void allow(const void* first, std::size_t size);
  void end();

 private:
  std::unique_lock<std::mutex> turn_;
};

/// Where the sanitizer calls `explain(report)` with its report of a stray access, before it ends the program.
void explain_by(void (*explain)(const char* report));
/// The address of that access.
[[nodiscard]] const std::byte* stray_address();

}  // namespace stradsap::rt::poison
