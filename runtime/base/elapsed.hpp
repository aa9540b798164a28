// The time since a start. Thread rule: values.
#pragma once

#include <chrono>

namespace stradsap::rt {

[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace stradsap::rt
