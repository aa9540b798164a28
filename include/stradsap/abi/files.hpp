// Files of elements, as the templates of input and output use them. Thread rule: each function states its
// own.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/abi/program.hpp>
#include <stradsap/error.hpp>
#include <stradsap/serialize.hpp>

namespace stradsap::rt {
class new_file;
}

namespace stradsap::abi {

/// Contiguous elements in a file, as every rank opens it.
struct stored_elements {
  std::string path;
  std::string name;                  // for messages: the path at the end
  std::uint64_t begin = 0;           // byte of the first element
  std::uint64_t end = 0;             // byte behind the last one
  std::uint64_t reversed_bytes = 1;  // of each number; 1: none

  /// Read or write `size` bytes from `from` bytes behind the first element. Any thread. Throw
  /// error(errc::bad_input): "NAME: cannot be read: ...".
  void read(void* to, std::uint64_t from, std::uint64_t size) const;
  void write(const void* data, std::uint64_t from, std::uint64_t size) const;

  void stradsap_write_(writer& out) const { out(path, name, begin, end, reversed_bytes); }
  void stradsap_read_(reader& in) { in(path, name, begin, end, reversed_bytes); }
};

/// The type of the elements in a .npy file: a number, or an array of numbers.
struct npy_type {
  std::string dtype;  // of a number, little-endian, as "<f4"
  std::size_t number_bytes = 1;
  std::vector<std::uint64_t> dimensions;  // of an element; none for a number
};

/// The lengths of an array's dimensions, of any integer types: {rows, columns}. None: those of the container.
class array_shape {
 public:
  array_shape() = default;
  array_shape(std::vector<std::uint64_t> lengths) : lengths_(std::move(lengths)) {}
  /// Throws error(errc::output) for a negative length.
  template <std::integral... N_>
    requires(sizeof...(N_) != 0)
  array_shape(N_... lengths) : lengths_{checked(lengths)...} {}
  [[nodiscard]] const std::vector<std::uint64_t>& lengths() const { return lengths_; }

 private:
  template <class N_> static std::uint64_t checked(N_ length) {
    if constexpr (std::is_signed_v<N_>) {
      if (length < 0)
        throw error(errc::output,
                    "save_npy: a shape has the negative length " + std::to_string(static_cast<long>(length)));
    }
    return static_cast<std::uint64_t>(length);
  }
  std::vector<std::uint64_t> lengths_;
};

/// A .npy file to read. `shape`: all dimensions of the array.
struct npy_file {
  stored_elements elements;
  std::vector<std::uint64_t> shape;
  std::uint64_t count = 0;  // elements
};

/// Opens a .npy file and compares its type. Throws error(errc::bad_input): "PATH: ...". The driver's thread.
[[nodiscard]] npy_file open_npy(const std::string& path, const npy_type& type);
[[nodiscard]] std::vector<std::uint64_t> shape_of_npy(const std::string& path);
/// Throws error(errc::output): row `at` of an array has `size` entries, the rows before it `expected`.
[[__noreturn__]] void refuse_row(const std::string& name, std::uint64_t at, std::uint64_t size,
                                 std::uint64_t expected);
/// The path of NAME in the folder, from its manifest. Throws error(errc::bad_input).
[[nodiscard]] std::string npy_path(const std::string& folder, const std::string& name);

/// A .npy file that is written aside, and appears under its name when it is complete. Thread rule: the
/// driver's thread.
class new_npy {
 public:
  /// Makes the folder if it is missing. Throws error(errc::bad_input) if the file cannot be made.
  new_npy(const std::string& folder, const std::string& name, const npy_type& type, std::uint64_t count,
          const array_shape& shape);
  /// Removes the file if it was not completed.
  ~new_npy();
  new_npy(const new_npy&) = delete;
  new_npy& operator=(const new_npy&) = delete;

  [[nodiscard]] const stored_elements& elements() const { return elements_; }
  /// All elements are written: the file gets its name, and the manifest of its folder an entry.
  void complete();

 private:
  shown_operation shown_;
  std::string folder_;
  std::string name_;
  std::string dtype_;
  std::vector<std::uint64_t> shape_;
  stored_elements elements_;
  std::unique_ptr<rt::new_file> file_;
};

/// A file of JSON lines that is written aside in the same way. Thread rule: the driver's thread.
class new_lines {
 public:
  new_lines(const std::string& folder, const std::string& name);
  ~new_lines();
  new_lines(const new_lines&) = delete;
  new_lines& operator=(const new_lines&) = delete;

  /// The line that the caller appends to; add() ends it.
  [[nodiscard]] std::string& line() { return text_; }
  void add();
  /// As new_npy::complete.
  void complete();

 private:
  void flush();

  shown_operation shown_;
  std::string folder_;
  std::string name_;
  std::unique_ptr<rt::new_file> file_;
  std::string text_;
  std::uint64_t size_ = 0;   // bytes in the file
  std::uint64_t count_ = 0;  // lines
};

/// Appends a string in JSON. Bytes that are no UTF-8 become U+FFFD.
void append_json(std::string& to, std::string_view text);
/// Appends the shortest decimal that reads back as the same number; NaN, Infinity and -Infinity as Python
/// does.
void append_json(std::string& to, double number);
void append_json(std::string& to, float number);

}  // namespace stradsap::abi
