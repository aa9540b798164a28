#include "runtime/loop/access/access_sets.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace stradsap::rt {

void access_sets::begin_rows(std::span<const touch> first) {
  for (const touch& t : first) {
    repeats_ = repeats_ || std::find(pattern_.begin(), pattern_.end(), t.capture) != pattern_.end();
    pattern_.push_back(t.capture);
  }
  constexpr std::size_t tags_at_once = 128;
  while (tags_.size() < std::min(tags_at_once, expected_ * pattern_.size())) {
    for (const std::uint32_t c : pattern_) tags_.push_back(std::bit_cast<std::uint64_t>(touch{0, c, 0}));
  }
  rows_ = plain_array<std::uint32_t>(expected_ * pattern_.size());
}

bool access_sets::add_rows(std::span<const std::uint64_t> touches, std::span<const std::uint32_t> ends) {
  if (!uniform_ || ends.empty()) return false;
  if (size_ == 0) {
    std::vector<touch> first;
    for (std::uint32_t t = 0; t < ends[0]; ++t) first.push_back(std::bit_cast<touch>(touches[t]));
    begin_rows(first);
  }
  const std::size_t width = pattern_.size();
  bool same = size_ + ends.size() <= expected_ && touches.size() == width * ends.size();
  for (std::size_t i = 0; i < ends.size(); ++i) same = same && ends[i] == (i + 1) * width;
  if (!same) return false;
  std::uint64_t differences = 0;
  std::uint32_t* to = rows_.data() + size_ * width;
  for (std::size_t at = 0; at < touches.size(); at += tags_.size()) {
    const std::size_t n = std::min(tags_.size(), touches.size() - at);
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint64_t one = touches[at + k];
      differences |= one ^ tags_[k];
      *to++ = static_cast<std::uint32_t>(one) | (static_cast<std::uint32_t>(one >> 32) & of_new_key);
    }
  }
  constexpr std::uint64_t new_key = std::uint64_t{of_new_key} << 32;  // touch::pending_key, the last bit
  // another capture, or a number that needs more bits
  if ((differences & ~new_key) >> 32 != 0) return false;
  if (!note_kinds((differences & new_key) != 0, (differences & of_new_key) != 0)) return false;
  size_ += ends.size();
  return true;
}

void access_sets::add(std::span<const touch> set) {
  if (size_ == 0 && pattern_.empty()) begin_rows(set);
  if (uniform_ && !fits(set)) give_up_rows();
  if (uniform_) {
    std::uint32_t* row = rows_.data() + size_++ * pattern_.size();
    for (const touch& t : set)
      *row++ = static_cast<std::uint32_t>(t.element) | (t.pending_key != 0 ? of_new_key : 0);
    return;
  }
  ++size_;
  touches_.insert(touches_.end(), set.begin(), set.end());
  ends_.push_back(touches_.size());
  // By now the rest can be guessed; growing by doubling would touch twice the memory.
  if (size_ == 16 || size_ == 1000) touches_.reserve(expected_ * touches_.size() / size_ * 21 / 20);
}

bool access_sets::fits(std::span<const touch> set) {
  bool same = set.size() == pattern_.size() && size_ < expected_;
  bool has_new_keys = false, has_large = false;
  for (std::size_t t = 0; same && t < set.size(); ++t) {
    same = set[t].capture == pattern_[t] && set[t].element <= 0xffffffffu;
    has_new_keys = has_new_keys || set[t].pending_key != 0;
    has_large = has_large || set[t].element >= of_new_key;
  }
  return same && note_kinds(has_new_keys, has_large);
}

/// Whether rows with such touches can be told apart.
bool access_sets::note_kinds(bool has_new_keys, bool has_large) {
  if ((has_new_keys || has_new_keys_) && (has_large || has_large_)) return false;
  has_new_keys_ = has_new_keys_ || has_new_keys;
  has_large_ = has_large_ || has_large;
  return true;
}

/// The touch at a place of the rows.
touch access_sets::in_row(std::size_t at) const {
  const bool is_new = has_new_keys_ && (rows_.data()[at] & of_new_key) != 0;
  return {is_new ? rows_.data()[at] & ~of_new_key : rows_.data()[at], pattern_[at % pattern_.size()],
          is_new ? 1u : 0u};
}

void access_sets::give_up_rows() {
  uniform_ = false;
  ends_.reserve(expected_);
  for (std::size_t at = 0; at < size_ * pattern_.size(); ++at) touches_.push_back(in_row(at));
  for (std::uint64_t i = 1; i <= size_; ++i) ends_.push_back(i * pattern_.size());
  rows_ = {};
  has_new_keys_ = false;
}

std::uint64_t access_sets::num_touches() const {
  return uniform_ ? size_ * pattern_.size() : touches_.size();
}

std::uint64_t access_sets::num_active() const {
  if (uniform_) return pattern_.empty() ? 0 : size_;
  std::uint64_t active = 0;
  std::uint64_t before = 0;
  for (const std::uint64_t end : ends_) active += std::exchange(before, end) != end;
  return active;
}

void access_sets::count_by_capture(std::vector<std::uint64_t>& counts) const {
  for (const touch& t : touches_) ++counts[t.capture];
  for (std::size_t t = 0; uniform_ && t < pattern_.size(); ++t) counts[pattern_[t]] += size_;
}

void access_sets::give_slots(const std::vector<std::vector<std::uint64_t>>& keys) {
  if (!uniform_) {
    *this = with_keys(keys);
    return;
  }
  for (std::size_t at = 0; has_new_keys_ && at < size_ * pattern_.size(); ++at) {
    std::uint32_t& one = rows_.data()[at];
    if ((one & of_new_key) == 0) continue;
    const std::uint64_t slot = keys[pattern_[at % pattern_.size()]][one & ~of_new_key];
    one = static_cast<std::uint32_t>(slot);  // a map has fewer than 2^32 keys
  }
  has_new_keys_ = false;
}

access_sets access_sets::with_keys(const std::vector<std::vector<std::uint64_t>>& keys) const {
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

access_sets access_sets::divided(const std::vector<std::uint64_t>& from,
                                 const std::vector<std::uint64_t>& units) const {
  access_sets made;
  made.expect(size_);
  std::vector<touch> set;
  for (std::uint64_t i = 0; i < size_; ++i) {
    set.clear();
    visit(i, [&](std::uint32_t capture, std::uint64_t element) {
      const std::uint64_t end = element + std::max<std::uint64_t>(1, from[capture]);
      for (; element < end; element += units[capture]) set.push_back({element, capture, 0});
    });
    made.add(set);
  }
  return made;
}

}  // namespace stradsap::rt
