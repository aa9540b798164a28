// For check builds on several ranks without AddressSanitizer: while blocks run, the pages of groups that this
// rank does not hold are closed to all accesses. Groups open and close with their tokens.
// A page is closed only if all of it is absent, so groups below 4 KiB are never closed.
// docs/decisions/poison.md names the check for these. Thread rule: thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/mutex.hpp"

namespace stradsap::rt {

class absent_pages {
 public:
  absent_pages() = default;
  /// Opens all pages.
  ~absent_pages();
  absent_pages(const absent_pages&) = delete;
  absent_pages& operator=(const absent_pages&) = delete;

  /// Closes these bytes: the elements are not here.
  void close(const std::byte* first, std::size_t size);
  /// Opens these bytes: the elements are about to arrive.
  void open(const std::byte* first, std::size_t size);

 private:
  struct extent {
    std::uintptr_t begin;
    std::uintptr_t end;
  };

  mutex mutex_;
  std::vector<extent> closed_ GUARDED_BY(mutex_);  // closed at least once
};

}  // namespace stradsap::rt
