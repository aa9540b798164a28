// Reading data into distributed containers.
// Thread rule: the driver's thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <stradsap/dvector.hpp>

namespace stradsap {
namespace abi {

template <class T, class Parser> struct row_sink final : line_sink {
  explicit row_sink(Parser& parser) : parser(parser) {}
  void expect(std::size_t lines) override { rows.resize(lines); }
  void parse(std::string_view line) override { rows[row++] = parser(line); }

  Parser& parser;
  dvector<T> rows;
  std::size_t row = 0;
};

}  // namespace abi

/// One element a line: parser(line) makes it, or throws. Blank lines are skipped.
/// Throws error(errc::bad_input) with "file:line: message" for the first bad line of the file, and for a
/// file that cannot be read.
template <class T, class Parser> dvector<T> read_text(const std::string& path, Parser parser) {
  abi::row_sink<T, Parser> sink(parser);
  abi::read_lines(path, sink);
  return std::move(sink.rows);
}

}  // namespace stradsap
