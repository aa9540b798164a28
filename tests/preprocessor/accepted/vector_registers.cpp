// Numbers in registers, in the vector extensions of g++ and clang++: as elements, in classes that travel,
// and in captured tables of a hand-written kernel.

#include <stradsap/stradsap.hpp>

#include <cstdio>
#include <vector>

using floats [[gnu::vector_size(16)]] = float;
template <int N> using wide [[gnu::vector_size(N * sizeof(double))]] = double;

struct Moments {
  wide<2> sum_and_square = {};
  long count = 0;
};

static float total(const floats& x) { return (x[0] + x[1]) + (x[2] + x[3]); }

int main() {
  constexpr int n = 64;
  std::vector<floats> centers(3);
  for (int c = 0; c < 3; ++c) centers[c] = floats{1, 2, 3, 4} * static_cast<float>(c);
  stradsap::dvector<floats> points(n), moved(n);
  for (int i = 0; i < n; ++i) points[i] = floats{0.5f, 1.5f, 2.5f, 3.5f} * static_cast<float>(i % 3);
  stradsap::dvector<Moments> moments(n);
  stradsap::dvector<int> nearest(n);

  double distance = 0;
  for (int pass = 0; pass < 3; ++pass) {
    distance = 0;
    stradsap::async_for(n, [&](int i) {
      float least = 1e9f;
      for (int c = 0; c < 3; ++c) {
        const floats apart = points[i] - centers[c];
        const float found = total(apart * apart);
        if (found < least) {
          least = found;
          nearest[i] = c;
        }
      }
      moved[i] = points[i] + 0.5f * (centers[nearest[i]] - points[i]);
      moments[i].sum_and_square += wide<2>{least, least * least};
      ++moments[i].count;
      distance += least;
    });
    for (int i = 0; i < n; ++i) points[i] = moved[i];
    for (floats& center : centers) center += floats{} + 0.125f;
  }
  wide<2> sums = {};
  long count = 0;
  for (const Moments& one : moments) {
    sums += one.sum_and_square;
    count += one.count;
  }
  std::printf("%a %a %a %ld %d\n", distance, sums[0], sums[1], count, nearest[1] + nearest[2]);
  return count == 3 * n ? 0 : 1;
}
