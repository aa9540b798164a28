#include "runtime/loop/accumulate/hot_copies.hpp"

#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runtime/dds/element_copies.hpp"

namespace stradsap::rt {

static constexpr std::uint64_t last_place = ~std::uint64_t{0};

hot_copies::hot_copies(const planning& in, const hot_units& hot, std::size_t capture,
                       std::vector<rank_id> ranks, round_shape round, adaptive_scale* scale)
    : in_(in),
      hot_(hot),
      capture_(capture),
      local_(*in.frame.replicas[capture]),
      ops_(local_.ops()),
      rule_(rule_for_copies(in.frame.entry->captures[capture], in.frame.relaxed[capture]->merge, ops_)),
      merge_(rule_.how),
      ranks_(std::move(ranks)),
      round_(round),
      scale_(scale),
      start_(ops_, hot.num_elements()),
      copies_(ops_, hot.num_elements() * ranks_.size()) {}

void hot_copies::begin_round() {
  for (std::uint64_t place = 0; place < hot_.num_elements(); ++place) {
    const std::byte* const now = local_.at(element_at(place));
    assign_element(ops_, start_.at(place), now);
    if (rule_.folded != nullptr) rule_.folded->begin(start_.at(place), 1);  // the body reads nothing there
    for (std::size_t a = 0; a < ranks_.size(); ++a) assign_element(ops_, copy(a, place), start_.at(place));
  }
}

/// Elements that are no plain bytes are compared by their encodings.
bool hot_copies::is_changed(std::size_t accumulator, std::uint64_t place) const {
  const std::byte* const end = copy(accumulator, place);
  if (is_bytes(ops_)) return std::memcmp(end, start_.at(place), ops_.size) != 0;
  bytes before;
  bytes after;
  abi::writer to_before(before);
  abi::writer to_after(after);
  ops_.write(start_.at(place), 1, to_before);
  ops_.write(end, 1, to_after);
  return before != after;
}

void hot_copies::write_changes(abi::writer& out) const {
  for (std::size_t a = 0; a < ranks_.size(); ++a) {
    if (ranks_[a] != in_.ranks.self()) continue;
    for (std::uint64_t place = 0; place < hot_.num_elements(); ++place) {
      if (!is_changed(a, place)) continue;
      out(a * hot_.num_elements() + place);
      ops_.write(copy(a, place), 1, out);
    }
  }
  out(last_place);
}

void hot_copies::read_changes(rank_id from, abi::reader& in) {
  std::uint64_t at = 0;
  for (in(at); at != last_place; in(at)) {
    if (at >= copies_.size() || ranks_[at / hot_.num_elements()] != from)
      throw error(errc::decode, fmt::format("a change of hot element {} of {}", at, copies_.size()));
    ops_.read(copies_.at(at), 1, in);
  }
}

void hot_copies::fold() {
  for (std::uint64_t place = 0; place < hot_.num_elements(); ++place) fold(place);
}

void hot_copies::fold(std::uint64_t place) {
  ends_.clear();
  for (std::size_t a = 0; a < ranks_.size(); ++a) {
    if (is_changed(a, place)) ends_.push_back(copy(a, place));
  }
  if (ends_.empty()) return;
  std::byte* const into = local_.at(element_at(place));
  bool is_finite = true;
  try {
    is_finite = fold_into(into, place) &&
                (!rule_.stays_finite || ops_.first_infinite(into, start_.at(place), 1) == 1);
  } catch (const error& e) {
    throw error(e.code(), fmt::format("element {} of `{}`: {}", element_at(place),
                                      in_.frame.name_of(capture_), e.what()));
  }
  if (!is_finite) refuse_infinite(element_at(place), in_.frame.name_of(capture_), merge_);
}

/// Returns false if an adaptive fold is not finite.
bool hot_copies::fold_into(std::byte* into, std::uint64_t place) {
  using rules = merge::rule::kind;
  const std::byte* const start = start_.at(place);
  if (rule_.folded != nullptr) {
    for (const std::byte* end : ends_) rule_.folded->combine(into, end, 1);
    return true;
  }
  if (rule_.last_counts) return assign_element(ops_, into, ends_.back()), true;
  const bool adds_up = merge_.which() == rules::sum || scale_ != nullptr;
  if (!adds_up && (ends_.size() > 1 || merge_.which() == rules::function))
    return ops_.merge_by(merge_, into, start, ends_.data(), ends_.size()), true;
  for (const std::byte* end : ends_) ops_.merge(into, start, end, 1);
  if (scale_ == nullptr) return true;
  change_.clear();
  ops_.list_changes(into, start, change_);
  const double scale = scale_->of(element_at(place), change_, static_cast<unsigned>(ends_.size()), round_);
  if (std::isnan(scale)) return false;
  if (scale < 1) ops_.scale_changes(into, start, scale);
  return true;
}

}  // namespace stradsap::rt
