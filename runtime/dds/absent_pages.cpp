#include "runtime/dds/absent_pages.hpp"

#include <cerrno>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/check.hpp"

namespace stradsap::rt {

static std::uintptr_t page_size() {
  static const auto size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

/// Opens the pages from that of `begin` to that of the last byte.
static void open_pages(std::uintptr_t begin, std::uintptr_t end) {
  begin = begin / page_size() * page_size();
  if (begin >= end) return;
  [[maybe_unused]] const int refused =
      ::mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE);
  STRADSAP_ASSERT(refused == 0, "mprotect: {}", std::strerror(errno));
}

absent_pages::~absent_pages() {
  const lock_guard hold(mutex_);
  for (const extent& one : closed_) open_pages(one.begin, one.end);
}

/// If the system refuses, as beyond its number of mappings, stray accesses there stay unseen; nothing else
/// changes.
void absent_pages::close(const std::byte* first, std::size_t size) {
  const lock_guard hold(mutex_);
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t from = (begin + page_size() - 1) / page_size() * page_size();
  const std::uintptr_t to = (begin + size) / page_size() * page_size();
  if (from >= to) return;
  closed_.push_back({from, to});
  (void)::mprotect(reinterpret_cast<void*>(from), to - from, PROT_NONE);
}

void absent_pages::open(const std::byte* first, std::size_t size) {
  const lock_guard hold(mutex_);
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  open_pages(begin, begin + size);
}

}  // namespace stradsap::rt
