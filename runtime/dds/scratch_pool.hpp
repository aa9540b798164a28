// Raw memory for copies of elements, for the length of an iteration or a shard. Thread rule: one thread at a
// time.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include <stradsap/abi/abi.hpp>

#include "runtime/dds/poison.hpp"

namespace stradsap::rt {

class scratch_pool {
 public:
  explicit scratch_pool(const abi::element_ops& ops)
      : ops_(&ops), per_chunk_(poison::is_possible() ? 1 : 64) {}
  ~scratch_pool() {
    for (std::byte* chunk : chunks_) ::operator delete(chunk, std::align_val_t(ops_->align));
  }
  scratch_pool(const scratch_pool&) = delete;
  scratch_pool& operator=(const scratch_pool&) = delete;

  /// Room for one element, not constructed; its address is valid until reset().
  std::byte* take() {
    if (used_ == chunks_.size() * per_chunk_) {
      void* chunk = ::operator new(per_chunk_ * ops_->size, std::align_val_t(ops_->align));
      chunks_.push_back(static_cast<std::byte*>(chunk));
    }
    std::byte* at = chunks_[used_ / per_chunk_] + used_ % per_chunk_ * ops_->size;
    ++used_;
    return at;
  }
  /// Frees all room; the caller has destroyed the elements that it constructed.
  void reset() { used_ = 0; }

 private:
  const abi::element_ops* ops_;
  std::size_t per_chunk_;  // 1 under the sanitizer, which guards the bytes around a chunk
  std::vector<std::byte*> chunks_;
  std::size_t used_ = 0;
};

}  // namespace stradsap::rt
