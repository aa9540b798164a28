// Comma-separated values, as RFC 4180 describes and pandas writes them, into numbers or structs.
// Thread rule: the driver's thread.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/abi/csv.hpp>
#include <stradsap/abi/text_pieces.hpp>
#include <stradsap/matrices.hpp>

namespace stradsap {

/// A column of a file, by its name, and the member that takes its fields: a float, double, int32_t, int64_t
/// or std::string.
template <class Row_, class Member_> struct csv_column {
  std::string name;
  Member_ Row_::* member;
};
template <class Row_, class Member_> csv_column(const char*, Member_ Row_::*) -> csv_column<Row_, Member_>;

namespace abi {

struct csv_count {
  char delimiter = ',';
  std::string comment;

  [[nodiscard]] piece_range window(std::size_t, std::int64_t) const { return {}; }
  piece_report operator()(std::int64_t, const text_piece& piece) const {
    return report_of_piece(
        piece, [&](std::string_view text, piece_report& made) { count_csv(text, delimiter, comment, made); });
  }
  void stradsap_write_(writer& out) const { out(delimiter, comment); }
  void stradsap_read_(reader& in) { in(delimiter, comment); }
};

template <class V_> struct csv_parse {
  csv_shape shape;
  std::vector<std::uint64_t> rows;

  [[nodiscard]] piece_range window(std::size_t, std::int64_t p_) const {
    const piece_range all = range_in(rows, p_);
    return {all.first * shape.chosen.size(), all.size * shape.chosen.size()};
  }
  piece_report operator()(std::int64_t, const text_piece& piece, std::span<V_> into) const {
    return report_of_piece(
        piece, [&](std::string_view text, piece_report& made) { parse_csv<V_>(text, shape, into, made); });
  }
  void stradsap_write_(writer& out) const { out(shape, rows); }
  void stradsap_read_(reader& in) { in(shape, rows); }
};

/// Rows into structs.
template <class Row_, class... Member_> struct csv_row_setter final : csv_row_sink {
  using members = std::tuple<csv_column<Row_, Member_>...>;
  csv_row_setter(const members& columns, std::span<Row_> into) : columns_(columns), into_(into) {}

  void set(std::size_t target, std::string_view field, bool is_missing) override {
    if (num_rows_ < into_.size()) set_one(target, field, is_missing, std::index_sequence_for<Member_...>{});
  }
  void end_row() override { ++num_rows_; }
  [[nodiscard]] std::size_t num_rows() const { return num_rows_; }

 private:
  template <std::size_t... I_>
  void set_one(std::size_t target, std::string_view field, bool is_missing, std::index_sequence<I_...>) {
    (void)((target == I_ && (assign(std::get<I_>(columns_), field, is_missing), true)) || ...);
  }
  template <class M_>
  void assign(const csv_column<Row_, M_>& column, std::string_view field, bool is_missing) {
    M_& member = into_[num_rows_].*column.member;
    if constexpr (std::is_same_v<M_, std::string>) {
      member = std::string(field);
    } else if (!is_missing) {
      member = number_of_field<M_>(column.name, field);
    } else if constexpr (std::is_floating_point_v<M_>) {
      member = std::numeric_limits<M_>::quiet_NaN();
    } else {
      refuse_missing(column.name);
    }
  }

  const members& columns_;
  std::span<Row_> into_;
  std::size_t num_rows_ = 0;
};

template <class Row_, class... Member_> struct csv_row_parse {
  csv_shape shape;
  std::vector<std::uint64_t> rows;
  std::tuple<csv_column<Row_, Member_>...> columns;

  [[nodiscard]] piece_range window(std::size_t, std::int64_t p_) const { return range_in(rows, p_); }
  piece_report operator()(std::int64_t, const text_piece& piece, std::span<Row_> into) const {
    return report_of_piece(piece, [&](std::string_view text, piece_report& made) {
      csv_row_setter<Row_, Member_...> setter(columns, into);
      parse_csv(text, shape, setter, made);
      made.expect(into.size(), setter.num_rows());
    });
  }
  void stradsap_write_(writer& out) const {
    out(shape, rows);
    std::apply([&](const auto&... column) { (out(column.name, column.member), ...); }, columns);
  }
  void stradsap_read_(reader& in) {
    in(shape, rows);
    std::apply([&](auto&... column) { (in(column.name, column.member), ...); }, columns);
  }
};

}  // namespace abi

inline namespace STRADSAP_BUILD {

/// The numbers of a file; V is float, double, int32_t or int64_t. A missing number is NaN; a missing whole
/// number is a bad line. Fields may be quoted, but end on their line. Without a header, columns are called
/// "0", "1", ... Throws error(errc::bad_input) with "file:line: message" for the first line that does not
/// have all columns, or a number that is not finite or does not fit V; and if a column is not in the header.
/// @code
/// const auto prices = read_csv<float>("houses.csv", {.columns = {"price", "rooms"}});
/// @endcode
template <class V_> dense_matrix<V_> read_csv(const std::string& path, const csv_options& options = {}) {
  static_assert(abi::text_number<V_>, "read_csv: numbers are float, double, int32_t or int64_t");
  abi::opened_csv opened = abi::open_csv(path, options);
  abi::text_pieces pieces{"read_csv", std::move(opened.text)};
  abi::piece_table table = pieces.run(abi::csv_count{options.delimiter, options.comment});
  const std::size_t rows = table.num_rows(), columns = opened.shape.chosen.size();
  dense_matrix<V_> found{dvector<V_>(rows * columns), static_cast<std::int64_t>(rows),
                         static_cast<std::int64_t>(columns), opened.shape.chosen};
  (void)pieces.run(abi::csv_parse<V_>{std::move(opened.shape), std::move(table.rows)}, found.value);
  return found;
}

/// The rows of a file as structs, which take the columns that are named. options.columns must be empty.
/// @code
/// struct house { float price; std::string street; };
/// const auto houses = read_csv<house>("houses.csv", {}, csv_column("price", &house::price),
///                                     csv_column("street", &house::street));
/// @endcode
template <class Row_, class... Member_>
  requires(sizeof...(Member_) != 0)
dvector<Row_> read_csv(const std::string& path, csv_options options, csv_column<Row_, Member_>... columns) {
  static_assert(((abi::text_number<Member_> || std::is_same_v<Member_, std::string>) && ...),
                "read_csv: members are float, double, int32_t, int64_t or std::string");
  options.columns = {columns.name...};
  abi::opened_csv opened = abi::open_csv(path, options);
  abi::text_pieces pieces{"read_csv", std::move(opened.text)};
  abi::piece_table table = pieces.run(abi::csv_count{options.delimiter, options.comment});
  auto found = dvector<Row_>(table.num_rows());
  (void)pieces.run(
      abi::csv_row_parse<Row_, Member_...>{std::move(opened.shape), std::move(table.rows), {columns...}},
      found);
  return found;
}

}  // namespace STRADSAP_BUILD
}  // namespace stradsap
