// Copies of a dvector's elements that start neutral. A store keeps them for the next launch, so a launch
// makes no memory. A copy is made neutral when its first block opens it, so that it is in the cache of the
// executor that adds into it. Thread rule: one thread at a time, except that one executor at a time uses a
// copy.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <stradsap/abi/abi.hpp>

#include "runtime/dds/address_range.hpp"
#include "runtime/dds/poison.hpp"
#include "runtime/dds/replica.hpp"

namespace stradsap::rt {

class element_copies {
 public:
  static constexpr std::size_t cache_lines = 128;  // that no two copies share

  /// `count` copies of the elements of `of`. Pages cost memory only if they are touched.
  element_copies(const replica& of, const abi::accumulation& how, std::uint32_t count);
  ~element_copies();
  element_copies(const element_copies&) = delete;
  element_copies& operator=(const element_copies&) = delete;

  /// Whether these copies serve as `count` copies of the elements of `of`.
  [[nodiscard]] bool fits(const replica& of, const abi::accumulation& how, std::uint32_t count) const;
  /// Element `i` of a copy that has begun.
  [[nodiscard]] std::byte* at(std::uint32_t copy, std::uint64_t i) const {
    return memory_.base() + copy * stride_ + i * element_;
  }
  [[nodiscard]] bool has_begun(std::uint32_t copy) const { return states_[copy] == state::begun; }
  /// Makes a copy neutral, unless it has begun, and gives it the shape of the elements of `of`.
  void begin(std::uint32_t copy, const replica& of);
  /// No copy has begun. The next begin() of a copy makes it neutral again, unless the fold did (`drained`).
  void end(bool drained);
  /// Of all copies, with memory that elements own. Untouched addresses cost nothing.
  [[nodiscard]] std::size_t size_bytes() const;

 private:
  enum class state : char { untouched, neutral, used, begun };  // `used`: has additions of an earlier launch

  void clear(std::uint32_t copy) const;

  const abi::accumulation& how_;
  const abi::element_ops& ops_;
  const std::uint64_t size_;   // elements
  const std::size_t element_;  // bytes
  const std::size_t stride_;
  address_range memory_;
  poison::region poisoned_;
  std::vector<state> states_;  // by copy
};

/// Copies between launches. The least recently used ones go if all together are too large.
class copies_store {
 public:
  [[nodiscard]] std::unique_ptr<element_copies> take(const replica& of, const abi::accumulation& how,
                                                     std::uint32_t count);
  /// `drained`: the fold has left them neutral.
  void keep(std::unique_ptr<element_copies> copies, bool drained);

 private:
  std::vector<std::unique_ptr<element_copies>> kept_;  // the least recently used first
};

}  // namespace stradsap::rt
