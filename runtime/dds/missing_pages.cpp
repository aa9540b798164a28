#include "runtime/dds/missing_pages.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>
#include <stradsap/error.hpp>

#include "runtime/base/log.hpp"

namespace stradsap::rt {

[[noreturn]] static void refuse_pages(const char* what) {
  throw error(errc::unsupported, fmt::format("{}: {}", what, std::strerror(errno)));
}

/// By the system call, or else by the device, which administrators can open to users. Both serve system calls
/// of the program, too: with UFFD_USER_MODE_ONLY these would fail at a missing page.
static int open_userfaultfd() {
  const auto by_call = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
  if (by_call >= 0) return by_call;
  const int refusal = errno;
#ifdef USERFAULTFD_IOC_NEW
  const int device = ::open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
#else
  const int device = -1;
  constexpr unsigned long USERFAULTFD_IOC_NEW = 0;
#endif
  const int by_device = device < 0 ? -1 : ::ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK);
  if (device >= 0) ::close(device);
  errno = refusal;
  if (by_device < 0) refuse_pages("userfaultfd");
  return by_device;
}

static int open_page_descriptor() {
  if (::sysconf(_SC_PAGESIZE) != static_cast<long>(system_page_bytes)) {
    errno = EINVAL;
    refuse_pages("pages of another size than 4096 bytes");
  }
  const int descriptor = open_userfaultfd();
  uffdio_api version{};
  version.api = UFFD_API;
  if (::ioctl(descriptor, UFFDIO_API, &version) == 0) return descriptor;
  const int refusal = errno;
  ::close(descriptor);
  errno = refusal;
  refuse_pages("userfaultfd");
}

missing_pages::missing_pages(page_supplier& pages) : pages_(pages), descriptor_(open_page_descriptor()) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // SIGURG asks a thread for its stack. A handler of the program might touch a missing page.
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGURG}) sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { serve(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "pages");
}

missing_pages::~missing_pages() {
  stop_.ring();
  thread_.join();
  ::close(descriptor_);
}

bool missing_pages::watch(std::byte* first, std::size_t size) const {
  uffdio_register range{};
  range.range.start = reinterpret_cast<std::uintptr_t>(first);
  range.range.len = size;
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  if (::ioctl(descriptor_, UFFDIO_REGISTER, &range) != 0) return false;
  const std::uint64_t needed = std::uint64_t{1} << _UFFDIO_COPY | std::uint64_t{1} << _UFFDIO_WAKE;
  if ((range.ioctls & needed) == needed) return true;
  unwatch(first, size);
  return false;
}

void missing_pages::unwatch(std::byte* first, std::size_t size) const {
  uffdio_range range{reinterpret_cast<std::uintptr_t>(first), size};
  if (::ioctl(descriptor_, UFFDIO_UNREGISTER, &range) != 0)
    die(3, fmt::format("pages of a container stay watched: {}", std::strerror(errno)));
}

void missing_pages::fill(std::byte* first, const std::byte* content, std::size_t size) const {
  std::size_t most = size;
  for (std::size_t done = 0; done < size;) {
    uffdio_copy some{};
    some.dst = reinterpret_cast<std::uintptr_t>(first + done);
    some.src = reinterpret_cast<std::uintptr_t>(content + done);
    some.len = std::min(most, size - done);
    if (::ioctl(descriptor_, UFFDIO_COPY, &some) == 0) {
      done += some.len;
    } else if (errno == EAGAIN) {
      if (some.copy > 0) done += static_cast<std::size_t>(some.copy);
    } else if (errno == ENOENT && most > system_page_bytes) {
      most = system_page_bytes;  // the kernel has several mappings there, since the container grew
    } else {
      die(3, fmt::format("a page of a container cannot be filled: {}", std::strerror(errno)));
    }
  }
}

void missing_pages::wake(std::uintptr_t touched) const {
  uffdio_range range{touched / system_page_bytes * system_page_bytes, system_page_bytes};
  (void)::ioctl(descriptor_, UFFDIO_WAKE,
                &range);  // it fails if the range is no longer watched: nobody sleeps
}

void missing_pages::serve() {
  constexpr std::size_t most_at_once = 16;
  pollfd both[] = {{descriptor_, POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}};
  while (true) {
    if (::poll(both, 2, -1) < 0) continue;  // a signal
    if (both[1].revents != 0) return;
    uffd_msg came[most_at_once];
    const auto size = ::read(descriptor_, came, sizeof came);
    std::uintptr_t touched[most_at_once];
    std::size_t count = 0;
    for (std::size_t i = 0; size > 0 && i < static_cast<std::size_t>(size) / sizeof came[0]; ++i) {
      if (came[i].event == UFFD_EVENT_PAGEFAULT) touched[count++] = came[i].arg.pagefault.address;
    }
    if (count != 0) pages_.supply({touched, count});
  }
}

}  // namespace stradsap::rt
