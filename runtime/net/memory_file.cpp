#include "runtime/net/memory_file.hpp"

#include <cerrno>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace stradsap::rt {

mapping::~mapping() {
  if (first_ != nullptr) ::munmap(first_, size_);
}

std::optional<mapping> mapping::of(int descriptor, std::size_t offset, std::size_t size, int times) {
  const std::size_t all = size * static_cast<std::size_t>(times);
  void* const at = ::mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return std::nullopt;
  mapping made(static_cast<std::byte*>(at), all);
  for (std::size_t begin = 0; begin < all; begin += size) {
    void* const copy = ::mmap(made.first_ + begin, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                              descriptor, static_cast<off_t>(offset));
    if (copy == MAP_FAILED) return std::nullopt;
  }
  return made;
}

std::optional<mapping> mapping::to_read(int descriptor, std::size_t size) {
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (at == MAP_FAILED) return std::nullopt;
  return mapping(static_cast<std::byte*>(at), size);
}

/// Whether the process may write a file of this size. A longer one would end it by a signal.
static bool may_be_as_long(std::size_t size) {
  rlimit most{};
  return ::getrlimit(RLIMIT_FSIZE, &most) == 0 && (most.rlim_cur == RLIM_INFINITY || most.rlim_cur >= size);
}

std::optional<memory_file> memory_file::make(const char* kind) {
  const int descriptor = ::memfd_create(kind, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return std::nullopt;
  return memory_file(descriptor);
}

// The file is examined before it is opened, because opening some files has effects.
std::optional<memory_file> memory_file::open(std::int32_t process, std::int32_t descriptor, const char* kind,
                                             access how) {
  const std::string path = fmt::format("/proc/{}/fd/{}", process, descriptor);
  char target[64];
  const auto length = ::readlink(path.c_str(), target, sizeof target);
  if (length <= 0) return std::nullopt;
  const std::string_view named(target, static_cast<std::size_t>(length));
  if (!named.starts_with(fmt::format("/memfd:{}", kind))) return std::nullopt;
  const int opened = ::open(path.c_str(), (how == access::read ? O_RDONLY : O_RDWR) | O_CLOEXEC);
  if (opened < 0) return std::nullopt;
  return memory_file(opened);
}

memory_file::~memory_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool memory_file::resize(std::size_t size) {
  if (!may_be_as_long(size) || ::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return false;
  size_ = size;
  return true;
}

bool memory_file::append(std::span<const std::byte> more) {
  if (!may_be_as_long(size_ + more.size())) return false;
  while (!more.empty()) {
    const ssize_t written = ::pwrite(descriptor_, more.data(), more.size(), static_cast<off_t>(size_));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    size_ += static_cast<std::size_t>(written);
    more = more.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

bool memory_file::seal(int seals) const {
  constexpr int most_tries = 20;  // the system may hold a page for a moment, and waits for it a while
  int result = -1;
  for (int k = 0; k < most_tries && result != 0 && (k == 0 || errno == EBUSY); ++k)
    result = ::fcntl(descriptor_, F_ADD_SEALS, seals);
  return result == 0;
}

bool memory_file::is(std::size_t size, int seals) const {
  struct stat file{};
  return ::fstat(descriptor_, &file) == 0 && static_cast<std::size_t>(file.st_size) == size &&
         (::fcntl(descriptor_, F_GET_SEALS) & seals) == seals;
}

}  // namespace stradsap::rt
