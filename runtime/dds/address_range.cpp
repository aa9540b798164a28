#include "runtime/dds/address_range.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <sys/resource.h>

#include <fmt/format.h>
#include <stradsap/error.hpp>

#include "runtime/base/check.hpp"

namespace stradsap::rt {

static constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Null if the system has no such range.
static void* reserve(std::size_t size) {
  void* at =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

address_range::address_range(std::size_t size, std::size_t least, std::size_t advised_from)
    : size_((size + huge_page - 1) / huge_page * huge_page) {
  if (size_ == 0) return;
  mapped_ = reserve(mapped_size_ = size_ + huge_page);
  while (mapped_ == nullptr && size_ / 2 >= least) {
    size_ = size_ / (2 * huge_page) * huge_page;
    mapped_ = reserve(mapped_size_ = size_ + huge_page);
  }
  if (mapped_ == nullptr) {
    throw error(errc::cluster,
                fmt::format("cannot reserve {} bytes of addresses: {} (is there a limit, ulimit -v?)",
                            mapped_size_, std::strerror(errno)));
  }
  const auto at = reinterpret_cast<std::uintptr_t>(mapped_);
  base_ = reinterpret_cast<std::byte*>((at + huge_page - 1) / huge_page * huge_page);
  // Small containers stay on small pages: a huge page for each would cost more memory than its speed is
  // worth.
  if (size > huge_page / 4) ::madvise(base_ + advised_from, size_ - advised_from, MADV_HUGEPAGE);
}

address_range::~address_range() {
  if (mapped_ != nullptr) ::munmap(mapped_, mapped_size_);
}

address_range::address_range(address_range&& other) noexcept { *this = std::move(other); }

address_range& address_range::operator=(address_range&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  std::swap(mapped_size_, other.mapped_size_);
  return *this;
}

void address_range::forget(std::size_t begin, std::size_t end) {
  constexpr std::size_t page = 4096;
  begin = (begin + page - 1) / page * page;
  end = end / page * page;
  if (begin >= end) return;
  [[maybe_unused]] const int refused = ::madvise(base_ + begin, end - begin, MADV_DONTNEED);
  STRADSAP_ASSERT(refused == 0, "madvise: {}", std::strerror(errno));
}

/// The size in bytes.
static std::size_t ample_size() {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  constexpr std::size_t most = std::size_t{1} << 30;  // the sanitizer shadows mapped memory
#else
  constexpr std::size_t most = std::size_t{1} << 36;
#endif
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur / 64 < most) {
    return static_cast<std::size_t>(limit.rlim_cur / 64);
  }
  return most;
}

/// Under valgrind, and with vm.overcommit_memory=2, the system grants smaller ranges.
address_range address_range::ample() {
  constexpr std::size_t least = std::size_t{64} << 20;
  return {ample_size(), least, huge_page};
}

address_range address_range::ample_for_several() {
  address_range made;
  try {
    made = ample();
  } catch (const error&) {
    return made;
  }
  ::madvise(made.base_, made.size_, MADV_NOHUGEPAGE);
  return made;
}

address_range address_range::sparse(std::size_t size) {
  address_range made(size);
  if (made.size_ != 0) ::madvise(made.base_, made.size_, MADV_NOHUGEPAGE);
  return made;
}

void address_range::expect_dense(std::size_t size) {
  if (size > huge_page / 4) ::madvise(base_, size_, MADV_HUGEPAGE);
}

}  // namespace stradsap::rt
