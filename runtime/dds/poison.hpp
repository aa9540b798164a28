// For check builds under AddressSanitizer: while bodies run, the memory of elements is poisoned, except for
// the elements that the running iteration may touch. A stray access through any pointer, in any library, then
// stops at its line. Without the sanitizer all functions do nothing. Reasons: docs/decisions/poison.md.
// The sanitizer has one shadow for the process, so this state is global. Thread rule: thread-safe.
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

  /// Sets the region's bytes. `first` is aligned to 8 bytes, and up to 7 bytes behind the last one belong to
  /// the region.
  void cover(const std::byte* first, std::size_t size);

 private:
  void swap(region& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
  }

  const std::byte* first_ = nullptr;
  std::size_t size_ = 0;
};

/// While it lives, the runtime itself reads or writes these bytes, although bodies may run on other threads.
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

/// While it lives, bodies run on this thread. The end of the last of these scopes opens all regions.
class running_bodies {
 public:
  /// `checked`: the bodies belong to a check build; for others nothing is poisoned.
  explicit running_bodies(bool checked);
  ~running_bodies();
  running_bodies(const running_bodies&) = delete;
  running_bodies& operator=(const running_bodies&) = delete;

 private:
  bool counts_;
};

/// The iterations of one thread. The process runs one iteration at a time, since all threads share the
/// shadow.
class iteration {
 public:
  /// Waits until no other iteration runs, then poisons all regions.
  void begin();
  /// Lets the running iteration touch these bytes.
  void allow(const void* first, std::size_t size);
  void end();

 private:
  std::unique_lock<std::mutex> turn_;
};

/// Makes the sanitizer call `explain(report)` on a stray access, before it ends the program.
void explain_by(void (*explain)(const char* report));
/// The address of that access.
[[nodiscard]] const std::byte* stray_address();

}  // namespace stradsap::rt::poison
