// Rows of LIBSVM: options, and the parser of a piece, without containers. Thread rule: values, pure
// functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <stradsap/abi/text_files.hpp>

namespace stradsap {

struct libsvm_options {
  std::int32_t index_base = 1;  // the file's index of column 0
  std::int64_t columns = 0;     // a row has at most so many; 0: as many as the largest index says
};

/// One row: its label, and its entries, columns from 0 and values, in ascending order of columns.
template <class V_> using libsvm_row = std::pair<V_, std::vector<std::pair<std::int32_t, V_>>>;

namespace abi {

/// Counts rows, and values as far as the lines are right.
void count_libsvm(std::string_view text, piece_report& made);

/// Where the rows of a piece go.
template <class V_> struct libsvm_arrays {
  std::span<V_> label;
  std::span<std::int64_t> row_end;
  std::span<std::int32_t> index;
  std::span<V_> value;
};
// for float, double, std::int32_t and std::int64_t
template <class V_>
void parse_libsvm(std::string_view text, const libsvm_options& options, std::uint64_t values_before,
                  const libsvm_arrays<V_>& into, piece_report& made);
template <class V_>
void parse_libsvm(std::string_view text, const libsvm_options& options, std::span<libsvm_row<V_>> into,
                  piece_report& made);

}  // namespace abi
}  // namespace stradsap
