// The elements that a pointer in a body may reach: `&m[i * dim]`, indexed by k < dim, reaches the elements [i
// * dim, i * dim + dim). stradsap-cc inserts the interval into the subscript. For generated code and the
// headers of this folder; not for users. Thread rule: values.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace stradsap::abi {

/// The whole numbers from `least` to `greatest`; none if least > greatest. Arithmetic gives an interval that
/// contains every possible result: R. E. Moore, "Interval Analysis", 1966.
struct interval {
  std::int64_t least = 0;
  std::int64_t greatest = -1;

  constexpr interval() = default;
  constexpr interval(std::int64_t from, std::int64_t to) : least(from), greatest(to) {}
  template <std::integral Number_>
  constexpr interval(Number_ number)
      : least(static_cast<std::int64_t>(number)), greatest(static_cast<std::int64_t>(number)) {}

  [[nodiscard]] constexpr bool is_empty() const { return least > greatest; }
  [[nodiscard]] constexpr bool is_one() const { return least == greatest; }
};

constexpr std::int64_t lesser(std::int64_t left, std::int64_t right) { return left < right ? left : right; }
constexpr std::int64_t greater(std::int64_t left, std::int64_t right) { return left < right ? right : left; }

/// The numbers begin, begin + 1, ... end - 1. For intervals: all numbers between any begin and any end.
constexpr interval stradsap_between(const interval& begin, const interval& end) {
  return begin.is_empty() || end.is_empty() ? interval{} : interval{begin.least, end.greatest - 1};
}
/// Larger than any container; sums and products are clamped to it.
constexpr std::int64_t far = std::int64_t{1} << 61;
/// Every element of any container.
constexpr interval stradsap_everything() { return {-far, far}; }

constexpr interval stradsap_hull(const interval& left, const interval& right) {
  if (left.is_empty()) return right;
  if (right.is_empty()) return left;
  return {lesser(left.least, right.least), greater(left.greatest, right.greatest)};
}
constexpr interval stradsap_hull(const interval& left, const interval& right, const auto&... more) {
  return stradsap_hull(stradsap_hull(left, right), interval(more)...);
}

constexpr std::int64_t limited_sum(std::int64_t left, std::int64_t right) {
  std::int64_t made = 0;
  if (__builtin_add_overflow(left, right, &made)) made = left < 0 ? -far : far;
  return made;
}
constexpr std::int64_t product(std::int64_t left, std::int64_t right) {
  std::int64_t made = 0;
  if (__builtin_mul_overflow(left, right, &made)) made = (left < 0) == (right < 0) ? far : -far;
  return made;
}
constexpr interval operator+(const interval& left, const interval& right) {
  if (left.is_empty() || right.is_empty()) return {};
  return {limited_sum(left.least, right.least), limited_sum(left.greatest, right.greatest)};
}
constexpr interval operator-(const interval& one) {
  return one.is_empty() ? one : interval{-one.greatest, -one.least};
}
constexpr interval operator-(const interval& left, const interval& right) { return left + -right; }
constexpr interval operator*(const interval& left, const interval& right) {
  if (left.is_empty() || right.is_empty()) return {};
  return stradsap_hull(product(left.least, right.least), product(left.least, right.greatest),
                       product(left.greatest, right.least), product(left.greatest, right.greatest));
}
/// Rounds towards zero, as the language does. A division by zero is the program's own fault.
constexpr interval operator/(const interval& left, const interval& right) {
  if (left.is_empty() || right.is_empty()) return {};
  if (right.least <= 0 && right.greatest >= 0) return stradsap_hull(left, -left);
  const interval corners = stradsap_hull(left.least / right.least, left.least / right.greatest,
                                         left.greatest / right.least, left.greatest / right.greatest);
  return left.least <= 0 && left.greatest >= 0 ? stradsap_hull(corners, 0) : corners;
}
constexpr interval operator%(const interval& left, const interval& right) {
  if (left.is_empty() || right.is_empty()) return {};
  if (left.is_one() && right.is_one() && right.least != 0) return left.least % right.least;
  const std::int64_t most = greater(right.greatest, -right.least) - 1;
  return {left.least < 0 ? -most : 0, left.greatest < 0 ? 0 : most};
}
/// By shifts that are not negative and below 63.
constexpr interval operator<<(const interval& left, const interval& right) {
  return left * interval{std::int64_t{1} << right.least, std::int64_t{1} << right.greatest};
}
constexpr interval operator>>(const interval& left, const interval& right) {
  if (left.is_empty() || right.is_empty()) return {};
  return stradsap_hull(left.least >> right.least, left.least >> right.greatest, left.greatest >> right.least,
                       left.greatest >> right.greatest);
}
/// Exact bounds for two numbers that are not negative; wider ones for others.
constexpr interval operator&(const interval& left, const interval& right) {
  if (left.is_empty() || right.is_empty()) return {};
  if (left.is_one() && right.is_one()) return left.least & right.least;
  if (left.least >= 0 && right.least >= 0) return {0, lesser(left.greatest, right.greatest)};
  if (left.least >= 0 || right.least >= 0) return {0, left.least >= 0 ? left.greatest : right.greatest};
  return stradsap_everything();
}

