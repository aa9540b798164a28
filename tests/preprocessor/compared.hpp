// For programs that run one text over vectors and over containers: equal contents of both, and the outcome of
// each comparison, which check_accepted.py compares between the runs of a program. One thread, between loops.
#pragma once

#include <cstddef>
#include <cstdio>

namespace compared {

/// The comparisons that failed: the status of the program.
inline int failures = 0;

inline void check(const char* name, bool is_right) {
  std::printf("%s %s\n", name, is_right ? "ok" : "WRONG");
  failures += is_right ? 0 : 1;
}

template <class C> C filled(std::size_t size) {
  C made(size);
  for (std::size_t i = 0; i < size; ++i) made[i] = static_cast<int>(i * 7 % 11);
  return made;
}

}  // namespace compared
