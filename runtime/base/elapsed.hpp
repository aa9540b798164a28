// What time has gone by. Pure; any thread.
#pragma once

#include <chrono>

namespace stradsap::rt {

using steady = std::chrono::steady_clock;

inline double seconds_since(steady::time_point start) {
  return std::chrono::duration<double>(steady::now() - start).count();
}

}  // namespace stradsap::rt
