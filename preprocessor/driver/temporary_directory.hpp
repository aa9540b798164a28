// A folder of our own under TMPDIR that goes away with its owner.
#pragma once

#include <filesystem>
#include <string>

namespace stradsap::pp {

class temporary_directory {
 public:
  /// Makes a fresh folder below `parent`; throws std::filesystem::filesystem_error if it cannot.
  explicit temporary_directory(const std::string& parent);
  ~temporary_directory();
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Writes all of a file or nothing: aside first, then renamed. A device or a pipe is written as it is, never
/// replaced. An error message, or nothing.
std::string write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace stradsap::pp
