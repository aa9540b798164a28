#include "runtime/loop/accumulate/element_copies.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace stradsap::rt {

static std::size_t stride_of(const replica& of) {
  constexpr std::size_t lines = element_copies::cache_lines;
  return (of.size() * of.ops().size + lines - 1) / lines * lines;
}

element_copies::element_copies(const replica& of, const abi::accumulation& how, std::uint32_t count)
    : how_(how),
      ops_(of.ops()),
      size_(of.size()),
      element_(of.ops().size),
      stride_(stride_of(of)),
      memory_(count * stride_),
      poisoned_(memory_.base(), count * stride_),
      has_begun_(count) {}

element_copies::~element_copies() {
  if (how_.shape == nullptr) return;
  for (std::uint32_t copy = 0; copy < has_begun_.size(); ++copy) {
    if (has_begun(copy)) ops_.destroy(at(copy, 0), size_);
  }
}

bool element_copies::fits(const replica& of, const abi::accumulation& how, std::uint32_t count) const {
  return &how == &how_ && of.size() == size_ && has_begun_.size() == count;
}

void element_copies::begin(std::uint32_t copy, const replica& of) {
  const bool has_begun = std::exchange(has_begun_[copy], char{1}) != 0;
  if ((has_begun || how_.begin == nullptr) && how_.shape == nullptr) return;
  const poison::opened now(at(copy, 0), size_ * element_);
  if (!has_begun) how_.begin(at(copy, 0), size_);
  if (how_.shape == nullptr) return;
  const poison::opened elements(of.at(0), size_ * element_);
  how_.shape(at(copy, 0), of.at(0), size_);
}

void element_copies::clear(std::uint32_t copy, std::uint64_t begin, std::uint64_t end) const {
  if (how_.clear != nullptr) {
    how_.clear(at(copy, begin), end - begin);
  } else if (how_.begin == nullptr) {
    std::memset(at(copy, begin), 0, (end - begin) * element_);
  } else {
    how_.begin(at(copy, begin), end - begin);
  }
}

std::size_t element_copies::size_bytes() const {
  std::size_t all = has_begun_.size() * stride_;
  for (std::uint32_t copy = 0; copy < has_begun_.size() && how_.size_bytes != nullptr; ++copy) {
    if (has_begun(copy)) all += how_.size_bytes(at(copy, 0), size_);
  }
  return all;
}

static constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;

std::unique_ptr<element_copies> copies_store::take(const replica& of, const abi::accumulation& how,
                                                   std::uint32_t count) {
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const auto& copies) { return copies->fits(of, how, count); });
  if (found == kept_.end()) return std::make_unique<element_copies>(of, how, count);
  std::unique_ptr<element_copies> taken = std::move(*found);
  kept_.erase(found);
  return taken;
}

void copies_store::keep(std::unique_ptr<element_copies> neutral) {
  kept_.push_back(std::move(neutral));
  std::size_t all = 0;
  for (const auto& copies : kept_) all += copies->size_bytes();
  for (auto oldest = kept_.begin(); all > most_kept_bytes; oldest = kept_.erase(oldest))
    all -= (*oldest)->size_bytes();
}

}  // namespace stradsap::rt
