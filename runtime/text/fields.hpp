// Lines and fields of text, shared by the formats. Thread rule: values.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runtime/text/numbers.hpp"

namespace stradsap::rt {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

inline const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_blank(*at)) ++at;
  return at;
}

/// Takes lines off a text, without their ends.
class line_taker {
 public:
  explicit line_taker(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}
  bool next() {
    if (at_ == end_) return false;
    ++number_;
    begin_ = at_;
    const auto* found =
        static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
    line_end_ = found == nullptr ? end_ : found;
    at_ = found == nullptr ? end_ : found + 1;
    if (line_end_ != begin_ && line_end_[-1] == '\r') --line_end_;
    return true;
  }
  [[nodiscard]] std::uint64_t number() const { return number_; }  // from 1
  [[nodiscard]] const char* begin() const { return begin_; }
  [[nodiscard]] const char* end() const { return line_end_; }

 private:
  const char* at_;
  const char* end_;
  const char* begin_ = nullptr;
  const char* line_end_ = nullptr;
  std::uint64_t number_ = 0;
};

/// A text for a message: at most 40 characters, without those that a terminal would act on.
inline std::string quoted(const char* at, const char* end) {
  std::string text = "'";
  for (; at != end && text.size() <= 40; ++at) {
    const bool is_control = static_cast<unsigned char>(*at) < 32 || *at == 127;
    text += is_control ? '?' : *at;
  }
  return text + (at != end ? "...'" : "'");
}

/// The end of the field that begins at `at`: the next blank.
inline const char* end_of_field(const char* at, const char* end) {
  while (at != end && !is_blank(*at)) ++at;
  return at;
}

/// Throws std::runtime_error("`thing` `fault`: 'text'").
[[noreturn]] void refuse_field(const char* thing, const char* fault, const char* at, const char* end);

template <class Number_>
[[noreturn]] void refuse_number(const char* thing, number_fault fault, const char* at, const char* end) {
  refuse_field(thing,
               fault == number_fault::too_large    ? "does not fit"
               : std::is_floating_point_v<Number_> ? "is not a finite number"
                                                   : "is not a whole number",
               at, end);
}

/// The number in [at, end): all of it, and finite.
template <class Number_> Number_ number_in(const char* thing, const char* at, const char* end) {
  Number_ value{};
  number_fault fault = number_fault::none;
  const char* const stop = parse_number(at, end, value, fault);
  if (fault != number_fault::none || stop != end) refuse_number<Number_>(thing, fault, at, end);
  if constexpr (std::is_floating_point_v<Number_>) {
    if (!std::isfinite(value)) refuse_number<Number_>(thing, number_fault::no_number, at, end);
  }
  return value;
}

}  // namespace stradsap::rt
