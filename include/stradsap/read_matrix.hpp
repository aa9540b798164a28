// Sparse matrices in Matrix Market files and in UCI's bags of words. Thread rule: the driver's thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/abi/matrix.hpp>
#include <stradsap/abi/text_pieces.hpp>
#include <stradsap/matrices.hpp>

namespace stradsap {
namespace abi {

struct entry_count {
  matrix_shape shape;

  [[nodiscard]] piece_range window(std::size_t, std::int64_t) const { return {}; }
  piece_report operator()(std::int64_t, const text_piece& piece) const {
    return report_of_piece(
        piece, [&](std::string_view text, piece_report& made) { count_entries(text, shape, made); });
  }
  void stradsap_write_(writer& out) const { out(shape); }
  void stradsap_read_(reader& in) { in(shape); }
};

template <class V_> struct entry_parse {
  matrix_shape shape;
  std::vector<std::uint64_t> values;

  [[nodiscard]] piece_range window(std::size_t, std::int64_t p_) const { return range_in(values, p_); }
  piece_report operator()(std::int64_t, const text_piece& piece, std::span<matrix_entry<V_>> into) const {
    return report_of_piece(piece, [&](std::string_view text, piece_report& made) {
      parse_entries<V_>(text, shape, into, made);
    });
  }
  void stradsap_write_(writer& out) const { out(shape, values); }
  void stradsap_read_(reader& in) { in(shape, values); }
};

struct docword_parse {
  matrix_shape shape;
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> rows;  // that begin before each piece

  /// Of the beginnings of rows, the indices, the values.
  [[nodiscard]] piece_range window(std::size_t c_, std::int64_t p_) const {
    return range_in(c_ == 0 ? rows : values, p_);
  }
  piece_report operator()(std::int64_t p_, const text_piece& piece, std::span<std::int64_t> row_begin,
                          std::span<std::int32_t> index, std::span<std::int32_t> value) const {
    return report_of_piece(piece, [&](std::string_view text, piece_report& made) {
      const auto before = [&](const std::vector<std::uint64_t>& table) {
        return static_cast<std::int64_t>(range_in(table, p_).first);
      };
      parse_docword(text, shape, {before(rows), before(values), row_begin, index, value}, made);
    });
  }
  void stradsap_write_(writer& out) const { out(shape, values, rows); }
  void stradsap_read_(reader& in) { in(shape, values, rows); }
};

}  // namespace abi

inline namespace STRADSAP_BUILD {

/// A sparse matrix as its entries, in the order of the file.
template <class V_> struct coordinate_matrix {
  dvector<matrix_entry<V_>> entries;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// The entries of a file of Matrix Market, format `coordinate`; V is float, double, int32_t or int64_t. The
/// mirror of an entry of a symmetric or skew-symmetric matrix follows it; entries of a `pattern` are 1.
/// Throws error(errc::bad_input), with "file:line: message" for the first bad line.
/// @code
/// const auto ratings = read_matrix_market<float>("ratings.mtx");
/// @endcode
template <class V_> coordinate_matrix<V_> read_matrix_market(const std::string& path) {
  static_assert(abi::text_number<V_>, "read_matrix_market: numbers are float, double, int32_t or int64_t");
  abi::opened_matrix opened = abi::open_matrix_market(path);
  abi::text_pieces pieces{"read_matrix_market", std::move(opened.text)};
  abi::piece_table table = pieces.run(abi::entry_count{opened.shape});
  abi::require_entries(opened, pieces.files(), table.num_rows());
  coordinate_matrix<V_> found{dvector<matrix_entry<V_>>(table.num_values()), opened.shape.rows,
                              opened.shape.columns};
  (void)pieces.run(abi::entry_parse<V_>{opened.shape, std::move(table.values)}, found.entries);
  return found;
}

/// The counts of a bag of words of UCI, "document word count" behind three lines of sizes: a row for each
/// document, a column for each word, from 0. Documents must ascend.
/// Throws error(errc::bad_input), with "file:line: message" for the first bad line.
/// @code
/// const sparse_matrix<int32_t> counts = read_docword("docword.nips.txt.gz");
/// @endcode
template <std::same_as<std::int32_t> Count_ = std::int32_t>  // so that only programs that call it compile it
sparse_matrix<Count_> read_docword(const std::string& path) {
  abi::opened_matrix opened = abi::open_docword(path);
  abi::text_pieces pieces{"read_docword", std::move(opened.text)};
  abi::piece_table table = pieces.run(abi::entry_count{opened.shape});
  abi::require_entries(opened, pieces.files(), table.num_rows());
  const std::size_t values = table.num_values();
  sparse_matrix<Count_> found{dvector<std::int64_t>(static_cast<std::size_t>(opened.shape.rows) + 1),
                              dvector<std::int32_t>(values), dvector<std::int32_t>(values), opened.shape.rows,
                              opened.shape.columns};
  table.ends.back() = found.indptr.size();  // the last piece also has the rows without entries at the end
  (void)pieces.run(abi::docword_parse{opened.shape, std::move(table.values), std::move(table.ends)},
                   found.indptr, found.index, found.value);
  return found;
}

}  // namespace STRADSAP_BUILD
}  // namespace stradsap
