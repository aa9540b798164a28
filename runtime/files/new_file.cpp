#include "runtime/files/new_file.hpp"

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "runtime/files/descriptor.hpp"

namespace stradsap::rt {

/// In the same folder, so that a rename moves no bytes. The process id keeps two runs apart.
static std::string beside(const std::string& path) {
  const std::filesystem::path place(path);
  const std::string name = fmt::format(".{}.{}.part", place.filename().string(), ::getpid());
  return (place.parent_path() / name).string();
}

new_file::new_file(std::string path) : path_(std::move(path)), aside_(beside(path_)) {
  (void)descriptor::to_make(aside_, path_);
}

new_file::~new_file() {
  if (!aside_.empty()) ::unlink(aside_.c_str());
}
new_file::new_file(new_file&& other) noexcept
    : path_(std::move(other.path_)), aside_(std::exchange(other.aside_, {})) {}

/// A rename is durable when its folder is.
static void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int number = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number < 0) return;
  (void)::fsync(number);  // some file systems cannot
  ::close(number);
}

void new_file::complete() {
  descriptor::to_write(aside_, path_).sync();
  if (std::rename(aside_.c_str(), path_.c_str()) != 0) fail_to_write(path_);
  aside_.clear();
  sync_folder_of(path_);
}

void make_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed)
    throw error(errc::output, fmt::format("{}: the folder cannot be made: {}", path, failed.message()));
}

}  // namespace stradsap::rt
