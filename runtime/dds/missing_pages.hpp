// Pages of memory that have no content until a thread touches them: by userfaultfd of Linux. The thread
// sleeps in the kernel, also within a system call, until the page is filled. A page becomes visible whole, so
// no thread sees a part of it. Thread rule: one thread at a time, which may be the thread `pages` of this
// class; it calls the supplier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>

#include "runtime/net/wake_event.hpp"

namespace stradsap::rt {

/// The only size of pages that is supported.
inline constexpr std::size_t system_page_bytes = 4096;

/// Finds the content of missing pages.
class page_supplier {
 public:
  /// Threads sleep at these addresses. Fills their pages, or wakes the threads if the pages are there by now.
  virtual void supply(std::span<const std::uintptr_t> touched) = 0;

 protected:
  ~page_supplier() = default;
};

class missing_pages {
 public:
  /// Throws error(errc::unsupported) with the reason if the system refuses. `pages` outlives this.
  explicit missing_pages(page_supplier& pages);
  ~missing_pages();
  missing_pages(const missing_pages&) = delete;
  missing_pages& operator=(const missing_pages&) = delete;

  /// From now on the supplier is asked for the pages without memory in this range, of whole pages. Returns
  /// whether the system grants it.
  [[nodiscard]] bool watch(std::byte* first, std::size_t size) const;
  /// No thread touches the range any more, or it needs no supplier.
  void unwatch(std::byte* first, std::size_t size) const;
  /// Gives these whole pages their content, and wakes the threads that sleep there. They had no memory; else
  /// the process ends.
  void fill(std::byte* first, const std::byte* content, std::size_t size) const;
  /// Wakes the threads that sleep at this address. They sleep again if the page is still missing.
  void wake(std::uintptr_t touched) const;

 private:
  void serve();

  page_supplier& pages_;
  const int descriptor_;
  wake_event stop_;
  std::thread thread_;
};

}  // namespace stradsap::rt
