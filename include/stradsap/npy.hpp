// Arrays in files of NumPy. Thread rule: the driver's thread, outside loop bodies.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/abi/element_blocks.hpp>
#include <stradsap/abi/files.hpp>
#include <stradsap/dvector.hpp>
#include <stradsap/matrices.hpp>

namespace stradsap {
namespace abi {

static_assert(std::endian::native == std::endian::little, "a .npy file is written as it is in memory");

/// A std::complex, without its header, which macros of programs break.
template <class T_>
concept complex_number = requires(const T_& z_) {
  { z_.imag() } -> std::same_as<typename T_::value_type>;
} && std::is_floating_point_v<typename T_::value_type> && sizeof(T_) == 2 * sizeof(typename T_::value_type);

/// The kind of numbers in NumPy's notation; '\0' for other types.
template <class T_> consteval char npy_kind() {
  if constexpr (std::is_same_v<T_, bool>) return 'b';
  if constexpr (std::is_floating_point_v<T_>) return 'f';
  if constexpr (std::is_integral_v<T_>) return std::is_signed_v<T_> ? 'i' : 'u';
  if constexpr (complex_number<T_>) return 'c';
  return '\0';
}

/// The number in nested arrays, and the arrays' lengths.
template <class T_> struct npy_number {
  using type = T_;
  static void add_lengths(std::vector<std::uint64_t>&) {}
};
template <class T_, std::size_t N_> struct npy_number<std::array<T_, N_>> {
  using type = typename npy_number<T_>::type;
  static void add_lengths(std::vector<std::uint64_t>& lengths) {
    lengths.push_back(N_);
    npy_number<T_>::add_lengths(lengths);
  }
};

/// A number that NumPy knows, or a std::array of such.
template <class T_>
concept npy_element =
    npy_kind<typename npy_number<T_>::type>() != '\0' && sizeof(typename npy_number<T_>::type) <= 16 &&
    !std::is_same_v<typename npy_number<T_>::type, long double>;

template <npy_element T_> npy_type type_of_npy() {
  using number = typename npy_number<T_>::type;
  npy_type type;
  const char text[] = {sizeof(number) == 1 ? '|' : '<', npy_kind<number>(), '\0'};
  type.dtype = text;
  type.dtype += std::to_string(sizeof(number));
  type.number_bytes = sizeof(number);
  npy_number<T_>::add_lengths(type.dimensions);
  return type;
}

/// Moves the elements of one block between memory and the file.
struct read_block {
  stored_elements file;
  template <class T_> void operator()(const element_block<T_>& some) const {
    file.read(some.elements.data(), some.first * sizeof(T_), some.elements.size_bytes());
    if constexpr (std::is_same_v<typename npy_number<T_>::type, bool>) {
      auto* const bytes = reinterpret_cast<unsigned char*>(some.elements.data());
      for (std::size_t i = 0; i < some.elements.size_bytes(); ++i) bytes[i] = bytes[i] != 0 ? 1 : 0;
    }
  }
  void stradsap_write_(writer& out) const { out(file); }
  void stradsap_read_(reader& in) { in(file); }
};
struct write_block {
  stored_elements file;
  template <class T_> void operator()(const element_block<T_>& some) const {
    file.write(some.elements.data(), some.first * sizeof(T_), some.elements.size_bytes());
  }
  void stradsap_write_(writer& out) const { out(file); }
  void stradsap_read_(reader& in) { in(file); }
};

}  // namespace abi

inline namespace STRADSAP_BUILD {

/// Saves the elements as FOLDER/NAME.npy, and enters the array in FOLDER/manifest.json with its shape and
/// type, the program, its build id and the seed. Makes the folder if it is missing. T is a number, or
/// std::array of such, nested too: n elements of std::array<float, K> become an array of shape (n, K).
/// `shape` gives a flat container another shape.
/// All ranks write, each its part. The file is written aside and gets its name when all bytes
/// are on the disk; the manifest follows.
/// Throws error(errc::output): "FOLDER/NAME.npy: cannot be written: ...", or if the shape does not fit. Then
/// the files of before are unchanged.
/// @code
/// const dvector<std::array<float, 16>> P(100);
/// const dvector<float> W(12);
/// save_npy("model", "P", P);
/// save_npy("model", "W", W, {3, 4});
/// @endcode
template <abi::npy_element T_>
void save_npy(const std::string& folder, const std::string& name, const dvector<T_>& elements,
              const abi::array_shape& shape = {}) {
  auto file = abi::new_npy(folder, name, abi::type_of_npy<T_>(), elements.size(), shape);
  abi::for_each_block<const T_>("save_npy", abi::write_block{file.elements()}, elements);
  file.complete();
}

/// The same for rows of equal length: n vectors of K numbers become an array of shape (n, K). Brings all rows
/// to the driver. Throws error(errc::output) that names the first row of another length.
/// @code
/// const dvector<std::vector<float>> topics(3, std::vector<float>(20));
/// save_npy("model", "topics", topics);
/// @endcode
template <abi::npy_element T_>
void save_npy(const std::string& folder, const std::string& name, const dvector<std::vector<T_>>& vectors) {
  const std::uint64_t length = vectors.empty() ? 0 : vectors[0].size();
  auto flat = dvector<T_>(vectors.size() * length);
  T_* to = flat.data();
  for (const std::vector<T_>& one : vectors) {
    if (one.size() != length)
      abi::refuse_row(name, static_cast<std::uint64_t>(&one - vectors.data()), one.size(), length);
    for (const T_& number : one) *to++ = number;
  }
  save_npy(folder, name, flat, {vectors.size(), length});
}

/// The same for data of main, such as corpus::counts.
template <abi::npy_element T_>
void save_npy(const std::string& folder, const std::string& name, const std::vector<T_>& elements,
              const abi::array_shape& shape = {}) {
  save_npy(folder, name, dvector<T_>(elements.begin(), elements.end()), shape);
}

/// A table of numbers as an array of shape (rows, columns). Its names are not saved.
template <abi::npy_element T_>
void save_npy(const std::string& folder, const std::string& name, const dense_matrix<T_>& table) {
  save_npy(folder, name, table.value,
           {static_cast<std::uint64_t>(table.rows), static_cast<std::uint64_t>(table.columns)});
}

/// The arrays of a sparse matrix, under NAME.indptr, NAME.index and NAME.value, as
/// scipy.sparse.csr_matrix((value, index, indptr), (rows, columns)) takes them.
/// @code
/// save_npy("model", "A", read_libsvm<float>("a9a").features);
/// @endcode
template <abi::npy_element T_>
void save_npy(const std::string& folder, const std::string& name, const sparse_matrix<T_>& matrix) {
  save_npy(folder, name + ".indptr", matrix.indptr);
  save_npy(folder, name + ".index", matrix.index);
  save_npy(folder, name + ".value", matrix.value);
}

/// The array of a .npy file, in C order; every rank reads its part. The numbers must have the type in T;
/// big-endian ones are converted. If T is a std::array, the last dimensions are those of T. A file of any
/// other shape becomes a flat container; npy_shape() tells the shape.
/// Throws error(errc::bad_input): "PATH: ...", for another type or shape, Fortran order, a file that ends
/// early or is no regular file.
/// @code
/// const dvector<float> weights = read_npy<float>("weights.npy");
/// const auto P = read_npy<std::array<float, 16>>("model/P.npy");
/// @endcode
template <abi::npy_element T_> [[nodiscard]] dvector<T_> read_npy(const std::string& path) {
  const abi::npy_file file = abi::open_npy(path, abi::type_of_npy<T_>());
  abi::shown_operation shown{"reading " + path.substr(path.rfind('/') + 1), "elements", file.count};
  shown.weigh_iterations(1);
  auto elements = dvector<T_>(file.count);
  abi::for_each_block<T_>("read_npy", abi::read_block{file.elements}, elements);
  return elements;
}

/// The array that save_npy(folder, name, ...) saved, on any number of ranks. As read_npy.
/// @code
/// const auto P = load_npy<std::array<float, 16>>("model", "P");
/// @endcode
template <abi::npy_element T_>
[[nodiscard]] dvector<T_> load_npy(const std::string& folder, const std::string& name) {
  return read_npy<T_>(abi::npy_path(folder, name));
}

}  // namespace STRADSAP_BUILD

/// The dimensions of the array in a .npy file. Throws as read_npy.
/// @code
/// std::printf("%lu columns\n", npy_shape("weights.npy").at(1));
/// @endcode
[[nodiscard]] inline std::vector<std::uint64_t> npy_shape(const std::string& path) {
  return abi::shape_of_npy(path);
}

}  // namespace stradsap
