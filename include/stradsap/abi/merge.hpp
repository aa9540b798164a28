// The merge of two changed copies of a value, for the shards of a batch. Thread rule: values.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <stradsap/consistency.hpp>
#include <stradsap/serialize.hpp>

namespace stradsap::abi {

/// A type's name as programs write it.
[[nodiscard]] std::string readable_type(const char* mangled);
/// Throws error(errc::unsupported): two copies of one value of the type changed.
[[__noreturn__]] void throw_both_changed(const char* type);

/// Whether a program can tell no difference: a NaN equals itself, and the two zeros differ.
template <class T_> bool is_unchanged(const T_& start, const T_& end) {
  if constexpr (std::is_same_v<T_, float> || std::is_same_v<T_, double>) {
    // no branch, and right under -ffast-math
    using bits = std::conditional_t<sizeof(T_) == 4, std::int32_t, std::int64_t>;
    constexpr bits size = std::numeric_limits<bits>::max();  // all bits but the sign
    constexpr bits infinity = sizeof(T_) == 4 ? bits{0x7f800000} : bits{0x7ff} << 52;
    const bits a_ = std::bit_cast<bits>(start), b_ = std::bit_cast<bits>(end);
    return bool(static_cast<int>(a_ == b_) |
                (static_cast<int>((a_ & size) > infinity) & static_cast<int>((b_ & size) > infinity)));
  } else if constexpr (std::is_floating_point_v<T_>) {
    return start == end ? __builtin_signbit(start) == __builtin_signbit(end) : start != start && end != end;
  } else {
    return start == end;
  }
}

/// `some` if `takes_some`, else `other`, by masks: g++ would make branches, and then pack no loop over it.
template <class N_> N_ selected(bool takes_some, N_ some, N_ other) {
  if constexpr (std::is_same_v<N_, float> || std::is_same_v<N_, double>) {
    using bits = std::conditional_t<sizeof(N_) == 4, std::uint32_t, std::uint64_t>;
    const bits mask = -bits(takes_some);
    return std::bit_cast<N_>((mask & std::bit_cast<bits>(some)) | (~mask & std::bit_cast<bits>(other)));
  } else {
    return takes_some ? some : other;
  }
}

/// A number that one copy changed takes that copy's value: infinities have no difference. Without branches,
/// so that loops over it are vectorised.
template <class N_> N_ merged(N_ into, N_ start, N_ end) {
  N_ sum;
  if constexpr (std::is_integral_v<N_>) {
    using bits = std::make_unsigned_t<N_>;  // the difference may leave the type where it does not count
    sum = static_cast<N_>(bits(into) + (bits(end) - bits(start)));
  } else {
    sum = into + (end - start);
  }
  const N_ changed = selected(is_unchanged(start, into), end, sum);
  return selected(is_unchanged(start, end), into, changed);
}

template <class T_> void merge_run(T_* into, const T_* start, const T_* end, std::size_t n_);

/// The merge of values that only their own functions can encode: no part of them has a difference. Throws
/// error(errc::unsupported) if this copy and an earlier one changed. Equal changes are no exception: both may
/// have added one.
template <class T_> void merge_whole(T_& into, const T_& start, const T_& end) {
  const std::vector<std::byte> before = encoded(start);
  if (encoded(end) == before) return;
  if (encoded(into) != before) throw_both_changed(own_encoding<T_>::name());
  into = end;
}

/// Folds the changes of one copy into `into`. `start` is the value that every copy began with, and `end` the
/// end value of this copy. Numbers add end - start, member by member. Classes with an encoding of their own
/// may change in one copy only. Other types (text, flags, containers with a changed size) take `end` if it
/// differs from `start`.
template <class T_> void merge(T_& into, const T_& start, const T_& end) {
  if constexpr (requires { into.stradsap_merge_(start, end); }) {
    into.stradsap_merge_(start, end);
  } else if constexpr (self_serializing<T_>) {
    merge_whole(into, start, end);
  } else if constexpr (reflected<T_>) {
    for_each_member(
        T_::stradsap_members_(), [](auto& s_, const auto& from, const auto& to) { merge(s_, from, to); },
        into, start, end);
  } else if constexpr (smooth<T_>) {
    into = merged(into, start, end);
  } else if constexpr (is_array<T_>) {
    merge_run(std::data(into), std::data(start), std::data(end), std::size(into));
  } else if constexpr (is_vector<T_>) {
    if (into.size() != start.size() || start.size() != end.size()) {
      into = end;
    } else if constexpr (std::is_same_v<typename T_::value_type, bool>) {
      if (!(start == end)) into = end;
    } else {
      for (std::size_t i_ = 0; i_ < into.size(); ++i_) merge(into[i_], start[i_], end[i_]);
    }
  } else if constexpr (matrix_like<T_>) {
    if (!has_same_shape(into, start) || !has_same_shape(start, end))
      into = end;
    else
      merge_run(into.data(), start.data(), end.data(), static_cast<std::size_t>(into.size()));
  } else if constexpr (requires { std::tuple_size<T_>::value; }) {
    [&]<std::size_t... I_>(std::index_sequence<I_...>) {
      (merge(std::get<I_>(into), std::get<I_>(start), std::get<I_>(end)), ...);
    }(std::make_index_sequence<std::tuple_size_v<T_>>());
  } else if constexpr (std::is_scalar_v<T_>) {
    if (!(start == end)) into = end;
  } else {
    if (encoded(start) != encoded(end)) into = end;
  }
}

/// Not inlined: arrays of all sizes share the code.
template <class T_>
[[__gnu__::__noinline__, __gnu__::__noclone__]] void merge_run(T_* into, const T_* start, const T_* end,
                                                               std::size_t n_) {
  for (std::size_t i_ = 0; i_ < n_; ++i_) merge(into[i_], start[i_], end[i_]);
}

// ---- means, minima and maxima of all copies ----

/// A type, as an argument.
template <class T_> struct as_type {
  using type = T_;
};

/// Types that contain a part. A class may hold a std::vector of itself.
template <class... T_> struct outer_types {};

/// Whether T or a part of it passes the test, which takes an as_type. Classes with an encoding of their own
/// are closed.
template <class T_, class Test_, class... Outer_>
constexpr bool has_part(const Test_& test, outer_types<Outer_...> = {});
template <class Test_, class Outer_, class Class_, class... Base_, class... Member_>
constexpr bool has_member(const member_list<Class_, bases<Base_...>, Member_ Class_::*...>&,
                          const Test_& test, Outer_ outer) {
  return (has_part<Base_>(test, outer) || ... || false) ||
         (has_part<std::remove_cv_t<Member_>>(test, outer) || ... || false);
}
template <class T_, class Test_, class... Outer_>
constexpr bool has_part(const Test_& test, outer_types<Outer_...>) {
  using outer = outer_types<T_, Outer_...>;
  if (test(as_type<T_>())) return true;
  if constexpr (self_serializing<T_> || (std::is_same_v<T_, Outer_> || ... || false)) {
    return false;
  } else if constexpr (reflected<T_>) {
    return has_member(T_::stradsap_members_(), test, outer());
  } else if constexpr (is_array<T_>) {
    return has_part<std::remove_cvref_t<decltype(std::declval<T_&>()[0])>>(test, outer());
  } else if constexpr (resizable<T_>) {
    return has_part<typename T_::value_type>(test, outer());
  } else if constexpr (is_tuple<T_>) {
    return [&]<std::size_t... I_>(std::index_sequence<I_...>) {
      return (has_part<std::tuple_element_t<I_, T_>>(test, outer()) || ... || false);
    }(std::make_index_sequence<std::tuple_size_v<T_>>());
  } else {
    return false;
  }
}

/// Whether T has numbers that have a mean.
template <class T_> constexpr bool has_numbers() {
  return has_part<T_>([](auto one) { return smooth<typename decltype(one)::type>; });
}
/// Whether T is of the type, or has a part that is.
template <class T_> bool has_part_of(const std::type_info& type) {
  return has_part<T_>([&](auto one) { return typeid(typename decltype(one)::type) == type; });
}

/// Whether T has fractions.
template <class T_> constexpr bool has_fractions() {
  return has_part<T_>([](auto one) { return std::is_floating_point_v<typename decltype(one)::type>; });
}

template <class T_> void scale_run(T_* into, const T_* start, std::size_t n_, double scale);
template <class T_> void list_run(const T_* now, const T_* start, std::size_t n_, std::vector<double>& to);

/// The number of values that two arrays, vectors or matrices have in common places; 0 if their shapes differ.
template <class T_> std::size_t count_of_places(const T_& one, const T_& other) {
  if constexpr (resizable<T_>)
    return has_same_shape(one, other) ? static_cast<std::size_t>(one.size()) : 0;
  else
    return std::size(one);
}
template <class T_> using entry_type = std::remove_cvref_t<decltype(*std::data(std::declval<T_&>()))>;

/// Scales the changes of an element's fractions since `start`; or appends them to `list`, if it is not null.
template <class T_> void visit_changes(T_& now, const T_& start, double scale, std::vector<double>* list) {
  if constexpr (self_serializing<T_> || !has_fractions<T_>()) {
    return;
  } else if constexpr (reflected<T_>) {
    for_each_member(
        T_::stradsap_members_(), [&](auto& to, const auto& from) { visit_changes(to, from, scale, list); },
        now, start);
  } else if constexpr (std::is_floating_point_v<T_>) {
    list == nullptr ? scale_run(&now, &start, 1, scale) : list_run(&now, &start, 1, *list);
  } else if constexpr (is_array<T_> || resizable<T_>) {
    const std::size_t n_ = count_of_places(now, start);
    auto* const to = std::data(now);
    const auto* const from = std::data(start);
    if constexpr (std::is_floating_point_v<entry_type<T_>>) {
      list == nullptr ? scale_run(to, from, n_, scale) : list_run(to, from, n_, *list);
    } else {
      for (std::size_t i_ = 0; i_ < n_; ++i_) visit_changes(to[i_], from[i_], scale, list);
    }
  } else if constexpr (is_tuple<T_>) {
    [&]<std::size_t... I_>(std::index_sequence<I_...>) {
      (visit_changes(std::get<I_>(now), std::get<I_>(start), scale, list), ...);
    }(std::make_index_sequence<std::tuple_size_v<T_>>());
  }
}

template <class T_>
[[__gnu__::__noinline__, __gnu__::__noclone__]] void scale_run(T_* into, const T_* start, std::size_t n_,
                                                               double scale) {
  const auto by = static_cast<T_>(scale);
  for (std::size_t i_ = 0; i_ < n_; ++i_) into[i_] = start[i_] + by * (into[i_] - start[i_]);
}
template <class T_>
[[__gnu__::__noinline__, __gnu__::__noclone__]] void list_run(const T_* now, const T_* start, std::size_t n_,
                                                              std::vector<double>& to) {
  const std::size_t first = to.size();
  to.resize(first + n_);
  for (std::size_t i_ = 0; i_ < n_; ++i_) to[first + i_] = static_cast<double>(now[i_] - start[i_]);
}

/// The numbers of a row of fractions, as an array of `float`; else 0.
template <class T_> constexpr std::size_t num_fractions() {
  if constexpr (is_array<T_>) {
    using entry = std::remove_cvref_t<decltype(std::declval<T_&>()[0])>;
    if (std::is_same_v<entry, float> || std::is_same_v<entry, double>) return sizeof(T_) / sizeof(entry);
  }
  return 0;
}

/// The squared norm of a change from `start` to `now`, n numbers each, and its product with the numbers in
/// `before`, which it replaces. In four parts: a single sum would wait for each addition. By vectors, as g++
/// packs no such loop.
template <class N_>
[[__gnu__::__noinline__, __gnu__::__noclone__]] void take_change_of_run(const N_* now, const N_* start,
                                                                        std::size_t n_, float* before,
                                                                        double& norm2, double& along) {
  constexpr std::size_t parts = 4;
  using numbers [[__gnu__::__vector_size__(parts * sizeof(N_))]] = N_;
  using floats [[__gnu__::__vector_size__(parts * sizeof(float))]] = float;
  using doubles [[__gnu__::__vector_size__(parts * sizeof(double))]] = double;
  doubles norms{}, products{};
  std::size_t i_ = 0;
  for (; i_ + parts <= n_; i_ += parts) {
    numbers to, from;
    floats earlier;
    std::memcpy(&to, now + i_, sizeof to);
    std::memcpy(&from, start + i_, sizeof from);
    std::memcpy(&earlier, before + i_, sizeof earlier);
    const doubles change = __builtin_convertvector(to - from, doubles);
    norms += change * change;
    products += change * __builtin_convertvector(earlier, doubles);
    earlier = __builtin_convertvector(change, floats);
    std::memcpy(before + i_, &earlier, sizeof earlier);
  }
  for (std::size_t k_ = 0; k_ + 1 < parts; ++k_) {  // a number of rounds that the compiler knows
    if (i_ + k_ >= n_) break;
    const double change = now[i_ + k_] - start[i_ + k_];
    norms[k_] += change * change;
    products[k_] += change * static_cast<double>(before[i_ + k_]);
    before[i_ + k_] = static_cast<float>(change);
  }
  norm2 = (norms[0] + norms[1]) + (norms[2] + norms[3]);
  along = (products[0] + products[1]) + (products[2] + products[3]);
}

/// By their bits, so that -ffast-math drops no test, and without branches, so that the loop is vectorised.
template <class N_> bool are_finite(const N_* first, std::size_t n_) {
  if constexpr (std::is_same_v<N_, float> || std::is_same_v<N_, double>) {
    using bits = std::conditional_t<sizeof(N_) == 4, std::uint32_t, std::uint64_t>;
    constexpr bits exponent = sizeof(N_) == 4 ? bits{0x7f800000} : static_cast<bits>(0x7ffull << 52);
    constexpr bits lowest = exponent & (~exponent + 1);
    bits carried = 0;  // to the top bit, from an exponent of ones
    for (std::size_t i_ = 0; i_ < n_; ++i_) carried |= (std::bit_cast<bits>(first[i_]) & exponent) + lowest;
    return carried >> (8 * sizeof(N_) - 1) == 0;
  } else {
    for (std::size_t i_ = 0; i_ < n_; ++i_) {
      if (!__builtin_isfinite(first[i_])) return false;
    }
    return true;
  }
}

template <class N_>
[[__gnu__::__noinline__, __gnu__::__noclone__]] bool has_infinite_run(const N_* now, const N_* start,
                                                                      std::size_t n_) {
  if (are_finite(now, n_)) return false;
  for (std::size_t i_ = 0; i_ < n_; ++i_) {
    if (!is_unchanged(start[i_], now[i_]) && !are_finite(now + i_, 1)) return true;
  }
  return false;
}

/// Whether a fraction of an element has become infinite, or not a number, since `start`.
template <class T_> bool has_become_infinite(const T_& now, const T_& start) {
  bool found = false;
  if constexpr (self_serializing<T_> || !has_fractions<T_>()) {
    return false;
  } else if constexpr (reflected<T_>) {
    for_each_member(
        T_::stradsap_members_(),
        [&](const auto& one, const auto& from) { found = found || has_become_infinite(one, from); }, now,
        start);
  } else if constexpr (std::is_floating_point_v<T_>) {
    return has_infinite_run(&now, &start, 1);
  } else if constexpr (is_array<T_> || resizable<T_>) {
    const std::size_t n_ = count_of_places(now, start);
    const auto* const one = std::data(now);
    const auto* const from = std::data(start);
    if constexpr (std::is_floating_point_v<entry_type<T_>>) return has_infinite_run(one, from, n_);
    for (std::size_t i_ = 0; i_ < n_ && !found; ++i_) found = has_become_infinite(one[i_], from[i_]);
  } else if constexpr (is_tuple<T_>) {
    [&]<std::size_t... I_>(std::index_sequence<I_...>) {
      found = (has_become_infinite(std::get<I_>(now), std::get<I_>(start)) || ... || false);
    }(std::make_index_sequence<std::tuple_size_v<T_>>());
  }
  return found;
}

/// The values of one object in several copies: its bytes begin `at` bytes behind each of `ends`.
struct copies_of_value {
  const merge::rule& how;
  const std::byte* const* ends;
  std::size_t num_ends;
  std::ptrdiff_t at = 0;

