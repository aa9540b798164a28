// Reading data into distributed containers.
// Thread rule: the driver's thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <stradsap/dvector.hpp>

namespace stradsap {
namespace abi {

template <class T_, class Parser_> struct row_sink final : line_sink {
  explicit row_sink(Parser_& by) : parser(by) {}
  void expect(std::size_t lines) override { found_.resize(lines); }
  void parse(std::string_view line) override { found_[next_++] = parser(line); }

  Parser_& parser;
  dvector<T_> found_;
  std::size_t next_ = 0;
};

}  // namespace abi

/// One element a line: parser(line) makes it, or throws. Blank lines are skipped.
/// Throws error(errc::bad_input) with "file:line: message" for the first bad line of the file, and for a
/// file that cannot be read.
template <class T_, class Parser_> dvector<T_> read_text(const std::string& path, Parser_ parser) {
  abi::row_sink<T_, Parser_> sink(parser);
  abi::read_lines(path, sink);
  return std::move(sink.found_);
}

}  // namespace stradsap
