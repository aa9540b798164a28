#include "runtime/files/descriptor.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace stradsap::rt {

void fail_to_read(const std::string& name) {
  throw error(errc::bad_input, fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
}
void fail_to_write(const std::string& name) {
  throw error(errc::output, fmt::format("{}: cannot be written: {}", name, std::strerror(errno)));
}

descriptor descriptor::to_read(const std::string& path) {
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe must not wait
  if (number < 0) fail_to_read(path);
  descriptor file(number, path);
  struct stat about{};
  if (::fstat(number, &about) != 0) fail_to_read(path);
  if (!S_ISREG(about.st_mode))
    throw error(errc::bad_input,
                path + (S_ISDIR(about.st_mode) ? ": is a directory" : ": is not a regular file"));
  return file;
}

descriptor descriptor::to_write(const std::string& path, const std::string& name) {
  const int number = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (number < 0) fail_to_write(name);
  return {number, name};
}

descriptor descriptor::to_make(const std::string& path, const std::string& name) {
  const int number = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (number < 0) fail_to_write(name);
  return {number, name};
}

descriptor::~descriptor() {
  if (number_ >= 0) ::close(number_);
}
descriptor::descriptor(descriptor&& other) noexcept
    : number_(std::exchange(other.number_, -1)), name_(std::move(other.name_)) {}

std::uint64_t descriptor::size() const {
  struct stat about{};
  if (::fstat(number_, &about) != 0) fail_to_read(name_);
  return static_cast<std::uint64_t>(about.st_size);
}

void descriptor::read(void* to, std::uint64_t from, std::uint64_t size) const {
  auto* at = static_cast<char*>(to);
  while (size != 0) {
    const ssize_t got = ::pread(number_, at, size, static_cast<off_t>(from));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_read(name_);
    if (got == 0) throw error(errc::bad_input, name_ + ": became shorter while it was read");
    at += got;
    from += static_cast<std::uint64_t>(got);
    size -= static_cast<std::uint64_t>(got);
  }
}

void descriptor::write(const void* data, std::uint64_t from, std::uint64_t size) const {
  const auto* at = static_cast<const char*>(data);
  while (size != 0) {
    const ssize_t put = ::pwrite(number_, at, size, static_cast<off_t>(from));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_to_write(name_);
    at += put;
    from += static_cast<std::uint64_t>(put);
    size -= static_cast<std::uint64_t>(put);
  }
}

void descriptor::reserve(std::uint64_t size) const {
  if (size == 0 || ::fallocate(number_, 0, 0, static_cast<off_t>(size)) == 0) return;
  if (errno == ENOSPC || errno == EFBIG || errno == EDQUOT) fail_to_write(name_);
}

void descriptor::sync() const {
  if (::fsync(number_) != 0) fail_to_write(name_);
}

}  // namespace stradsap::rt
