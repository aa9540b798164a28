#include "runtime/net/doorbell.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace stradsap::rt {

static std::string path_of(const std::string& run_dir, rank_id of) {
  return fmt::format("{}/rank.{}.doorbell", run_dir, of);
}

doorbell::~doorbell() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool doorbell::make(const std::string& run_dir, rank_id of) {
  return ::mkfifo(path_of(run_dir, of).c_str(), 0600) == 0 && open(run_dir, of);
}

/// Opens for reading as well: a write to a FIFO without a reader kills the process by a signal.
bool doorbell::open(const std::string& run_dir, rank_id of) {
  if (descriptor_ >= 0) return true;
  descriptor_ = ::open(path_of(run_dir, of).c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  return descriptor_ >= 0;
}

// If the FIFO is full, the doorbell has been rung already.
void doorbell::ring() const {
  const char one = 1;
  [[maybe_unused]] const auto written = ::write(descriptor_, &one, 1);
}

void doorbell::hush() const {
  char rung[256];
  [[maybe_unused]] const auto got = ::read(descriptor_, rung, sizeof rung);
}

}  // namespace stradsap::rt
