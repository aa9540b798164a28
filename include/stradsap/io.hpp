// Reading data into distributed containers.
// Thread rule: the driver's thread.
#pragma once

#include <string>
#include <string_view>

#include <stradsap/dvector.hpp>

namespace stradsap {

/// One element a line: parser(line) makes it, or throws. Blank lines are skipped.
/// Throws error(errc::bad_input) with "file:line: message" for the first bad line of the file, and for a
/// file that cannot be read.
template <class T, class Parser> dvector<T> read_text(const std::string& path, Parser parser) {
  dvector<T> rows;
  std::size_t row = 0;
  abi::read_lines(
      path, [&](std::size_t lines) { rows.resize(lines); },
      [&](std::string_view line) { rows[row++] = parser(line); });
  return rows;
}

}  // namespace stradsap
