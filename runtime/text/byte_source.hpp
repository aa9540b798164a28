// Files as bytes: read at an offset, or from the beginning, which undoes gzip and zstd.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace stradsap::rt {

/// A file or its bytes cannot be read. The message does not name the file.
struct unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class byte_source {
 public:
  virtual ~byte_source() = default;
  /// Fills `to`, except at the end of the stream; returns the number of bytes. Throws unreadable.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

class open_file {
 public:
  /// Reads a pipe into memory. Throws unreadable; also for a directory.
  explicit open_file(const std::string& path);
  ~open_file();
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Nanoseconds.
  [[nodiscard]] std::int64_t changed() const { return changed_; }
  /// Reads `size` bytes, or those up to the end of the file; returns their number. Throws unreadable.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) const;
  /// Throws unreadable if the file has changed since it was opened.
  void require_unchanged() const;
  [[nodiscard]] bool is_pipe() const { return is_pipe_; }
  [[nodiscard]] bool is_compressed() const;
  /// The contents from the beginning, decompressed, as long as this file is open. Throws unreadable.
  [[nodiscard]] std::unique_ptr<byte_source> contents() const;

 private:
  enum class packing { none, gzip, zstd };
  [[nodiscard]] packing packed() const;

  int file_;
  bool is_pipe_ = false;
  std::uint64_t size_ = 0;
  std::int64_t changed_ = 0;
};

}  // namespace stradsap::rt
