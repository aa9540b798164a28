// Updates that run free: each executor takes chunks of a list of iterations, and claims the elements of a
// chunk before it runs. It publishes the number of its chunk, then looks at those of other executors, and
// leaves out the iterations that touch an element of these, unless both only read it. Of two executors, the
// one that publishes later sees the chunk of the other one; so none of them writes an element that another
// one touches at that time, and updates have the result of some order one after the other. Thread rule:
// begin() when no executor runs; claim() and release() by the executor.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/loop/dynamic/touched_elements.hpp"
#include "runtime/loop/dynamic/update_order.hpp"

namespace stradsap::rt {

struct claim_shape {
  std::size_t chunk = 0;        // iterations; 0: updates that run free would meet too often
  std::size_t filter_bits = 0;  // a power of two
  bool prefetches = false;      // the elements of a chunk before it runs
};

/// For n iterations on so many executors: few iterations of a chunk are expected to be left out.
[[nodiscard]] claim_shape claim_shape_of(const touched_elements& touched, std::int64_t n, int executors);

class chunk_claims {
 public:
  chunk_claims(const touched_elements& all, const claim_shape& shape, int executors);

  /// The next chunks are those of this list of different iterations, which must stay as it is.
  void begin(const std::vector<candidate>& members);
  [[nodiscard]] std::size_t chunk_size() const { return shape_.chunk; }
  [[nodiscard]] std::size_t num_chunks() const {
    return (members_->size() + shape_.chunk - 1) / shape_.chunk;
  }
  /// The executor claims a chunk, in place of its last one. Returns the members that no other executor's
  /// chunk meets, by their places in the list. Their elements are the executor's until its next claim() or
  /// release().
  [[nodiscard]] const std::vector<std::uint32_t>& claim(int executor, std::size_t chunk);
  void release(int executor) { claimants_[static_cast<std::size_t>(executor)].chunk.store(0); }

 private:
  /// On cache lines of its own: others poll the number.
  struct alignas(128) claimant {
    std::atomic<std::uint64_t> chunk{0};  // plus 1; 0: none
    // a bit for each element of other chunks, by its number
    std::vector<std::uint64_t> written;
    std::vector<std::uint64_t> read;
    std::vector<std::uint64_t> others;  // their chunks
    std::vector<std::uint32_t> apart;
  };

  [[nodiscard]] std::size_t first_of(std::size_t chunk) const { return chunk * shape_.chunk; }
  [[nodiscard]] std::size_t end_of(std::size_t chunk) const;
  [[nodiscard]] std::size_t word_of(std::uint32_t unit) const {
    return (unit & (shape_.filter_bits - 1)) / 64;
  }
  void expect(std::size_t chunk) const;
  void mark(claimant& by, std::size_t chunk) const;
  void clear(claimant& by, std::size_t chunk) const;
  [[nodiscard]] bool has_some(const std::vector<std::uint64_t>& filter,
                              std::span<const std::uint32_t> units) const;
  [[nodiscard]] bool meets(const claimant& by, std::int64_t j) const;

  const touched_elements& all_;
  const claim_shape shape_;
  const std::vector<candidate>* members_ = nullptr;
  std::vector<claimant> claimants_;
};

}  // namespace stradsap::rt
