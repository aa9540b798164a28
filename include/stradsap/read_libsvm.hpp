// The sparse rows of LIBSVM and SVMlight, "label index:value index:value", as scikit-learn's
// dump_svmlight_file writes and XGBoost and LIBLINEAR read them. Thread rule: the driver's thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/abi/libsvm.hpp>
#include <stradsap/abi/text_pieces.hpp>
#include <stradsap/matrices.hpp>

namespace stradsap {

namespace abi {

struct libsvm_count {
  [[nodiscard]] piece_range window(std::size_t, std::int64_t) const { return {}; }
  piece_report operator()(std::int64_t, const text_piece& piece) const {
    return report_of_piece(piece, count_libsvm);
  }
  void stradsap_write_(writer&) const {}
  void stradsap_read_(reader&) {}
};

template <class V_> struct libsvm_parse {
  libsvm_options options;
  std::vector<std::uint64_t> rows, values;

  /// Of the labels, the ends of the rows, the indices, the values; or of the rows.
  [[nodiscard]] piece_range window(std::size_t c_, std::int64_t p_) const {
    const piece_range all = range_in(c_ < 2 ? rows : values, p_);
    return {all.first + (c_ == 1 ? 1 : 0), all.size};
  }
  piece_report operator()(std::int64_t p_, const text_piece& piece, std::span<V_> label,
                          std::span<std::int64_t> row_end, std::span<std::int32_t> index,
                          std::span<V_> value) const {
    return report_of_piece(piece, [&](std::string_view text, piece_report& made) {
      parse_libsvm<V_>(text, options, range_in(values, p_).first, {label, row_end, index, value}, made);
    });
  }
  piece_report operator()(std::int64_t, const text_piece& piece, std::span<libsvm_row<V_>> into) const {
    return report_of_piece(piece, [&](std::string_view text, piece_report& made) {
      parse_libsvm<V_>(text, options, into, made);
    });
  }
  void stradsap_write_(writer& out) const { out(options.index_base, options.columns, rows, values); }
  void stradsap_read_(reader& in) { in(options.index_base, options.columns, rows, values); }
};

inline opened_text open_libsvm(const std::string& path, const libsvm_options& options) {
  if (options.index_base != 0 && options.index_base != 1)
    throw error(errc::bad_input, path + ": .index_base is 0 or 1");
  if (options.columns < 0) throw error(errc::bad_input, path + ": .columns is a number of columns, or 0");
  return open_text(path, [](std::size_t, std::string_view) { return false; });
}

}  // namespace abi

inline namespace STRADSAP_BUILD {

template <class V_> struct libsvm_data {
  dvector<V_> labels;
  sparse_matrix<V_> features;
};

/// The labels and the features of a file; V is float, double, int32_t or int64_t. Columns count from 0
/// for any index base of the file. `#` begins a comment.
/// Throws error(errc::bad_input) with "file:line: message" for the first line that is not of this form: an
/// index below the base or not above the one before it, a number that is not finite or does not fit V.
/// @code
/// const auto [labels, features] = read_libsvm<float>("a9a");
/// const auto tested = read_libsvm<float>("a9a.t", {.columns = features.columns});
/// @endcode
template <class V_ = float>
libsvm_data<V_> read_libsvm(const std::string& path, const libsvm_options& options = {}) {
  static_assert(abi::text_number<V_>, "read_libsvm: numbers are float, double, int32_t or int64_t");
  abi::text_pieces pieces{"read_libsvm", abi::open_libsvm(path, options)};
  abi::piece_table table = pieces.run(abi::libsvm_count{});
  const std::size_t rows = table.num_rows(), values = table.num_values();
  libsvm_data<V_> found{
      dvector<V_>(rows),
      {dvector<std::int64_t>(rows + 1), dvector<std::int32_t>(values), dvector<V_>(values)}};
  sparse_matrix<V_>& to = found.features;
  const abi::libsvm_parse<V_> work{options, std::move(table.rows), std::move(table.values)};
  to.columns = pieces.run(work, found.labels, to.indptr, to.index, to.value).most + 1;
  if (options.columns != 0) to.columns = options.columns;
  to.rows = static_cast<std::int64_t>(rows);
  return found;
}

/// The same as one element a row.
/// @code
/// dvector<libsvm_row<float>> rows = read_libsvm_rows<float>("a9a");
/// @endcode
template <class V_ = float>
dvector<libsvm_row<V_>> read_libsvm_rows(const std::string& path, const libsvm_options& options = {}) {
  static_assert(abi::text_number<V_>, "read_libsvm_rows: numbers are float, double, int32_t or int64_t");
  abi::text_pieces pieces{"read_libsvm_rows", abi::open_libsvm(path, options)};
  abi::piece_table table = pieces.run(abi::libsvm_count{});
  auto found = dvector<libsvm_row<V_>>(table.num_rows());
  (void)pieces.run(abi::libsvm_parse<V_>{options, std::move(table.rows), {}}, found);
  return found;
}

}  // namespace STRADSAP_BUILD
}  // namespace stradsap
