// Folds for elements that a body only adds into, by one operator. An accumulator starts neutral, takes the
// additions, and is folded into the elements after the loop.
// Named in code that stradsap-cc emits; see capture.hpp. Thread rule: static data.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <vector>

#include <stradsap/abi/abi.hpp>
#include <stradsap/abi/fold.hpp>

namespace stradsap::abi {

/// The operator of access(adds(Q)) for additions out of sight: a class is added by its own `+=`.
struct stated_sum : fold::addition {};

/// The operator with the number in a capture's mode.
template <unsigned Number_> struct operator_of;
template <> struct operator_of<adds_up> : std::type_identity<fold::addition> {};
template <> struct operator_of<multiplies> : std::type_identity<fold::product> {};
template <> struct operator_of<takes_minimum> : std::type_identity<fold::minimum> {};
template <> struct operator_of<takes_maximum> : std::type_identity<fold::maximum> {};
template <> struct operator_of<ands_bits> : std::type_identity<fold::bit_and> {};
template <> struct operator_of<ors_bits> : std::type_identity<fold::bit_or> {};
template <> struct operator_of<xors_bits> : std::type_identity<fold::bit_xor> {};
template <> struct operator_of<takes_minimum_number> : std::type_identity<fold::minimum_number> {};
template <> struct operator_of<takes_maximum_number> : std::type_identity<fold::maximum_number> {};
template <> struct operator_of<adds_as_stated> : std::type_identity<stated_sum> {};

/// A zero without additions keeps its sign. By bits: g++ would make a store under a condition, and then pack
/// no loop over it without AVX-512.
template <class N_> void add_unless_zero(N_& into, const N_& part) {
  if constexpr (std::is_same_v<N_, float> || std::is_same_v<N_, double>) {
    using bits = std::conditional_t<sizeof(N_) == 4, std::int32_t, std::int64_t>;
    constexpr bits sign = std::numeric_limits<bits>::min();
    const bits added = std::bit_cast<bits>(part);
    const bits is_zero = -bits((added & ~sign) == 0);
    into += std::bit_cast<N_>(added | (is_zero & sign));  // adding -0.0 changes no number
  } else {
    into = part == 0 ? into : into + part;
  }
}

/// Whether the compiler keeps the order of several additions: as they are written, or at least with barriers.
#ifdef __FAST_MATH__
inline constexpr bool keeps_order = false, keeps_barred_order = has_barrier;
#else
inline constexpr bool keeps_order = true, keeps_barred_order = true;
#endif

/// The fold of numbers of type N.
template <class Op_, class N_> struct number_fold {
  static constexpr bool is_sum = std::is_base_of_v<fold::addition, Op_>;
  static constexpr bool is_of_bits = std::is_same_v<Op_, fold::bit_and> ||
                                     std::is_same_v<Op_, fold::bit_or> || std::is_same_v<Op_, fold::bit_xor>;
  static constexpr bool is_there = std::is_integral_v<N_> || !is_of_bits;  // else no body can use it

  static void begin(N_& part) {
    if constexpr (is_sum) {
      part = N_{};
    } else if constexpr (is_there) {
      part = Op_::template identity<N_>();
    }
  }
  static void combine(N_& into, const N_& part) {
    if constexpr (is_sum && std::is_floating_point_v<N_>) {
      add_unless_zero(into, part);
    } else if constexpr (is_there) {
      Op_::combine(into, part);
    }
  }
  /// Adds one part to another, before the next one also with -ffast-math. The sign of a zero matters in
  /// elements only: combine() adds none there.
  static void join(N_& into, const N_& part) {
    if constexpr (is_sum && std::is_floating_point_v<N_>) {
      into += part;
    } else {
      combine(into, part);
    }
    if constexpr (std::is_floating_point_v<N_>) into = barred(into);
  }
};

/// A class with values that are added as a whole, by `+=`.
template <class Op_, class T_>
concept adds_itself = std::is_same_v<Op_, stated_sum> && std::is_class_v<T_> &&
                      requires(T_& to, const T_& what) { to += what; };

/// Whether memory of zeros is a T, if all parts of it are numbers. A class with a matrix of Eigen's is not
/// trivially copyable; an aggregate has no virtual bases and functions.
template <class T_>
inline constexpr bool zeros_are_a_value =
    std::is_trivially_copyable_v<T_> || (std::is_aggregate_v<T_> && std::is_trivially_destructible_v<T_>);

template <class Op_, class T_> struct element_fold;

template <class Op_, class Class_, class... Base_, class... Member_>
constexpr bool members_fold(const member_list<Class_, bases<Base_...>, Member_ Class_::*...>&) {
  return (element_fold<Op_, Base_>::is_possible() && ...) &&
         (element_fold<Op_, Member_>::is_possible() && ...);
}
template <class Op_, class Class_, class... Base_, class... Member_>
constexpr bool members_fold_exactly(const member_list<Class_, bases<Base_...>, Member_ Class_::*...>&) {
  return (element_fold<Op_, Base_>::is_exact() && ...) && (element_fold<Op_, Member_>::is_exact() && ...);
}

template <class A_> struct entry_of_array {
  using type = A_;
};
template <class A_>
  requires is_array<A_>
struct entry_of_array<A_> {
  using type = std::remove_cvref_t<decltype(std::declval<A_&>()[0])>;
};

/// The numbers of which a part consists, if it is one, or an array or a matrix of them, else void.
template <class T_> struct numbers_of {
  using type = std::conditional_t<std::is_arithmetic_v<T_>, T_, void>;
};
template <class T_>
  requires(is_matrix_of_numbers<T_>())
struct numbers_of<T_> {
  using type = typename T_::value_type;
};
template <class T_>
  requires is_array<T_>
struct numbers_of<T_> : numbers_of<typename entry_of_array<T_>::type> {};

template <class T_> inline constexpr bool is_of_numbers = !std::is_void_v<typename numbers_of<T_>::type>;

/// The fold of elements, or parts of them, of type T.
template <class Op_, class T_> struct element_fold {
  /// Whether all parts of T can be folded. Enumerations count as such: no body adds into them.
  static constexpr bool is_possible() {
    if constexpr (std::is_arithmetic_v<T_> || std::is_enum_v<T_> || is_matrix_of_numbers<T_>()) {
      return true;
    } else if constexpr (is_array<T_>) {
      return element_fold<Op_, entry>::is_possible();
    } else if constexpr (!zeros_are_a_value<T_> || !std::is_default_constructible_v<T_>) {
      return false;
    } else if constexpr (adds_itself<Op_, T_>) {
      return std::is_trivially_copyable_v<T_>;
    } else if constexpr (reflected<T_> && !std::is_same_v<Op_, stated_sum>) {
      return members_fold<Op_>(T_::stradsap_members_());
    } else {
      return false;
    }
  }

  /// Whether the grouping of parts never changes a bit.
  static constexpr bool is_exact() {
    if constexpr (is_array<T_>) {
      return element_fold<Op_, entry>::is_exact();
    } else if constexpr (is_matrix_of_numbers<T_>()) {
      return std::is_integral_v<number>;
    } else if constexpr (std::is_class_v<T_> && !adds_itself<Op_, T_>) {
      return members_fold_exactly<Op_>(T_::stradsap_members_());
    } else {
      return std::is_integral_v<T_> || std::is_enum_v<T_>;
    }
  }

  /// Makes `part`, which is value-initialised, neutral. Eigen gives its coefficients no value.
  static void begin(T_& part) {
    if constexpr (smooth<T_>) {
      number_fold<Op_, T_>::begin(part);
    } else if constexpr (is_matrix_of_numbers<T_>()) {
      number neutral{};
      number_fold<Op_, number>::begin(neutral);
      for (std::size_t i_ = 0; i_ < fixed_shape<T_>::size; ++i_) part.data()[i_] = neutral;
    } else if constexpr (is_array<T_>) {
      for (auto& one : part) element_fold<Op_, entry>::begin(one);
    } else if constexpr (adds_itself<Op_, T_>) {
      std::memset(static_cast<void*>(&part), 0, sizeof part);  // members may begin with other values
    } else if constexpr (std::is_class_v<T_> && !adds_itself<Op_, T_>) {
      for_each_member(
          T_::stradsap_members_(), []<class M_>(M_& member) { element_fold<Op_, M_>::begin(member); }, part);
    }
  }

  static void combine(T_& into, const T_& part) {
    if constexpr (smooth<T_>) {
      number_fold<Op_, T_>::combine(into, part);
    } else if constexpr (is_matrix_of_numbers<T_>()) {
      for (std::size_t i_ = 0; i_ < fixed_shape<T_>::size; ++i_)
        number_fold<Op_, number>::combine(into.data()[i_], part.data()[i_]);
    } else if constexpr (is_array<T_>) {
      for (std::size_t i_ = 0; i_ < std::size(into); ++i_)
        element_fold<Op_, entry>::combine(into[i_], part[i_]);
    } else if constexpr (adds_itself<Op_, T_>) {
      into += part;
    } else if constexpr (std::is_class_v<T_>) {
      for_each_member(
          T_::stradsap_members_(),
          []<class M_>(M_& member, const M_& other) { element_fold<Op_, M_>::combine(member, other); }, into,
          part);
    }
  }

  /// Adds one part to another; see number_fold::join().
  static void join(T_& into, const T_& part) {
    if constexpr (smooth<T_>) {
      number_fold<Op_, T_>::join(into, part);
    } else if constexpr (is_matrix_of_numbers<T_>()) {
      for (std::size_t i_ = 0; i_ < fixed_shape<T_>::size; ++i_)
        number_fold<Op_, number>::join(into.data()[i_], part.data()[i_]);
    } else if constexpr (is_array<T_>) {
      for (std::size_t i_ = 0; i_ < std::size(into); ++i_) element_fold<Op_, entry>::join(into[i_], part[i_]);
    } else if constexpr (std::is_class_v<T_>) {
      for_each_member(
          T_::stradsap_members_(),
          []<class M_>(M_& member, const M_& other) { element_fold<Op_, M_>::join(member, other); }, into,
          part);
    }
  }

 private:
  using entry = typename entry_of_array<T_>::type;
  using number = typename numbers_of<T_>::type;
};

/// Whether a fold can leave parts of type T neutral as it adds them: numbers, arrays of them, and classes
/// that are added member by member.
template <class Op_, class T_> constexpr bool is_drained() {
  if constexpr (is_of_numbers<T_>) {
    return true;
  } else {
    return std::is_class_v<T_> && std::is_trivially_copyable_v<T_> && std::is_copy_assignable_v<T_> &&
           !std::is_same_v<Op_, stated_sum> && element_fold<Op_, T_>::is_possible();
  }
}

/// The fold of parts that it leaves neutral. They have other memory than the elements.
template <class Op_, class T_> struct draining_fold {
  using fold_of = std::conditional_t<std::is_arithmetic_v<T_>, number_fold<Op_, T_>, element_fold<Op_, T_>>;

  static T_ neutral() {
    T_ made = T_();
    if constexpr (std::is_same_v<Op_, fold::addition> && !std::is_arithmetic_v<T_>)
      std::memset(static_cast<void*>(&made), 0, sizeof made);  // members may begin with other values
    fold_of::begin(made);
    return made;
  }
  static void drain(T_* __restrict__ into, T_* __restrict__ parts, std::size_t n_) {
    const T_ none = neutral();
    for (std::size_t i_ = 0; i_ < n_; ++i_) {
      fold_of::combine(into[i_], parts[i_]);
      parts[i_] = none;
    }
  }
  /// The four parts p00 to p11 as the leaves of a tree.
  static void drain_four(T_* __restrict__ p00, T_* __restrict__ p01, T_* __restrict__ p10,
                         T_* __restrict__ p11, std::size_t n_) {
    const T_ none = neutral();
    for (std::size_t i_ = 0; i_ < n_; ++i_) {
      T_ right = p10[i_];
      fold_of::join(right, p11[i_]);
      fold_of::join(p00[i_], p01[i_]);
      fold_of::join(p00[i_], right);
      p01[i_] = p10[i_] = p11[i_] = none;
    }
  }
  static void drain_four(T_* __restrict__ into, T_* __restrict__ p00, T_* __restrict__ p01,
                         T_* __restrict__ p10, T_* __restrict__ p11, std::size_t n_) {
    if constexpr (!element_fold<Op_, T_>::is_exact() &&
                  !keeps_order) {  // g++ ignores barriers before this last addition
      drain_four(p00, p01, p10, p11, n_);
      return drain(into, p00, n_);
    }
    const T_ none = neutral();
    for (std::size_t i_ = 0; i_ < n_; ++i_) {
      T_ left = p00[i_];
      T_ right = p10[i_];
      fold_of::join(left, p01[i_]);
      fold_of::join(right, p11[i_]);
      fold_of::join(left, right);
      fold_of::combine(into[i_], left);
      p00[i_] = p01[i_] = p10[i_] = p11[i_] = none;
    }
  }
};

/// What a fold of T in one loop is over: the numbers of which T consists, or T.
template <class T_>
using drained_part = std::conditional_t<is_of_numbers<T_>, typename numbers_of<T_>::type, T_>;

/// Folds `n` parts into others, and leaves them neutral.
template <class Op_, class T_>
void drain_parts([[maybe_unused]] T_* into, [[maybe_unused]] T_* parts, [[maybe_unused]] std::size_t n_) {
  if constexpr (is_drained<Op_, T_>()) {
    using one = drained_part<T_>;
    draining_fold<Op_, one>::drain(reinterpret_cast<one*>(into), reinterpret_cast<one*>(parts),
                                   n_ * (sizeof(T_) / sizeof(one)));
  }
}

/// The same for four parts, see accumulation::drain_four.
template <class Op_, class T_>
void drain_four_parts([[maybe_unused]] void* into, [[maybe_unused]] void* const* parts,
                      [[maybe_unused]] std::size_t n_) {
  if constexpr (is_drained<Op_, T_>()) {
    using one = drained_part<T_>;
    const auto part = [&](std::size_t k_) { return static_cast<one*>(parts[k_]); };
    const std::size_t count = n_ * (sizeof(T_) / sizeof(one));
    using fold_of = draining_fold<Op_, one>;
    if (into == nullptr) return fold_of::drain_four(part(0), part(1), part(2), part(3), count);
    fold_of::drain_four(static_cast<one*>(into), part(0), part(1), part(2), part(3), count);
  }
}

/// The runtime's description of the fold.
template <class Op_, class T_> struct accumulation_of {
  static void begin(void* first, std::size_t n_) {
    for (std::size_t i_ = 0; i_ < n_; ++i_)
      element_fold<Op_, T_>::begin(*new (static_cast<T_*>(first) + i_) T_());
  }
  static void combine(void* into, const void* parts, std::size_t n_) {
    for (std::size_t i_ = 0; i_ < n_; ++i_)
      element_fold<Op_, T_>::combine(static_cast<T_*>(into)[i_], static_cast<const T_*>(parts)[i_]);
  }
  /// Leaves the additions to copies of `starts`.
  static void subtract(void* from, const void* starts, std::size_t n_) {
    if constexpr (std::is_arithmetic_v<T_> && !std::is_same_v<T_, bool>) {
      for (std::size_t i_ = 0; i_ < n_; ++i_)
        fold::addition::subtract(static_cast<T_*>(from)[i_], static_cast<const T_*>(starts)[i_]);
    }
  }
  /// Whether a neutral element is all zeros, as fresh memory is.
  static constexpr bool is_zero =
      std::is_same_v<Op_, fold::addition> || (number_fold<Op_, T_>::is_sum && smooth<T_>);
  static constexpr bool is_number_sum = number_fold<Op_, T_>::is_sum && std::is_arithmetic_v<T_>;
  static void drain(void* into, void* parts, std::size_t n_) {
    drain_parts<Op_, T_>(static_cast<T_*>(into), static_cast<T_*>(parts), n_);
  }
  static constexpr accumulation table{
      .is_exact = element_fold<Op_, T_>::is_exact(),
      .is_sum = is_zero,
      .begin = is_zero ? nullptr : &begin,
      .combine = &combine,
      .subtract = is_number_sum ? &subtract : nullptr,
      .drain = is_drained<Op_, T_>() ? &drain : nullptr,
      .drain_four = is_drained<Op_, T_>() && keeps_barred_order ? &drain_four_parts<Op_, T_> : nullptr};
};

/// Elements that are rows of numbers: vectors, and matrices with a size that is known at run time.
template <class T_> struct is_row : std::false_type {};
template <class N_, class Allocator_>
struct is_row<std::vector<N_, Allocator_>> : std::bool_constant<!std::is_same_v<N_, bool>> {};
template <matrix_like T_>
  requires(fixed_shape<T_>::size == 0)
struct is_row<T_> : std::bool_constant<smooth<typename T_::value_type>> {};

/// The fold of rows. Parts have the elements' shape: no body that only adds into numbers changes it.
template <class Op_, class Row_> struct accumulation_of_rows {
  using number = typename Row_::value_type;
  using fold = element_fold<Op_, number>;
  static constexpr bool is_possible() { return fold::is_possible(); }

  static Row_& row_at(void* first, std::size_t i_) { return static_cast<Row_*>(first)[i_]; }
  static const Row_& row_at(const void* first, std::size_t i_) { return static_cast<const Row_*>(first)[i_]; }
  static void begin(void* first, std::size_t n_) {
    for (std::size_t i_ = 0; i_ < n_; ++i_) new (static_cast<Row_*>(first) + i_) Row_();
  }
  static std::size_t length(const Row_& row) { return static_cast<std::size_t>(row.size()); }
  static void clear(void* parts, std::size_t n_) {
    number neutral{};  // members may have other values than zero
    if constexpr (!smooth<number>) std::memset(static_cast<void*>(&neutral), 0, sizeof neutral);
    fold::begin(neutral);
    for (std::size_t i_ = 0; i_ < n_; ++i_) {
      number* const first = row_at(parts, i_).data();
      for (std::size_t k_ = 0; k_ < length(row_at(parts, i_)); ++k_) first[k_] = neutral;
    }
  }
  static void shape(void* parts, const void* elements, std::size_t n_) {
    for (std::size_t i_ = 0; i_ < n_; ++i_) {
      const Row_& like = row_at(elements, i_);
      if (has_same_shape(row_at(parts, i_), like)) continue;
      take_shape(row_at(parts, i_), like);
      clear(&row_at(parts, i_), 1);
    }
  }
  static void combine(void* into, const void* parts, std::size_t n_) {
    for (std::size_t i_ = 0; i_ < n_; ++i_) {
      number* const to = row_at(into, i_).data();
      const number* const part = row_at(parts, i_).data();
      for (std::size_t k_ = 0; k_ < length(row_at(parts, i_)); ++k_) fold::combine(to[k_], part[k_]);
    }
  }
  static std::size_t size_bytes(const void* first, std::size_t n_) {
    std::size_t bytes = 0;
    for (std::size_t i_ = 0; i_ < n_; ++i_) bytes += length(row_at(first, i_)) * sizeof(number);
    return bytes;
  }
  static void drain(void* into, void* parts, std::size_t n_) {
    for (std::size_t i_ = 0; i_ < n_; ++i_)
      drain_parts<Op_, number>(row_at(into, i_).data(), row_at(parts, i_).data(), length(row_at(parts, i_)));
  }
  static constexpr accumulation table{.is_exact = fold::is_exact(),
                                      .is_sum = false,
                                      .begin = &begin,
                                      .combine = &combine,
                                      .subtract = nullptr,
                                      .shape = &shape,
                                      .clear = &clear,
                                      .size_bytes = &size_bytes,
                                      .drain = is_drained<Op_, number>() ? &drain : nullptr};
};

}  // namespace stradsap::abi
