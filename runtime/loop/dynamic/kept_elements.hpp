// Copies of the elements that updates are about to change, to compare with them afterwards: the elements at
// the indices of some iterations, of one container. Thread rule: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include "runtime/dds/replica.hpp"

namespace stradsap::rt {

class kept_elements {
 public:
  /// Room for `most` elements of the container.
  kept_elements(const replica& of, std::size_t most) : replica_(of), most_(most) {
    // the second half: elements after updates
    memory_ =
        static_cast<std::byte*>(::operator new(2 * most * of.ops().size, std::align_val_t(of.ops().align)));
    of.ops().construct(memory_, 2 * most);
  }
  ~kept_elements() {
    replica_.ops().destroy(memory_, 2 * most_);
    ::operator delete(memory_, std::align_val_t(replica_.ops().align));
  }
  kept_elements(const kept_elements&) = delete;
  kept_elements& operator=(const kept_elements&) = delete;

  /// Copies elements [first, first + n). The copies are number `at` and the following ones.
  void keep(std::uint64_t first, std::size_t n, std::size_t at = 0) {
    const std::size_t size = replica_.ops().size;
    const poison::opened elements(replica_.at(first), n * size);
    for (std::size_t i = 0; i < n; ++i) replica_.ops().assign(copy(at + i), replica_.at(first + i));
  }
  /// Adds to `squared`, for each of n elements, the squared distance from its copy.
  void add_distances(std::uint64_t first, std::size_t n, double* squared, std::size_t at = 0) const {
    const poison::opened elements(replica_.at(first), n * replica_.ops().size);
    replica_.ops().add_distances(copy(at), replica_.at(first), n, squared);
  }
  /// The same for elements that do not follow each other. The copies are number 0 and the following ones.
  void keep(std::span<const std::uint32_t> elements) {
    if (gathers()) return gather(elements, copy(0));
    for (std::size_t i = 0; i < elements.size(); ++i) keep(elements[i], 1, i);
  }
  void add_distances(std::span<const std::uint32_t> elements, double* squared) {
    if (gathers()) {
      gather(elements, copy(most_));
      return replica_.ops().add_distances(copy(0), copy(most_), elements.size(), squared);
    }
    for (std::size_t i = 0; i < elements.size(); ++i) add_distances(elements[i], 1, squared + i, i);
  }
  /// Whether the element may differ from its copy in some bit. Elements that own memory are not compared.
  [[nodiscard]] bool may_differ(std::uint64_t element, std::size_t at) const {
    const bool is_bytes = replica_.ops().own.assign == nullptr;
    return !is_bytes || std::memcmp(replica_.at(element), copy(at), replica_.ops().size) != 0;
  }
  /// Gives an element the value of copy number `at`.
  void restore(std::uint64_t element, std::size_t at) const {
    replica_.ops().assign(const_cast<replica&>(replica_).at(element), copy(at));
  }

 private:
  /// Whether elements are compared side by side. A call for each would take longer than a short update.
  [[nodiscard]] bool gathers() const {
    return replica_.ops().own.assign == nullptr && !poison::is_possible();
  }
  void gather(std::span<const std::uint32_t> elements, std::byte* to) const {
    const std::size_t size = replica_.ops().size;
    if (size == sizeof(float)) return gather_by<sizeof(float)>(elements, to);
    if (size == sizeof(double)) return gather_by<sizeof(double)>(elements, to);
    for (std::size_t i = 0; i < elements.size(); ++i)
      std::memcpy(to + i * size, replica_.at(elements[i]), size);
  }
  template <std::size_t Size> void gather_by(std::span<const std::uint32_t> elements, std::byte* to) const {
    for (std::size_t i = 0; i < elements.size(); ++i)
      std::memcpy(to + i * Size, replica_.at(elements[i]), Size);
  }
  [[nodiscard]] std::byte* copy(std::size_t i) const { return memory_ + i * replica_.ops().size; }

  const replica& replica_;
  const std::size_t most_;
  std::byte* memory_;
};

}  // namespace stradsap::rt
