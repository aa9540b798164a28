#include "analyze/pointers/reached_elements.hpp"

#include <algorithm>

#include "analyze/source/api_names.hpp"

namespace stradsap::pp {

bool reached_elements::add(const position& first, const offset& count, std::int64_t size) {
  position at = first;
  at.count_in(size);
  sure_.emplace_back();
  const offset units = multiply(count, number(size / at.unit));
  const bool one = units.bounds && units.bounds->first == 1 && units.bounds->second == 1;
  offset all_units = between(number(0), units);
  all_units.is_exact = units.is_exact && units.indices.empty();
  const offset reached = one ? at.from : pp::add(at.from, all_units);
  if (at.is_member) {
    const auto known = reached.bounds;
    if (!known && first.is_own) {
      sure_.pop_back();
      return true;
    }
    all_.push_back(number(0));
    return known && known->first * at.unit >= -at.room_before &&
           (known->second + 1) * at.unit <= at.room_behind;
  }
  all_.push_back(in_elements(reached, at.unit));
  return true;
}

offset reached_elements::in_elements(const offset& units, std::int64_t unit) const {
  if (unit == element_size_) return units;
  offset made = call_of(api::in_units, {units, number(unit), number(element_size_)});
  made.is_exact = units.is_exact;
  made.indices = units.indices;
  if (!units.bounds) return made;
  const auto element_of = [&](std::int64_t byte) {
    return byte >= 0 ? byte / element_size_ : -((-byte + element_size_ - 1) / element_size_);
  };
  made.bounds = {element_of(units.bounds->first * unit), element_of(units.bounds->second * unit + unit - 1)};
  return made.is_zero() ? number(0) : made;
}

bool reached_elements::is_alone() const {
  return !all_.empty() && std::all_of(all_.begin(), all_.end(), [](const offset& o) { return o.is_zero(); });
}

bool reached_elements::is_within(const offset& count) const {
  const offset whole = between(number(0), count);
  return std::all_of(all_.begin(), all_.end(), [&](const offset& one) {
    const bool known =
        one.bounds && count.bounds && one.bounds->first >= 0 && one.bounds->second < count.bounds->first;
    return known || one.text == whole.text;
  });
}

/// Whether text that only says whether a loop has rounds may stand beside the pointer: it names numbers
/// alone.
static bool is_plain(const offset& values) {
  return std::all_of(values.parts.begin(), values.parts.end(), [](const clang::Expr* part) {
    return llvm::isa<clang::DeclRefExpr>(part->IgnoreParenImpCasts()) && part->getType()->isIntegerType();
  });
}

void reached_elements::set_sure(const std::vector<offset>& rounds) {
  if (all_.empty() || !all_.back().is_exact) return;
  offset sure = all_.back();
  std::vector<const clang::VarDecl*> left = sure.indices;
  for (const offset& values : rounds) {
    const auto index = std::find(left.begin(), left.end(), values.indices.front());
    if (index != left.end()) {
      left.erase(index);
    } else if (!values.bounds || values.bounds->first > values.bounds->second) {
      if (!is_plain(values)) return;
      sure = combined(sure, "+", combined(number(0), "*", values));  // nothing if the loop has no rounds
    }
  }
  if (left.empty()) sure_.back() = std::move(sure);
}

static bool is_among(const std::vector<std::optional<offset>>& all, std::size_t begin, std::size_t end,
                     const std::string& text) {
  return std::any_of(all.begin() + static_cast<std::ptrdiff_t>(begin),
                     all.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](const auto& one) { return one && one->text == text; });
}

void reached_elements::keep_sure_on_all(const std::vector<std::size_t>& ways) {
  if (ways.empty()) return;
  const std::vector<std::optional<offset>> before = sure_;
  for (std::size_t i = ways.front(); i < sure_.size(); ++i) {
    for (std::size_t way = 0; sure_[i] && way < ways.size(); ++way) {
      const std::size_t end = way + 1 < ways.size() ? ways[way + 1] : before.size();
      if (!is_among(before, ways[way], end, sure_[i]->text)) sure_[i].reset();
    }
  }
}

/// The text of an interval that covers all of these.
static std::string hull_of(const std::vector<offset>& all) {
  std::vector<offset> different;
  for (const offset& one : all) {
    const bool known = std::any_of(different.begin(), different.end(),
                                   [&](const offset& other) { return other.text == one.text; });
    if (!known) different.push_back(one);
  }
  if (different.empty()) return {};
  return different.size() == 1 ? different.front().text : call_of(api::hull, different).text;
}

std::string reached_elements::text() const {
  return all_.empty() ? std::string(api::interval) + "()" : hull_of(all_);
}

std::string reached_elements::sure_text() const {
  std::vector<offset> known;
  for (const std::optional<offset>& one : sure_) {
    if (one) known.push_back(*one);
  }
  return hull_of(known);
}

std::vector<const clang::Expr*> reached_elements::parts() const {
  std::vector<const clang::Expr*> all;
  for (const offset& one : all_) all.insert(all.end(), one.parts.begin(), one.parts.end());
  for (const std::optional<offset>& one : sure_) {
    if (one) all.insert(all.end(), one->parts.begin(), one->parts.end());
  }
  return all;
}

}  // namespace stradsap::pp
