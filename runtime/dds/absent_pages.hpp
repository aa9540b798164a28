// Check builds on several ranks, without AddressSanitizer: while blocks run, nobody can read or write the
// pages of groups that this rank does not hold. Groups come and go with their tokens. A page is closed only
// where all of it is absent, so groups below 4 KiB are never seen; docs/decisions/poison.md says what sees
// them. Thread rule: thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/mutex.hpp"

namespace stradsap::rt {

class absent_pages {
 public:
  absent_pages() = default;
  /// All pages are open again.
  ~absent_pages();
  absent_pages(const absent_pages&) = delete;
  absent_pages& operator=(const absent_pages&) = delete;

  /// These elements, which lie side by side, are not here.
  void close(const std::byte* first, std::size_t size);
  /// They are about to come.
  void open(const std::byte* first, std::size_t size);

 private:
  struct extent {
    std::uintptr_t begin;
    std::uintptr_t end;
  };

  mutex mutex_;
  std::vector<extent> closed_ GUARDED_BY(mutex_);  // that were closed once
};

}  // namespace stradsap::rt
