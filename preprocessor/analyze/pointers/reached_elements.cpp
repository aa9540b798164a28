#include "analyze/pointers/reached_elements.hpp"

#include <algorithm>

#include "analyze/source/api_names.hpp"

namespace stradsap::pp {

bool reached_elements::add(const position& first, const offset& count, std::int64_t size) {
  position at = first;
  at.count_in(size);
  const offset units = multiply(count, number(size / at.unit));
  const bool one = units.bounds && units.bounds->first == 1 && units.bounds->second == 1;
  const offset reached = one ? at.from : pp::add(at.from, between(number(0), units));
  if (at.is_member) {
    const auto known = reached.bounds;
    if (!known && first.is_own) return true;
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

std::string reached_elements::text() const {
  std::vector<offset> different;
  for (const offset& one : all_) {
    const bool known = std::any_of(different.begin(), different.end(),
                                   [&](const offset& other) { return other.text == one.text; });
    if (!known) different.push_back(one);
  }
  if (different.empty()) return std::string(api::interval) + "()";
  return different.size() == 1 ? different.front().text : call_of(api::hull, different).text;
}

std::vector<const clang::Expr*> reached_elements::parts() const {
  std::vector<const clang::Expr*> all;
  for (const offset& one : all_) all.insert(all.end(), one.parts.begin(), one.parts.end());
  return all;
}

}  // namespace stradsap::pp
