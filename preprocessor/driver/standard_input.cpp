#include "driver/standard_input.hpp"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <system_error>

namespace stradsap::pp {

[[noreturn]] static void fail() {
  throw std::system_error(errno, std::generic_category(), "cannot read standard input");
}

static void write_all(int file, const char* data, ssize_t size) {
  while (size > 0) {
    const ssize_t n = write(file, data, static_cast<std::size_t>(size));
    if (n < 0 && errno != EINTR) fail();
    if (n > 0) data += n, size -= n;
  }
}

void keep_standard_input() {
  const int copy = memfd_create("standard input", MFD_CLOEXEC);
  if (copy < 0) fail();
  char buffer[65536];
  for (ssize_t n = 0; (n = read(STDIN_FILENO, buffer, sizeof buffer)) != 0;) {
    if (n < 0 && errno != EINTR) fail();
    write_all(copy, buffer, n);
  }
  if (dup2(copy, STDIN_FILENO) < 0) fail();
  close(copy);
  rewind_standard_input();
}

void rewind_standard_input() { (void)lseek(STDIN_FILENO, 0, SEEK_SET); }

}  // namespace stradsap::pp
