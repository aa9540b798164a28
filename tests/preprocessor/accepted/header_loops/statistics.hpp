// A header of one's own with a class, its constants, and loops in inline functions and templates.
#pragma once

#include <cstdint>

#include <stradsap/stradsap.hpp>

namespace statistics {

struct Moments {
  int64_t count = 0;
  double sum = 0;
  double squares = 0;
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

inline Moments moments(const stradsap::dvector<double>& x) {
  Moments m;
  stradsap::async_for(x.size(), [&x, &m](int64_t j) {
    ++m.count;
    m.sum += x[j];
    m.squares += x[j] * x[j];
  });
  return m;
}

template <class T>
void shift(stradsap::dvector<T>& x, T by) {
  stradsap::async_for(x.size(), [&x, by](int64_t j) { x[j] += by; });
}

}  // namespace statistics
