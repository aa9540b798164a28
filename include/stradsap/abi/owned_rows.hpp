// The rows that elements own: vectors of plain values, as elements or in their members. A list of elements
// leads to the vectors, and these to their values, so a prefetch of the values reads an element first.
// Stateless.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include <stradsap/abi/blocks.hpp>
#include <stradsap/serialize.hpp>

namespace stradsap::abi {

template <class T_> consteval bool owns_rows();

template <class Class_, class... Base_, class... Member_>
consteval bool do_members_own_rows(const member_list<Class_, bases<Base_...>, Member_ Class_::*...>&) {
  return (... || owns_rows<Base_>()) || (... || owns_rows<Member_>());
}

/// Whether a T is a vector of plain values, or has one among its members.
template <class T_> consteval bool owns_rows() {
  if constexpr (is_vector<T_>) {
    return plain<typename T_::value_type>;
  } else if constexpr (reflected<T_>) {
    return do_members_own_rows(T_::stradsap_members_());
  } else {
    return false;
  }
}

/// The bytes of the rows that an element owns.
template <class T_> std::size_t bytes_of_rows(const T_& element) {
  if constexpr (!owns_rows<T_>()) {
    return 0;
  } else if constexpr (is_vector<T_>) {
    return element.size() * sizeof(typename T_::value_type);
  } else {
    std::size_t sum = 0;
    const auto add = [&sum](const auto& member) { sum += bytes_of_rows(member); };
    for_each_member(T_::stradsap_members_(), add, element);
    return sum;
  }
}

/// Prefetches the values of a vector for writing, or the first ones. Always inlined, as are its callers: g++
/// treats a call that only prefetches as a call without effect, and drops it.
template <class Row_> [[__gnu__::__always_inline__]] inline void prefetch_row(const Row_& row) {
  const auto* const first = reinterpret_cast<const std::byte*>(row.data());
  const std::size_t size = row.size() * sizeof(typename Row_::value_type);
  for (std::size_t at = 0; at < size && at < most_prefetched; at += 64) __builtin_prefetch(first + at, 1);
}

template <class T_> [[__gnu__::__always_inline__]] inline void prefetch_rows(const T_& element);

template <class Class_, class... Base_, class... Member_, std::size_t... I_>
[[__gnu__::__always_inline__]] inline void prefetch_rows_of_members(
    const member_list<Class_, bases<Base_...>, Member_ Class_::*...>& list, const Class_& element,
    std::index_sequence<I_...>) {
  (prefetch_rows(static_cast<const Base_&>(element)), ...);
  (prefetch_rows(element.*std::get<I_>(list.pointers)), ...);
}

/// Prefetches the rows that an element owns. It reads the element.
template <class T_> [[__gnu__::__always_inline__]] inline void prefetch_rows(const T_& element) {
  if constexpr (!owns_rows<T_>()) {
    return;
  } else if constexpr (is_vector<T_>) {
    prefetch_row(element);
  } else {
    constexpr auto members = T_::stradsap_members_();
    constexpr std::size_t count = std::tuple_size_v<decltype(members.pointers)>;
    prefetch_rows_of_members(members, element, std::make_index_sequence<count>());
  }
}

}  // namespace stradsap::abi