/// After a conversion to Narrow_: an interval that fits stays the same; any other becomes all values of the
/// type.
template <std::integral Narrow_> constexpr interval stradsap_narrowed(const interval& from) {
  constexpr auto least = static_cast<std::int64_t>((std::numeric_limits<Narrow_>::min)());
  constexpr auto greatest = static_cast<std::int64_t>((std::numeric_limits<Narrow_>::max)());
  const bool fits = from.is_empty() || (from.least >= least && from.greatest <= greatest);
  return fits ? from : interval{least, greatest};
}

/// Every value of an index type, as far as containers reach.
template <std::integral Index_> constexpr interval stradsap_any() {
  using limits = std::numeric_limits<Index_>;
  if constexpr (sizeof(Index_) >= sizeof(std::int64_t)) {
    return {std::is_signed_v<Index_> ? -far : 0, far};
  } else {
    return {static_cast<std::int64_t>((limits::min)()), static_cast<std::int64_t>((limits::max)())};
  }
}
constexpr bool holds(const interval& all, std::int64_t least, std::int64_t greatest) {
  return all.least <= least && greatest <= all.greatest;
}

/// The values of an index that runs through `values` by `step`. If it may leave its type and wrap, all values
/// of the type.
template <std::integral Index_>
constexpr interval stradsap_counted(const interval& values, const interval& step) {
  if (values.is_empty() || step.is_empty()) return {};
  const interval all = stradsap_any<Index_>();
  const bool fits = holds(all, limited_sum(values.least, lesser(step.least, 0)),
                          limited_sum(values.greatest, greater(step.greatest, 0)));
  return fits ? values : all;
}
/// The values of an index that runs from `start` by `step` until it equals `bound`. If the bound is not
/// ahead, the index wraps or never stops, and the result is all values of its type.
template <std::integral Index_>
constexpr interval stradsap_until(const interval& start, const interval& bound, const interval& step) {
  if (start.is_empty() || bound.is_empty() || step.is_empty()) return {};
  const interval all = stradsap_any<Index_>();
  const interval way = step.least > 0 ? bound - start : start - bound;
  const std::int64_t by = step.least > 0 ? step.least : -step.least;
  const bool meets = by == 1 || (by > 1 && way.is_one() && way.least % by == 0);
  const interval ends = stradsap_hull(start, bound);
  if (!step.is_one() || !meets || way.least < 0 || !holds(all, ends.least, ends.greatest)) return all;
  return step.least > 0 ? interval{start.least, bound.greatest - 1}
                        : interval{bound.least + 1, start.greatest};
}
/// A number after comparison as an unsigned one.
constexpr interval stradsap_unsigned(const interval& from) {
  return from.is_empty() || from.least >= 0 ? from : interval{0, far};
}

/// The elements of `element_size` bytes that contain the given units of `unit_size` bytes. Not a template:
/// clang++ 19 rejects its arguments in a generic lambda beside a local class.
constexpr interval stradsap_in_units(const interval& units, std::int64_t unit_size,
                                     std::int64_t element_size) {
  if (units.is_empty()) return units;
  const auto element_of = [element_size](std::int64_t byte) {
    return byte >= 0 ? byte / element_size : -((-byte + element_size - 1) / element_size);
  };
  return {element_of(units.least * unit_size), element_of(units.greatest * unit_size + unit_size - 1)};
}

/// The offsets of a pointer that moves by `step` in nested loops, at most once for each combination of the
/// `rounds`. If it is used `before` it moves, one move less counts.
template <class... Round_>
constexpr interval stradsap_steps(const interval& step, bool before, const Round_&... rounds) {
  const auto count = [](const interval& of) { return of.is_empty() ? 0 : of.greatest - of.least + 1; };
  std::int64_t most = 1;
  ((most = product(most, count(interval(rounds)))), ...);
  return before && most == 0 ? interval{} : step * interval{0, most - (before ? 1 : 0)};
}
/// Offsets that code reaches whenever it makes the pointer: no condition or jump stands in between.
struct sure_interval {
  interval all;
};
constexpr sure_interval stradsap_sure(const interval& all) { return {all}; }

/// The offsets that a call gives to a copy of a function that makes the pointer. Each copy has a type of its
/// own, and so its own overload.
template <std::uint64_t> struct stradsap_asked {
  interval offsets;
  interval sure;

  constexpr explicit stradsap_asked(const interval& around, const interval& always = {})
      : offsets(around), sure(always) {}
  constexpr explicit stradsap_asked(const sure_interval& always) : offsets(always.all), sure(always.all) {}

  /// Those of a pointer that the function moves by `by` elements before it returns it.
  [[nodiscard]] constexpr stradsap_asked stradsap_moved(const interval& by) const {
    return stradsap_asked(offsets + by, sure + by);
  }
  [[nodiscard]] constexpr stradsap_asked stradsap_moved_back(const interval& by) const {
    return stradsap_asked(offsets - by, sure - by);
  }
};

