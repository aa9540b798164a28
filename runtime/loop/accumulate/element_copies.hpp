// Copies of a dvector's elements that start neutral. After a fold they are neutral again, and a store keeps
// them for the next launch. So a launch makes no memory. Thread rule: one thread at a time, except that one
// executor at a time uses a copy.
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

  /// Whether these copies, if neutral, serve as `count` copies of the elements of `of`.
  [[nodiscard]] bool fits(const replica& of, const abi::accumulation& how, std::uint32_t count) const;
  /// Element `i` of a copy that has begun.
  [[nodiscard]] std::byte* at(std::uint32_t copy, std::uint64_t i) const {
    return memory_.base() + copy * stride_ + i * element_;
  }
  [[nodiscard]] bool has_begun(std::uint32_t copy) const { return has_begun_[copy] != 0; }
  /// Makes a copy neutral, unless it has begun, and gives it the shape of the elements of `of`.
  void begin(std::uint32_t copy, const replica& of);
  /// Makes elements of a copy that has begun neutral again.
  void clear(std::uint32_t copy, std::uint64_t begin, std::uint64_t end) const;
  /// Of all copies, with memory that elements own. Untouched addresses cost nothing.
  [[nodiscard]] std::size_t size_bytes() const;

 private:
  const abi::accumulation& how_;
  const abi::element_ops& ops_;
  const std::uint64_t size_;   // elements
  const std::size_t element_;  // bytes
  const std::size_t stride_;
  address_range memory_;
  poison::region poisoned_;
  std::vector<char> has_begun_;  // by copy
};

/// Neutral copies between launches. The least recently used ones go if all together are too large.
class copies_store {
 public:
  [[nodiscard]] std::unique_ptr<element_copies> take(const replica& of, const abi::accumulation& how,
                                                     std::uint32_t count);
  void keep(std::unique_ptr<element_copies> neutral);

 private:
  std::vector<std::unique_ptr<element_copies>> kept_;  // the least recently used first
};

}  // namespace stradsap::rt
