// A failure of our own reasoning: stops the process with the values that were wrong.
#pragma once

#include <string>

#include <fmt/format.h>

namespace stradsap::rt {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   const std::string& values);

}  // namespace stradsap::rt

/// Kept in release builds. Further arguments are a format string and its values.
#define STRADSAP_ASSERT(condition, ...)                                                                \
  do {                                                                                                 \
    if (!(condition)) [[unlikely]]                                                                     \
      ::stradsap::rt::assertion_failed(#condition, __FILE__, __LINE__, ::fmt::format("" __VA_ARGS__)); \
  } while (false)
