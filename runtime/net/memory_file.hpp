// Files of memory, which have no name. Other processes of the same user open them through /proc.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace stradsap::rt {

/// A mapping of a file into memory; the destructor unmaps it.
class mapping {
 public:
  mapping() = default;
  ~mapping();
  mapping(mapping&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  mapping& operator=(mapping&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
    return *this;
  }
  /// Maps `size` bytes from `offset` on, `times` times in sequence; nullopt if there are no addresses.
  [[nodiscard]] static std::optional<mapping> of(int descriptor, std::size_t offset, std::size_t size,
                                                 int times = 1);
  /// Maps the whole file to read, and all its pages at once: a fault for each would take longer.
  [[nodiscard]] static std::optional<mapping> to_read(int descriptor, std::size_t size);
  [[nodiscard]] std::byte* data() const { return first_; }

 private:
  mapping(std::byte* first, std::size_t size) : first_(first), size_(size) {}
  std::byte* first_ = nullptr;
  std::size_t size_ = 0;
};

class memory_file {
 public:
  enum class access : std::uint8_t { read, write };

  /// An empty file; nullopt if the system has none. `kind`: a short text that open() compares.
  [[nodiscard]] static std::optional<memory_file> make(const char* kind);
  /// The file of that kind behind a descriptor of another process, if this user may open it.
  [[nodiscard]] static std::optional<memory_file> open(std::int32_t process, std::int32_t descriptor,
                                                       const char* kind, access how);
  ~memory_file();
  memory_file(memory_file&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}
  memory_file& operator=(memory_file&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(size_, other.size_);
    return *this;
  }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// The bytes that this object has given the file.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Each is false if the system refuses.
  [[nodiscard]] bool resize(std::size_t size);
  /// By the system's copy: a process that writes fresh pages itself takes a fault for each.
  [[nodiscard]] bool append(std::span<const std::byte> more);
  [[nodiscard]] bool seal(int seals) const;
  /// Whether the file has this size and these seals.
  [[nodiscard]] bool is(std::size_t size, int seals) const;

 private:
  explicit memory_file(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
  std::size_t size_ = 0;
};

}  // namespace stradsap::rt