/// A subscript that a pointer is made from, and the offsets from there that the pointer reaches. It may not
/// reach all of them, so the container's end cuts them off; it always reaches those in `sure`.
struct reach {
  std::uint64_t first;
  interval offsets;
  interval sure;

  template <class Index_>
  constexpr reach(Index_ index, const interval& around, const interval& always = {})
      : first(static_cast<std::uint64_t>(index)), offsets(around), sure(always) {}
  template <class Index_>
  constexpr reach(Index_ index, const sure_interval& always) : reach(index, always.all, always.all) {}
  template <class Index_, std::uint64_t Copy_>
  constexpr reach(Index_ index, const stradsap_asked<Copy_>& by) : reach(index, by.offsets, by.sure) {}

  /// In a container of another library only the subscript counts.
  constexpr operator std::size_t() const { return first; }

  /// Whether the elements [begin, begin + count) contain all offsets, and their range or its end contains the
  /// subscript. False if no offset is reached.
  [[nodiscard]] constexpr bool is_within(std::uint64_t begin, std::uint64_t count) const {
    const auto least = static_cast<std::uint64_t>(offsets.least);
    const std::uint64_t at = first + least - begin;
    return at < count && static_cast<std::uint64_t>(offsets.greatest) - least < count - at &&
           first - begin <= count;
  }
  /// Adds the `count` elements from the subscript on, for a span that pointers leave.
  [[nodiscard]] constexpr reach with(std::uint64_t count) const {
    return {first, stradsap_hull(offsets, interval{0, static_cast<std::int64_t>(count) - 1}), sure};
  }
  /// The same from `by` elements further on.
  [[nodiscard]] constexpr reach moved(std::uint64_t by) const { return {first + by, offsets, sure}; }

  /// Whether the elements [begin, begin + count) contain the subscript and all that is sure. One comparison
  /// if `sure` and `count` are known before.
  [[nodiscard]] constexpr bool starts_within(std::uint64_t begin, std::uint64_t count) const {
    const std::int64_t least = sure.is_empty() ? 0 : lesser(sure.least, 0);
    const std::int64_t greatest = sure.is_empty() ? 0 : greater(sure.greatest, 0);
    const std::uint64_t more = static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
    const std::uint64_t places = more < count ? count - more : 0;
    return first + static_cast<std::uint64_t>(least) - begin < places;
  }
  /// Whether the pointer surely reaches an element that a container of `size` elements does not have.
  [[nodiscard]] constexpr bool exceeds(std::uint64_t size) const {
    const auto at = static_cast<std::int64_t>(first);
    return !sure.is_empty() && (limited_sum(at, sure.least) < 0 ||
                                limited_sum(at, sure.greatest) >= static_cast<std::int64_t>(size));
  }
  /// The first such element.
  [[nodiscard]] constexpr std::uint64_t missing(std::uint64_t size) const {
    const std::int64_t begin = limited_sum(static_cast<std::int64_t>(first), sure.least);
    return begin < 0 ? static_cast<std::uint64_t>(begin)
                     : static_cast<std::uint64_t>(greater(begin, static_cast<std::int64_t>(size)));
  }

  struct run {
    std::uint64_t first;
    std::uint64_t size;
    std::int64_t back;  // the subscript, counted from `first`
  };
  /// The elements of this reach in a container of `size` elements, if the subscript is within or at its end.
  [[nodiscard]] constexpr run within(std::uint64_t size) const {
    if (offsets.is_empty() || first > size) return {first, first > size ? 1u : 0u, 0};
    const auto at = static_cast<std::int64_t>(first);
    const std::int64_t begin = greater(0, at + offsets.least);
    const std::int64_t end = lesser(static_cast<std::int64_t>(size), at + offsets.greatest + 1);
    if (begin >= end) return {first, 0, 0};
    return {static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end - begin), at - begin};
  }
  /// Whether an element of this reach is not among [begin, begin + count) of a container of `size` elements.
  [[nodiscard]] constexpr bool leaves(std::uint64_t begin, std::uint64_t count, std::uint64_t size) const {
    const run all = within(size);
    return all.size != 0 && (all.first < begin || all.first + all.size - begin > count);
  }
};

}  // namespace stradsap::abi

namespace stradsap {

using abi::stradsap_asked;
using abi::stradsap_between;
using abi::stradsap_counted;
using abi::stradsap_everything;
using abi::stradsap_hull;
using abi::stradsap_in_units;
using abi::stradsap_narrowed;
using abi::stradsap_steps;
using abi::stradsap_sure;
using abi::stradsap_unsigned;
using abi::stradsap_until;
using stradsap_interval = abi::interval;
using stradsap_reach = abi::reach;

}  // namespace stradsap