  template <class T_> [[nodiscard]] const T_& of(std::size_t copy, const T_&) const {
    return *reinterpret_cast<const T_*>(ends[copy] + at);
  }
  /// A part of the object that is at `part` in the copy at `whole`.
  [[nodiscard]] copies_of_value part(const void* whole, const void* part_) const {
    return {how, ends, num_ends,
            at + (static_cast<const std::byte*>(part_) - static_cast<const std::byte*>(whole))};
  }
};

/// The fold of changes by a bit operator: `end` is the value of one more copy.
template <class N_> N_ folded_bits(merge::rule::kind how, N_ made, N_ start, N_ end) {
  using rules = merge::rule::kind;
  if (how == rules::bit_and) return static_cast<N_>(made & end);
  return static_cast<N_>(how == rules::bit_or ? made | end : made ^ (end ^ start));
}

/// The fold of a number, from the copies that changed it. The mean of integers is rounded towards `start`.
template <class N_> N_ folded_number(const copies_of_value& copies, const N_& start) {
  using difference = std::conditional_t<std::is_integral_v<N_>, std::int64_t, N_>;
  using rules = merge::rule::kind;
  const rules how = copies.how.which();
  const auto less = [&](const N_& value) {
    return static_cast<difference>(static_cast<difference>(value) - static_cast<difference>(start));
  };
  N_ made = start;
  difference total = 0;
  difference changes = 0;
  for (std::size_t i_ = 0; i_ < copies.num_ends; ++i_) {
    const N_& end = copies.of(i_, start);
    if (is_unchanged(start, end)) continue;
    if constexpr (std::is_integral_v<N_>) {
      if (copies.how.folds_bits()) {
        made = folded_bits(how, made, start, end);
        continue;
      }
    }
    const bool is_better = how == rules::min   ? end < made
                           : how == rules::max ? made < end
                                               : how == rules::last;
    if (changes == 0 || is_better) made = end;
    total += less(end);
    changes += 1;
  }
  if (how != rules::mean || changes < 2) return made;
  return static_cast<N_>(static_cast<difference>(start) + total / changes);
}

template <class T_> void fold_copies(const copies_of_value& copies, T_& into, const T_& start);

/// Vectors and matrices of unchanged shape are folded entry by entry. Else the last changed copy counts.
template <class T_> void fold_vectors(const copies_of_value& copies, T_& into, const T_& start) {
  std::vector<const std::byte*> entries;
  for (std::size_t i_ = 0; i_ < copies.num_ends; ++i_) {
    const T_& end = copies.of(i_, start);
    if (!has_same_shape(end, start)) into = end;
    entries.push_back(reinterpret_cast<const std::byte*>(end.data()));
  }
  const copies_of_value all{copies.how, entries.data(), entries.size()};
  for (std::size_t i_ = 0; i_ < count_of_places(into, start); ++i_) {
    fold_copies(all.part(start.data(), start.data() + i_), into.data()[i_], start.data()[i_]);
  }
}

/// The last copy that differs from `start`.
template <class T_> void take_last(const copies_of_value& copies, T_& into, const T_& start) {
  for (std::size_t i_ = 0; i_ < copies.num_ends; ++i_) merge(into, start, copies.of(i_, start));
}

template <class T_> bool is_equal(const T_& a_, const T_& b_) {
  if constexpr (smooth<T_>)
    return is_unchanged(a_, b_);
  else
    return encoded(a_) == encoded(b_);
}

/// Calls the program's function for each copy that changed.
template <class T_> void fold_by_function(const copies_of_value& copies, T_& into, const T_& start) {
  for (std::size_t i_ = 0; i_ < copies.num_ends; ++i_) {
    const T_& end = copies.of(i_, start);
    if (!is_equal(start, end)) copies.how.function()(&into, &start, &end);
  }
}

/// Folds all copies at once into `into`, which is `start`: numbers, or the values that the rule's function
/// folds, member by member by the rule; all else as merge() does.
template <class T_> void fold_copies(const copies_of_value& copies, T_& into, const T_& start) {
  const merge::rule& how = copies.how;
  if (how.function().folds(typeid(T_))) return fold_by_function(copies, into, start);
  if (how.which() == merge::rule::kind::function ? !has_part_of<T_>(*how.function().signature->type)
                                                 : !has_numbers<T_>()) {
    return take_last(copies, into, start);
  }
  if constexpr (self_serializing<T_> || std::is_same_v<T_, std::vector<bool>>) {
    take_last(copies, into, start);
  } else if constexpr (reflected<T_>) {
    for_each_member(
        T_::stradsap_members_(),
        [&](auto& member, const auto& from) { fold_copies(copies.part(&start, &from), member, from); }, into,
        start);
  } else if constexpr (smooth<T_>) {
    into = folded_number(copies, start);
  } else if constexpr (is_array<T_>) {
    for (std::size_t i_ = 0; i_ < std::size(start); ++i_) {
      fold_copies(copies.part(&start, &start[i_]), into[i_], start[i_]);
    }
  } else if constexpr (resizable<T_>) {
    fold_vectors(copies, into, start);
  } else if constexpr (is_tuple<T_>) {
    [&]<std::size_t... I_>(std::index_sequence<I_...>) {
      (fold_copies(copies.part(&start, &std::get<I_>(start)), std::get<I_>(into), std::get<I_>(start)), ...);
    }(std::make_index_sequence<std::tuple_size_v<T_>>());
  } else {
    take_last(copies, into, start);
  }
}

}  // namespace stradsap::abi
