// An open file. Thread rule: several threads may read and write different bytes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <stradsap/error.hpp>

namespace stradsap::rt {

/// Throws error(code): "NAME: cannot be read: REASON" or "NAME: cannot be written: REASON", by errno.
[[noreturn]] void fail_to_read(const std::string& name);
[[noreturn]] void fail_to_write(const std::string& name);

/// Owns a descriptor. `name` stands in the messages of failures.
class descriptor {
 public:
  /// Opens a regular file. Throws error(errc::bad_input).
  static descriptor to_read(const std::string& path);
  /// Opens a file that exists. Throws error(errc::output).
  static descriptor to_write(const std::string& path, const std::string& name);
  /// Makes a file, and replaces one that an earlier process left. Throws error(errc::output).
  static descriptor to_make(const std::string& path, const std::string& name);
  ~descriptor();
  descriptor(descriptor&& other) noexcept;
  descriptor& operator=(descriptor&&) = delete;

  [[nodiscard]] std::uint64_t size() const;
  /// All of the bytes, or an exception.
  void read(void* to, std::uint64_t from, std::uint64_t size) const;
  void write(const void* data, std::uint64_t from, std::uint64_t size) const;
  /// Takes room on the disk, where the file system can, and waits until all written bytes are on it.
  void reserve(std::uint64_t size) const;
  void sync() const;

 private:
  descriptor(int number, std::string name) : number_(number), name_(std::move(name)) {}
  int number_;
  std::string name_;
};

}  // namespace stradsap::rt
