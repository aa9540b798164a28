// Input of data into distributed containers. Thread rule: the driver's thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <stradsap/dvector.hpp>

namespace stradsap {
namespace abi {

/// Parses the lines of a file into the elements of a dvector.
template <class T_, class Parser_> struct row_sink final : line_sink {
  explicit row_sink(Parser_& by) : parser(by) {}
  void expect(std::size_t lines) override { found_.resize(lines); }
  void parse(std::string_view line) override { found_[next_++] = parser(line); }

  Parser_& parser;
  dvector<T_> found_;
  std::size_t next_ = 0;
};

}  // namespace abi

/// A dvector with one element for each line that is not blank: parser(line) makes the element, or throws. The
/// driver reads the whole file in one thread; elements move to other ranks with the first loop.
/// Throws error(errc::bad_input) if the file cannot be read, and with "file:line: message" for the first line
/// on which the parser throws a std::exception.
/// @code
/// const auto parse = [](std::string_view line) { return std::stof(std::string(line)); };
/// const dvector<float> weights = read_text<float>("weights.txt", parse);
/// @endcode
template <class T_, class Parser_> dvector<T_> read_text(const std::string& path, Parser_ parser) {
  abi::row_sink<T_, Parser_> sink(parser);
  abi::read_lines(path, sink);
  return std::move(sink.found_);
}

}  // namespace stradsap
