// One file of a checkpoint, written from its begin to its end. Thread rule: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/files/descriptor.hpp"

struct XXH3_state_s;

namespace stradsap::rt {

/// The size of a file, and a hash of its bytes (XXH3, 64 bits).
struct file_sum {
  std::uint64_t size_bytes = 0;
  std::uint64_t hash = 0;
  bool operator==(const file_sum&) const = default;
};

/// Hashes bytes piece by piece.
class running_hash {
 public:
  running_hash();
  ~running_hash();
  running_hash(const running_hash&) = delete;
  running_hash& operator=(const running_hash&) = delete;

  void add(const void* data, std::size_t size);
  [[nodiscard]] std::uint64_t value() const;

 private:
  XXH3_state_s* state_;
};

class hashed_file {
 public:
  /// Makes the file; `name` stands in messages. All functions throw error(errc::output).
  hashed_file(const std::string& path, const std::string& name) : file_(descriptor::to_make(path, name)) {}

  void append(const void* data, std::size_t size);
  /// Makes the bytes durable.
  [[nodiscard]] file_sum complete();

 private:
  descriptor file_;
  running_hash hash_;
  std::uint64_t size_ = 0;
};

/// The sum of a file. Throws error(errc::bad_input).
[[nodiscard]] file_sum sum_of_file(const std::string& path);

}  // namespace stradsap::rt
