// Temporary files: a folder under TMPDIR that its owner removes. Also files that are written whole or not at
// all.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

namespace stradsap::pp {

/// A temporary folder, made on first use. One thread, except that any thread may call remove().
class temporary_directory {
 public:
  explicit temporary_directory(std::string parent) : parent_(std::move(parent)) {}
  ~temporary_directory();
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  /// Throws std::filesystem::filesystem_error if the folder cannot be made.
  const std::filesystem::path& path();

  /// A name of the folder that is the same in every run, for compiler caches and objects. It is valid in this
  /// process and its children only: it leads through an open file, so simultaneous runs do not meet.
  const std::filesystem::path& stable_path();

  /// Whether a base name has the form of such a folder's, of any run.
  static bool is_name(std::string_view name);
  /// The part of a path through stable_path() that lies below it.
  static std::string name_below(const std::string& path);

  /// Also removes files that other processes make meanwhile.
  void remove();

 private:
  void make();

  std::mutex making_;  // a signal's thread removes no folder that is half made
  std::string parent_;
  std::filesystem::path path_;
  std::filesystem::path stable_path_;
};

/// Writes all of a file or nothing: to another name first, then renames. Writes devices and pipes directly
/// and never replaces them. Returns an error message, or nothing.
std::string write_file(const std::filesystem::path& path, const std::string& text);

/// The contents of a file; empty if it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace stradsap::pp
