// Assertions about the runtime's own state: a false one ends the process and prints the values. Thread rule:
// any.
#pragma once

#include <string>

#include <fmt/format.h>

namespace stradsap::rt {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   const std::string& values);

}  // namespace stradsap::rt

/// Checked in release builds too. The arguments after the condition are a format string and its values.
#define STRADSAP_ASSERT(condition, ...)                                                                \
  do {                                                                                                 \
    if (!(condition)) [[unlikely]]                                                                     \
      ::stradsap::rt::assertion_failed(#condition, __FILE__, __LINE__, ::fmt::format("" __VA_ARGS__)); \
  } while (false)
