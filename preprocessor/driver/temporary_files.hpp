// Files of our own: a folder under TMPDIR that goes away with its owner, and outputs that are whole or
// absent.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stradsap::pp {

/// A folder of our own, made when it is first asked for. One thread, but remove() may come from any.
class temporary_directory {
 public:
  explicit temporary_directory(std::string parent) : parent_(std::move(parent)) {}
  ~temporary_directory();
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  /// Throws std::filesystem::filesystem_error if it cannot be made.
  const std::filesystem::path& path();

  /// A name for it that is the same in every run, valid in this process and in those that it starts: what
  /// compiler caches and objects see. It leads through an open file, so runs at one time do not meet.
  const std::filesystem::path& stable_path();

  /// Whether a folder of that base name is one of ours, of any run.
  static bool is_name(std::string_view name);
  /// What of a path through stable_path() lies below it.
  static std::string name_below(const std::string& path);

  void remove();

 private:
  void make();

  std::string parent_;
  std::filesystem::path path_;
  std::filesystem::path stable_path_;
};

/// Writes all of a file or nothing: aside first, then renamed. A device or a pipe is written as it is, never
/// replaced. An error message, or nothing.
std::string write_file(const std::filesystem::path& path, const std::string& text);

/// All of a file; empty if it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace stradsap::pp
