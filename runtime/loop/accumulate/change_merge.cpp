#include "runtime/loop/accumulate/change_merge.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "runtime/dds/element_copies.hpp"

namespace stradsap::rt {

using rules = merge::rule::kind;

change_merge::change_merge(const abi::element_ops& ops, const shard_rule& rule, std::size_t chunk)
    : ops_(ops),
      rule_(rule),
      how_(rule.how),
      chunk_(chunk),
      decoded_(ops, 2),
      before_(ops, chunk),
      made_(ops, 1),
      neutral_(ops, 1) {
  if (is_bytes(ops)) std::memset(neutral_.at(0), 0, ops.size);
}

void change_merge::assign(std::byte* to, const std::byte* from, std::uint64_t n) const {
  if (is_bytes(ops_)) return void(std::memcpy(to, from, n * ops_.size));
  for (std::uint64_t i = 0; i < n; ++i) assign_element(ops_, to + i * ops_.size, from + i * ops_.size);
}

/// Decoded elements are valid until the next call.
change_merge::ends change_merge::ends_of(const chunk_change& one, std::uint64_t n) {
  if (is_bytes(ops_)) return {one.end, one.end + n * ops_.size};
  abi::reader in(one.end, one.size);
  ops_.read(decoded_.at(0), 1, in);
  ops_.read(decoded_.at(1), 1, in);
  return {decoded_.at(0), decoded_.at(1)};
}

/// Only elements with an encoding of their own throw.
void change_merge::add_difference(std::byte* into, std::uint64_t n, const ends& one) {
  const std::uint64_t together = ops_.own.write == nullptr ? n : 1;
  for (at_ = 0; at_ < n; at_ += together) {
    const std::size_t offset = at_ * ops_.size;
    ops_.merge(into + offset, one.start + offset, one.end + offset, together);
  }
}

void change_merge::take_changed(std::byte* into, std::uint64_t n, const ends& one) const {
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::size_t at = i * ops_.size;
    if (differ(ops_, one.end + at, one.start + at)) assign_element(ops_, into + at, one.end + at);
  }
}

/// The least, greatest or last value counts, or all bits: that in `into`, unless it is the one that the
/// accumulator began with.
void change_merge::merge_best(std::byte* into, std::uint64_t n, const ends& one) {
  for (at_ = 0; at_ < n; ++at_) {
    const std::size_t at = at_ * ops_.size;
    const std::byte* const both[] = {into + at, one.end + at};
    assign_element(ops_, made_.at(0), one.start + at);
    ops_.merge_by(how_, made_.at(0), one.start + at, both, 2);
    assign_element(ops_, into + at, made_.at(0));
  }
}

void change_merge::merge_one(std::byte* into, std::uint64_t n, const ends& one) {
  if (rule_.folded != nullptr) return rule_.folded->combine(into, one.end, n);
  if (rule_.last_counts) return take_changed(into, n, one);
  const rules how = how_.which();
  const bool is_best = how == rules::min || how == rules::max || how == rules::last;
  if (is_best || how_.folds_bits()) return merge_best(into, n, one);
  if (how != rules::function) return add_difference(into, n, one);
  for (at_ = 0; at_ < n; ++at_) {
    const std::byte* const end = one.end + at_ * ops_.size;
    ops_.merge_by(how_, into + at_ * ops_.size, one.start + at_ * ops_.size, &end, 1);
  }
}

static double norm_of(const std::vector<double>& all) {
  double squares = 0;
  for (const double one : all) squares += one * one;
  return std::sqrt(squares);
}

double change_merge::significance(const chunk_change& one, std::uint64_t n) {
  if (ops_.own.visit_changes == nullptr) return 1;
  const ends both = ends_of(one, n);
  changed_.clear();
  values_.clear();
  for (std::uint64_t i = 0; i < n; ++i) {
    ops_.list_changes(both.end + i * ops_.size, both.start + i * ops_.size, changed_);
    ops_.list_changes(both.end + i * ops_.size, neutral_.at(0), values_);
  }
  const double value = norm_of(values_);
  return value > 0 ? norm_of(changed_) / value : 1;
}

void change_merge::apply(std::byte* into, std::uint64_t n, const chunk_change& one) {
  merge_one(into, n, ends_of(one, n));
}

std::size_t change_merge::fold(std::byte* into, std::uint64_t n, const std::vector<numbered_change>& all) {
  const bool is_mean = how_.which() == rules::mean && all.size() > 1;
  const bool is_tested = rule_.stays_finite && ops_.own.first_infinite != nullptr;
  if (is_mean || is_tested) assign(before_.at(0), into, n);
  if (is_mean) {
    fold_mean(into, n, all);
  } else {
    for (const numbered_change& one : all) merge_one(into, n, ends_of(*one.change, n));
  }
  return is_tested ? ops_.first_infinite(into, before_.at(0), n) : n;
}

/// Each change is moved to the common state first, which is in `before_`.
void change_merge::fold_mean(std::byte* into, std::uint64_t n, const std::vector<numbered_change>& all) {
  while (moved_.size() < all.size()) moved_.push_back(std::make_unique<raw_copies>(ops_, chunk_));
  for (std::size_t k = 0; k < all.size(); ++k) {
    const ends one = ends_of(*all[k].change, n);
    assign(moved_[k]->at(0), before_.at(0), n);
    add_difference(moved_[k]->at(0), n, one);
  }
  for (at_ = 0; at_ < n; ++at_) {
    ends_.clear();
    for (std::size_t k = 0; k < all.size(); ++k) ends_.push_back(moved_[k]->at(at_));
    ops_.merge_by(how_, into + at_ * ops_.size, before_.at(at_), ends_.data(), ends_.size());
  }
}

std::size_t change_merge::fold_scaled(std::byte* into, std::span<const std::uint64_t> numbers,
                                      const std::vector<numbered_change>& all, adaptive_scale& scale,
                                      const round_shape& round) {
  const std::size_t n = numbers.size();
  assign(before_.at(0), into, n);
  touching_.assign(n, 0);
  for (const numbered_change& changed : all) {
    const ends one = ends_of(*changed.change, n);
    for (std::size_t i = 0; i < n; ++i) {
      at_ = i;
      const std::size_t at = i * ops_.size;
      if (n > 1 && !differ(ops_, one.end + at, one.start + at)) continue;
      ops_.merge(into + at, one.start + at, one.end + at, 1);
      touching_[i] |= std::uint32_t{1} << changed.accumulator;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (touching_[i] == 0) continue;
    std::byte* const element = into + i * ops_.size;
    changed_.clear();
    ops_.list_changes(element, before_.at(i), changed_);
    const auto touching = static_cast<unsigned>(std::popcount(touching_[i]));
    const double by = scale.of(numbers[i], changed_, touching, round, touching_[i]);
    if (std::isnan(by)) return i;
    if (by < 1) ops_.scale_changes(element, before_.at(i), by);
  }
  return n;
}

}  // namespace stradsap::rt
