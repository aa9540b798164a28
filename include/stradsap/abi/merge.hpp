// The merge of two changed copies of a value, for the shards of a batch. Thread rule: values.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/serialize.hpp>

namespace stradsap::abi {

/// Throws error(errc::unsupported): two copies of one value of the type changed.
[[__noreturn__]] void throw_both_changed(const char* type);

/// Whether a program can tell no difference: a NaN equals itself, and the two zeros differ.
template <class T_> bool is_unchanged(const T_& start, const T_& end) {
  if constexpr (std::is_floating_point_v<T_>) {
    return start == end ? __builtin_signbit(start) == __builtin_signbit(end) : start != start && end != end;
  } else {
    return start == end;
  }
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
    // a number that one copy changed takes that copy's value; infinities have no difference
    if (is_unchanged(start, end)) return;
    into = is_unchanged(start, into) ? end : static_cast<T_>(into + (end - start));
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

}  // namespace stradsap::abi
