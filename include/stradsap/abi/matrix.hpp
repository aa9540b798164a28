// Entries of sparse matrices, "row column value", in Matrix Market files and UCI's bags of words: the parsers
// of a piece, without containers. Thread rule: values, pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <stradsap/abi/text_files.hpp>

namespace stradsap {

/// One entry of a matrix; row and column from 0.
template <class V_> struct matrix_entry {
  std::int32_t row = 0;
  std::int32_t column = 0;
  V_ value{};

  static constexpr auto stradsap_members_() {
    return abi::stradsap_members<matrix_entry>(abi::bases<>(), &matrix_entry::row, &matrix_entry::column,
                                               &matrix_entry::value);
  }
};

namespace abi {

/// The header of a file.
struct matrix_shape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;  // lines
  bool has_values = true;    // else each entry is 1
  std::int32_t mirror = 0;   // a symmetric matrix: 1; a skew-symmetric one: -1
  char comment = '%';

  void stradsap_write_(writer& out) const { out(rows, columns, entries, has_values, mirror, comment); }
  void stradsap_read_(reader& in) { in(rows, columns, entries, has_values, mirror, comment); }
};

struct opened_matrix {
  opened_text text;
  matrix_shape shape;
};
/// Open one file and read its header. Throw error(errc::bad_input).
[[nodiscard]] opened_matrix open_matrix_market(const std::string& path);
[[nodiscard]] opened_matrix open_docword(const std::string& path);

/// Counts lines as rows, and entries with their mirrors as values. The greatest row is `most`.
void count_entries(std::string_view text, const matrix_shape& shape, piece_report& made);

// for float, double, std::int32_t and std::int64_t
template <class V_>
void parse_entries(std::string_view text, const matrix_shape& shape, std::span<matrix_entry<V_>> into,
                   piece_report& made);

/// Where the rows of a piece go.
struct docword_arrays {
  std::int64_t rows_before = 0;
  std::int64_t entries_before = 0;
  std::span<std::int64_t> row_begin;  // of the rows from `rows_before` on
  std::span<std::int32_t> index;
  std::span<std::int32_t> value;
};
/// Parses entries with ascending rows.
void parse_docword(std::string_view text, const matrix_shape& shape, const docword_arrays& into,
                   piece_report& made);

/// Throws error(errc::bad_input) if the file does not have as many entries as its header says.
void require_entries(const opened_matrix& of, const std::vector<text_file>& files, std::uint64_t found);

}  // namespace abi
}  // namespace stradsap
