#include "runtime/loop/access_sets.hpp"

#include <utility>

namespace stradsap::rt {

void access_sets::add(std::span<const touch> set) {
  if (size_ == 0) {
    for (const touch& t : set) pattern_.push_back(t.capture);
    rows_.reserve(expected_ * pattern_.size());
  }
  if (uniform_ && !fits(set)) give_up_rows();
  ++size_;
  if (uniform_) {
    for (const touch& t : set) rows_.push_back(static_cast<std::uint32_t>(t.element));
    return;
  }
  touches_.insert(touches_.end(), set.begin(), set.end());
  ends_.push_back(touches_.size());
  // By now the rest can be guessed; growing by doubling would touch twice the memory.
  constexpr std::uint64_t enough = 1000;
  if (size_ == enough) touches_.reserve(expected_ * touches_.size() / enough * 21 / 20);
}

bool access_sets::fits(std::span<const touch> set) const {
  bool same = set.size() == pattern_.size();
  for (std::size_t t = 0; same && t < set.size(); ++t) {
    same = set[t].capture == pattern_[t] && set[t].pending_key == 0 && set[t].element <= 0xffffffffu;
  }
  return same;
}

void access_sets::give_up_rows() {
  uniform_ = false;
  ends_.reserve(expected_);
  const std::vector<std::uint32_t> rows = std::move(rows_);
  for (std::size_t at = 0; at < size_ * pattern_.size(); ++at) {
    touches_.push_back({rows[at], pattern_[at % pattern_.size()], 0});
  }
  for (std::uint64_t i = 1; i <= size_; ++i) ends_.push_back(i * pattern_.size());
}

std::uint64_t access_sets::num_touches() const {
  return uniform_ ? size_ * pattern_.size() : touches_.size();
}

access_sets access_sets::with_keys(const std::vector<std::vector<std::uint64_t>>& keys) const {
  if (uniform_) return *this;
  access_sets resolved;
  resolved.expect(size_);
  std::vector<touch> set;
  for (std::uint64_t i = 0; i < size_; ++i) {
    set.assign(list(i).begin(), list(i).end());
    for (touch& t : set) {
      if (t.pending_key != 0) t = {keys[t.capture][t.element], t.capture, 0};
    }
    resolved.add(set);
  }
  return resolved;
}

}  // namespace stradsap::rt
