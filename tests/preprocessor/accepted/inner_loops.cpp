// Inner loops that the inspector takes whole: one round if all find the same, one span if elements follow the index.
// The order of iterations shows: it prints another serial order than the program's.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "../printed.hpp"

using stradsap::async_for;
using stradsap::dvector;

static constexpr int n = 24000, rows = 400, width = 8;

struct place {
  int row, other, first, last;
};

static void rows_of_vectors(const dvector<place>& places, int dim) {
  dvector<std::vector<int64_t>> W(rows, std::vector<int64_t>(width, 1)), C(rows, std::vector<int64_t>(width, 2));
  async_for(n, [&](int64_t j) {
    const int i = places[j].row, k = places[j].other;
    for (int d = 0; d < dim; ++d) W[i][d] = (W[i][d] * 3 + C[k][d]) % 1009;
    for (int d = 0; d < dim; ++d) {
      if (i % 3 == 0) C[k][d] = (C[k][d] + 5 * W[i][d]) % 1013;
    }
    for (int d = 0; d < dim - width; ++d) W[(i + 1) % rows][d] = 0;  // no round, no element
  });
  const auto whole = [](const auto& row) { return row; };
  printed::print_elements("W", W, whole);
  printed::print_elements("C", C, whole);
}

static void flat_rows(const dvector<place>& places, int dim) {
  dvector<int64_t> W(rows * width, 1), C(rows * width, 2), b(rows + 1);
  async_for(n, [&](int64_t j) {
    const int i = places[j].row, k = places[j].other;
    for (int d = 0; d < dim; ++d) W[i * dim + d] = (W[i * dim + d] * 3 + C[d + k * dim] + b[i]) % 1009;
    for (int d = 0; d <= dim - 1; d++) C[k * dim + d] = (C[k * dim + d] + 5 * W[i * dim + d]) % 1013;
    for (std::size_t d = 2; d < 5; ++d) b[i] = (b[i] + W[i * dim + d]) % 1019;
  });
  const auto itself = [](int64_t x) { return x; };
  printed::print_elements("flat W", W, itself);
  printed::print_elements("flat C", C, itself);
  printed::print_elements("b", b, itself);
}

/// Rows of other lengths in the two halves of the loop, so also on two ranks.
static void lengths(int dim) {
  dvector<int64_t> V(2 * rows * width + 4, 1);
  async_for(n, [&](int64_t j) {
    const int half = j < n / 2 ? 0 : 1;
    const int length = half == 0 ? dim : dim / 2, from = half == 0 ? 0 : rows * dim;
    const int row = static_cast<int>(j * 7 % rows);
    for (int d = 0; d < length; ++d) V[from + row * length + d] = (V[from + row * length + d] * 3 + j % 11) % 1009;
  });
  printed::print_elements("lengths", V, [](int64_t x) { return x; });
}

/// Bounds that are elements, loops in loops, and rounds that differ.
static void other_loops(const dvector<place>& places, int dim) {
  dvector<int64_t> V(rows * width, 1), M(4 * 3 * rows, 1);
  async_for(n, [&](int64_t j) {
    for (int p = places[j].first; p < places[j].last; ++p) V[p] += p % 5 + j % 3;
    const int k = places[j].row;
    for (int c = 0; c < 3; ++c) {
      for (int f = 0; f < 4; ++f) M[(c * rows + k) * 4 + f] += c + f;
    }
    int at = places[j].other;
    for (int d = 0; d < 3; ++d) {
      V[at] = V[at] % 1021 + 1;
      at = (at * 5 + 1) % rows;
    }
    for (int d = 0; d < dim; ++d) {
      if (d == 3) break;
      V[rows + k] += 2;
    }
    for (int d = 0; d < dim; ++d) {
      if (d % 2 == 0) continue;
      V[(k + d) % rows] += 1;
    }
    for (int d = dim; d > 0; --d) V[2 * rows + k + d] += 3;
    for (int d = 0; d < dim; d += 2) V[3 * rows + k + d] += 3;
  });
  const auto itself = [](int64_t x) { return x; };
  printed::print_elements("V", V, itself);
  printed::print_elements("M", M, itself);
}

int main() {
  dvector<place> places(n);
  for (int j = 0; j < n; ++j) {
    const int first = j * 3 % (rows * width - 9);
    places[j] = {j * 7 % rows, j * j % rows, first, first + j % 9};
  }
  const int dim = width;
  rows_of_vectors(places, dim);
  flat_rows(places, dim);
  lengths(dim);
  other_loops(places, dim);
  return 0;
}
