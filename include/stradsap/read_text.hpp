// Lines of text into elements, by a parser of the program.
// Thread rule: the driver's thread; parsers run on any thread of any rank.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <stradsap/abi/text_pieces.hpp>

namespace stradsap {

struct text_options {
  std::int64_t skip_lines = 0;  // at the head of each file
  std::string comment = {};     // lines that begin with it are skipped, after blanks
};

namespace abi {

/// Counts the rows of pieces.
struct row_count {
  std::string comment;

  [[nodiscard]] piece_range window(std::size_t, std::int64_t) const { return {}; }
  piece_report operator()(std::int64_t, const text_piece& piece) const {
    return report_of_piece(piece, [&](std::string_view text, piece_report& made) {
      made.lines = each_row(text, comment, [&](std::uint64_t, std::string_view) { return ++made.rows; });
    });
  }
  void stradsap_write_(writer& out) const { out(comment); }
  void stradsap_read_(reader& in) { in(comment); }
};

/// A parser without state: on another rank it is made anew.
template <class Parser_> struct shipped_parser {
  static constexpr bool can_ship = std::is_empty_v<Parser_> && std::is_default_constructible_v<Parser_>;
  shipped_parser() = default;
  explicit shipped_parser(const Parser_&) {}
  [[nodiscard]] bool ships() const { return can_ship; }
  [[nodiscard]] Parser_ get() const { return Parser_{}; }
  void stradsap_write_(writer&) const {}
  void stradsap_read_(reader&) {}
};
/// A function: it is at the same place of the executable on all ranks.
template <class Result_, class Line_> struct shipped_parser<Result_ (*)(Line_)> {
  using function = Result_ (*)(Line_);
  static constexpr bool can_ship = true;
  shipped_parser() = default;
  explicit shipped_parser(function parser)
      : place_(place_of_function(reinterpret_cast<const void*>(parser))) {}
  [[nodiscard]] bool ships() const { return place_ != -1; }
  [[nodiscard]] function get() const {
    return reinterpret_cast<function>(const_cast<void*>(function_at(place_)));
  }
  void stradsap_write_(writer& out) const { out(place_); }
  void stradsap_read_(reader& in) { in(place_); }

 private:
  std::int64_t place_ = -1;
};

/// Parses the rows of a piece.
template <class T_, class Parser_>
piece_report parse_rows(const row_count& rows, const text_piece& piece, Parser_& parser, std::span<T_> into) {
  return report_of_piece(piece, [&](std::string_view text, piece_report& made) {
    made.lines = each_row(text, rows.comment, [&](std::uint64_t number, std::string_view line) {
      try {
        if (made.rows < into.size()) into[made.rows] = parser(line);
      } catch (const std::exception& e_) {
        made.fail(number, e_.what());
        return false;
      }
      return ++made.rows != 0;
    });
    made.expect(into.size(), made.rows);
  });
}

template <class T_, class Parser_> struct row_parse {
  row_count rows;
  std::vector<std::uint64_t> firsts;
  shipped_parser<Parser_> parser;

  [[nodiscard]] piece_range window(std::size_t, std::int64_t p_) const { return range_in(firsts, p_); }
  piece_report operator()(std::int64_t, const text_piece& piece, std::span<T_> into) const {
    Parser_ own = parser.get();
    return parse_rows(rows, piece, own, into);
  }
  void stradsap_write_(writer& out) const { out(rows, firsts, parser); }
  void stradsap_read_(reader& in) { in(rows, firsts, parser); }
};

/// The same with a parser that stays on the driver.
template <class T_, class Parser_> struct row_parse_here {
  const row_count& rows;
  const std::vector<std::uint64_t>& firsts;
  Parser_& parser;

  [[nodiscard]] piece_range window(std::size_t, std::int64_t p_) const { return range_in(firsts, p_); }
  piece_report operator()(std::int64_t, const text_piece& piece, std::span<T_> into) const {
    return parse_rows(rows, piece, parser, into);
  }
};

}  // namespace abi

inline namespace STRADSAP_BUILD {

/// A dvector with one element for each line that is neither blank nor a comment: parser(line) makes the
/// element, or throws. Captureless lambdas and functions of the program run on all ranks and threads, several
/// at once: they use no variable that the program changes. Any other parser runs on the driver, in one
/// thread, in the order of the lines. Throws error(errc::bad_input) if a file cannot be read, and with
/// "file:line: message" for the first line on which the parser throws a std::exception.
/// @code
/// const auto parse = [](std::string_view line) { return std::stof(std::string(line)); };
/// const dvector<float> weights = read_text<float>("weights.txt", parse, {.skip_lines = 1});
/// @endcode
template <class T_, class Parser_>
dvector<T_> read_text(const std::string& path, Parser_ parser, const text_options& options = {}) {
  std::size_t of_file = 0;
  std::int64_t skipped = 0;
  abi::text_pieces pieces{"read_text", abi::open_text(path, [&](std::size_t file, std::string_view) {
                            if (file != std::exchange(of_file, file)) skipped = 0;
                            return skipped++ < options.skip_lines;
                          })};
  const abi::row_count rows{options.comment};
  abi::piece_table table = pieces.run(rows);
  auto found = dvector<T_>(table.num_rows());
  if constexpr (abi::shipped_parser<Parser_>::can_ship) {
    const abi::shipped_parser<Parser_> shipped{parser};
    if (shipped.ships()) {
      (void)pieces.run(abi::row_parse<T_, Parser_>{rows, std::move(table.rows), shipped}, found);
      return found;
    }
  }
  (void)pieces.run_here(abi::row_parse_here<T_, Parser_>{rows, table.rows, parser},
                        std::span<T_>(found.begin(), found.size()));
  return found;
}

}  // namespace STRADSAP_BUILD
}  // namespace stradsap
