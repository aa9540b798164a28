// Elements that a body only adds into, by one operator: what a lane adds begins with nothing, apart from the
// elements, and is folded into them afterwards. Emitted by stradsap-cc, see capture.hpp. Thread rule: static
// data.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <stradsap/abi.hpp>
#include <stradsap/fold.hpp>

namespace stradsap::abi {

/// Said by access(adds(Q)) alone, of additions that stand out of sight: a class is added by its own `+=`.
struct stated_sum : fold::sum {};

/// The operator that a capture's mode names.
template <unsigned Number> struct operator_of;
template <> struct operator_of<0> : std::type_identity<fold::sum> {};
template <> struct operator_of<1> : std::type_identity<fold::product> {};
template <> struct operator_of<2> : std::type_identity<fold::minimum> {};
template <> struct operator_of<3> : std::type_identity<fold::maximum> {};
template <> struct operator_of<4> : std::type_identity<fold::bit_and> {};
template <> struct operator_of<5> : std::type_identity<fold::bit_or> {};
template <> struct operator_of<6> : std::type_identity<fold::bit_xor> {};
template <> struct operator_of<7> : std::type_identity<stated_sum> {};

/// Of numbers of type N.
template <class Op, class N> struct number_fold {
  static constexpr bool is_sum = std::is_base_of_v<fold::sum, Op>;
  static constexpr bool is_of_bits = std::is_same_v<Op, fold::bit_and> || std::is_same_v<Op, fold::bit_or> ||
                                     std::is_same_v<Op, fold::bit_xor>;
  static constexpr bool is_there = std::is_integral_v<N> || !is_of_bits;  // else no body can do it

  static void begin(N& part) {
    if constexpr (is_there && !is_sum) part = Op::template identity<N>();
  }
  static void combine(N& into, const N& part) {
    if constexpr (is_sum && std::is_floating_point_v<N>) {
      into = part == 0 ? into : into + part;  // what nobody added into keeps its sign, if it is a zero
    } else if constexpr (is_there) {
      Op::combine(into, part);
    }
  }
};

/// A class whose values are added as a whole.
template <class Op, class T>
concept adds_itself =
    std::is_same_v<Op, stated_sum> && std::is_class_v<T> && requires(T& to, const T& what) { to += what; };

template <class Op, class T> struct element_fold;

template <class Op, class Class, class... Base, class... Member>
constexpr bool members_fold(const member_list<Class, bases<Base...>, Member Class::*...>&) {
  return (element_fold<Op, Base>::is_possible() && ...) && (element_fold<Op, Member>::is_possible() && ...);
}
template <class Op, class Class, class... Base, class... Member>
constexpr bool members_fold_exactly(const member_list<Class, bases<Base...>, Member Class::*...>&) {
  return (element_fold<Op, Base>::is_exact() && ...) && (element_fold<Op, Member>::is_exact() && ...);
}

/// Of elements, or parts of them, of type T.
template <class Op, class T> struct element_fold {
  /// Whether T is made of nothing but what folds, and what no body adds into.
  static constexpr bool is_possible() {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      return true;
    } else if constexpr (is_array<T>) {
      return element_fold<Op, entry>::is_possible();
    } else if constexpr (!std::is_trivially_copyable_v<T> || !std::is_default_constructible_v<T>) {
      return false;
    } else if constexpr (adds_itself<Op, T>) {
      return true;
    } else if constexpr (reflected<T> && !std::is_same_v<Op, stated_sum>) {
      return members_fold<Op>(T::stradsap_members_());
    } else {
      return false;
    }
  }

  /// Whether parts may be grouped in any way without changing a bit.
  static constexpr bool is_exact() {
    if constexpr (is_array<T>) {
      return element_fold<Op, entry>::is_exact();
    } else if constexpr (std::is_class_v<T> && !adds_itself<Op, T>) {
      return members_fold_exactly<Op>(T::stradsap_members_());
    } else {
      return std::is_integral_v<T> || std::is_enum_v<T>;
    }
  }

  /// `part`, value-initialised, becomes what changes nothing.
  static void begin(T& part) {
    if constexpr (smooth<T>) {
      number_fold<Op, T>::begin(part);
    } else if constexpr (is_array<T>) {
      for (auto& one : part) element_fold<Op, entry>::begin(one);
    } else if constexpr (std::is_class_v<T> && !adds_itself<Op, T>) {
      for_each_member(
          T::stradsap_members_(), []<class M>(M& member) { element_fold<Op, M>::begin(member); }, part);
    }
  }

  static void combine(T& into, const T& part) {
    if constexpr (smooth<T>) {
      number_fold<Op, T>::combine(into, part);
    } else if constexpr (is_array<T>) {
      for (std::size_t i = 0; i < std::size(into); ++i) element_fold<Op, entry>::combine(into[i], part[i]);
    } else if constexpr (adds_itself<Op, T>) {
      into += part;
    } else if constexpr (std::is_class_v<T>) {
      for_each_member(
          T::stradsap_members_(),
          []<class M>(M& member, const M& other) { element_fold<Op, M>::combine(member, other); }, into,
          part);
    }
  }

 private:
  template <class A> struct entry_of_array {
    using type = A;
  };
  template <class A>
    requires is_array<A>
  struct entry_of_array<A> {
    using type = std::remove_cvref_t<decltype(std::declval<A&>()[0])>;
  };
  using entry = typename entry_of_array<T>::type;
};

/// What the runtime knows of it.
template <class Op, class T> struct accumulation_of {
  static void begin(void* first, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) element_fold<Op, T>::begin(*new (static_cast<T*>(first) + i) T());
  }
  static void combine(void* into, const void* parts, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      element_fold<Op, T>::combine(static_cast<T*>(into)[i], static_cast<const T*>(parts)[i]);
  }
  /// Fresh memory is that already.
  static constexpr bool is_zero = std::is_same_v<Op, fold::sum> || (number_fold<Op, T>::is_sum && smooth<T>);
  static constexpr accumulation table{element_fold<Op, T>::is_exact(), is_zero ? nullptr : &begin, &combine};
};

}  // namespace stradsap::abi
