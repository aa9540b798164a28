// Matrices and arrays of Eigen, without its headers. A program may have macros with the names of their
// members. Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#pragma push_macro("PlainObject")
#pragma push_macro("RowsAtCompileTime")
#pragma push_macro("ColsAtCompileTime")
#pragma push_macro("cols")
#undef PlainObject
#undef RowsAtCompileTime
#undef ColsAtCompileTime
#undef cols

namespace stradsap::abi {

/// A matrix or an array of Eigen, which owns its coefficients. Its views and expressions are of other types.
template <class T_>
concept matrix_like = requires(T_& value, const T_& other) {
  typename T_::value_type;
  requires std::is_same_v<T_, typename T_::PlainObject>;
  value.resize(other.rows(), other.cols());
  other.data();
};

/// The sizes of a type of matrices; 0 where they are known at run time only.
template <matrix_like T_> struct fixed_shape {
  static constexpr std::uint64_t rows = T_::RowsAtCompileTime > 0 ? T_::RowsAtCompileTime : 0;
  static constexpr std::uint64_t columns = T_::ColsAtCompileTime > 0 ? T_::ColsAtCompileTime : 0;
  static constexpr std::uint64_t size = rows * columns;
};

template <matrix_like T_> std::uint64_t columns_of(const T_& value) {
  return static_cast<std::uint64_t>(value.cols());
}

template <class T_> consteval bool is_matrix_of_numbers() {
  if constexpr (matrix_like<T_>) {
    using number = typename T_::value_type;
    if constexpr (fixed_shape<T_>::size > 0 && std::is_arithmetic_v<number> && !std::is_same_v<number, bool>)
      return sizeof(T_) == fixed_shape<T_>::size * sizeof(number);
  }
  return false;
}

}  // namespace stradsap::abi

#pragma pop_macro("PlainObject")
#pragma pop_macro("RowsAtCompileTime")
#pragma pop_macro("ColsAtCompileTime")
#pragma pop_macro("cols")
