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
      states_(count, state::untouched) {}

element_copies::~element_copies() {
  if (how_.shape == nullptr) return;
  for (std::uint32_t copy = 0; copy < states_.size(); ++copy) {
    if (states_[copy] != state::untouched) ops_.destroy(at(copy, 0), size_);
  }
}

bool element_copies::fits(const replica& of, const abi::accumulation& how, std::uint32_t count) const {
  return &how == &how_ && of.size() == size_ && states_.size() == count;
}

void element_copies::begin(std::uint32_t copy, const replica& of) {
  const state before = std::exchange(states_[copy], state::begun);
  const bool is_neutral = before == state::begun || before == state::neutral ||
                          (before == state::untouched && how_.begin == nullptr);
  if (is_neutral && how_.shape == nullptr) return;
  const poison::opened now(at(copy, 0), size_ * element_);
  if (before == state::used) clear(copy);
  if (before == state::untouched && how_.begin != nullptr) how_.begin(at(copy, 0), size_);
  if (how_.shape == nullptr) return;
  const poison::opened elements(of.at(0), size_ * element_);
  how_.shape(at(copy, 0), of.at(0), size_);
}

void element_copies::end(bool drained) {
  for (state& one : states_) {
    if (one == state::begun) one = drained ? state::neutral : state::used;
  }
}

void element_copies::clear(std::uint32_t copy) const {
  if (how_.clear != nullptr) {
    how_.clear(at(copy, 0), size_);
  } else if (how_.begin == nullptr) {
    std::memset(at(copy, 0), 0, size_ * element_);
  } else {
    how_.begin(at(copy, 0), size_);
  }
}

/// Touched copies have the shape of the elements, so one of them tells the memory of each.
std::size_t element_copies::size_bytes() const {
  std::size_t all = states_.size() * stride_;
  std::size_t own = 0;
  for (std::uint32_t copy = 0; copy < states_.size() && how_.size_bytes != nullptr; ++copy) {
    if (states_[copy] == state::untouched) continue;
    if (own == 0) own = how_.size_bytes(at(copy, 0), size_);
    all += own;
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

void copies_store::keep(std::unique_ptr<element_copies> copies, bool drained) {
  copies->end(drained);
  kept_.push_back(std::move(copies));
  std::size_t all = 0;
  for (const auto& one : kept_) all += one->size_bytes();
  for (auto oldest = kept_.begin(); all > most_kept_bytes; oldest = kept_.erase(oldest))
    all -= (*oldest)->size_bytes();
}

}  // namespace stradsap::rt
