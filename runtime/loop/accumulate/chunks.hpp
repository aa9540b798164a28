// Chunks: neighbouring elements that shards copy, compare and fold together. A chunk has about 256 bytes, or
// one element. The encoding of a changed chunk has only the words that changed. Thread rule: values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/dds/replica.hpp"

namespace stradsap::rt {

/// Whether the elements are plain bytes: copies of them need no constructor.
[[nodiscard]] inline bool is_bytes(const abi::element_ops& ops) {
  return ops.own.copy == nullptr && ops.own.destroy == nullptr && ops.own.assign == nullptr;
}

/// The chunks of a container.
class chunking {
 public:
  explicit chunking(const replica& local) : chunking(local.size(), local.ops()) {}
  chunking(std::uint64_t size, const abi::element_ops& ops) : size_(size), element_size_(ops.size) {
    if (!is_bytes(ops)) return;
    while ((element_size_ << (shift_ + 1)) <= chunk_bytes) ++shift_;
  }

  [[nodiscard]] std::uint64_t num_elements() const { return size_; }
  [[nodiscard]] std::uint64_t num_chunks() const {
    return (size_ + (std::uint64_t{1} << shift_) - 1) >> shift_;
  }
  [[nodiscard]] std::uint64_t chunk_of(std::uint64_t element) const { return element >> shift_; }
  [[nodiscard]] std::uint64_t begin(std::uint64_t chunk) const { return chunk << shift_; }
  [[nodiscard]] std::uint64_t end(std::uint64_t chunk) const {
    return std::min(size_, (chunk + 1) << shift_);
  }
  /// Position of the chunk's first byte in the container, and the number of its bytes.
  [[nodiscard]] std::size_t offset(std::uint64_t chunk) const { return begin(chunk) * element_size_; }
  [[nodiscard]] std::size_t bytes_of(std::uint64_t chunk) const {
    return (end(chunk) - begin(chunk)) * element_size_;
  }
  /// Bytes of the words of a difference: no word has parts of two elements, which may have two owners.
  [[nodiscard]] std::size_t word_bytes() const {
    return element_size_ % 4 == 0 ? 4 : element_size_ % 2 == 0 ? 2 : 1;
  }
  /// Elements of all chunks but perhaps the last.
  [[nodiscard]] std::size_t most_elements() const { return std::size_t{1} << shift_; }
  /// Their bytes.
  [[nodiscard]] std::size_t most_bytes() const { return element_size_ << shift_; }

 private:
  static constexpr std::size_t chunk_bytes = 256;

  std::uint64_t size_;
  std::size_t element_size_;
  unsigned shift_ = 0;
};

/// A chunk that a shard changed, with its elements at the shard's end: as they are if they are plain bytes.
/// Otherwise its one element, or the encoding of that.
struct changed_chunk {
  std::uint64_t chunk;
  const std::byte* end;
  std::size_t size;         // of `end`
  bool is_element = false;  // `end` is an element that is no plain bytes
};

/// The changes of one shard in one container, in the order of chunks. It reuses its memory from batch to
/// batch.
class shard_changes {
 public:
  void clear();
  /// Adds a chunk; copies the bytes.
  void add(std::uint64_t chunk, const std::byte* end, std::size_t size);
  /// The same without values: `size` bytes for the caller to write.
  [[nodiscard]] std::byte* add(std::uint64_t chunk, std::size_t size);
  /// Adds a chunk that is not copied: its elements stay there until the fold.
  void refer(const changed_chunk& one) { chunks_.push_back(one); }
  [[nodiscard]] const std::vector<changed_chunk>& all() const { return chunks_; }
  /// Drops the chunks with a set bit at their place in the list.
  void drop(const std::vector<bool>& dropped);

 private:
  static constexpr std::size_t piece_bytes = std::size_t{64} << 10;
  struct piece {
    std::unique_ptr<std::byte[]> first;
    std::size_t size;
  };

  std::vector<changed_chunk> chunks_;
  std::vector<piece> pieces_;
  std::size_t piece_ = 0;  // the one in use
  std::size_t used_ = 0;   // its bytes in use
};

/// Encodes the words of `word` bytes by which `size` bytes at `end` differ from those at `start`.
void write_difference(abi::writer& out, const std::byte* start, const std::byte* end, std::size_t size,
                      std::size_t word);
/// Replaces these words in the `size` bytes at `to`. Throws error(errc::decode).
void read_difference(abi::reader& in, std::byte* to, std::size_t size, std::size_t word);

}  // namespace stradsap::rt
