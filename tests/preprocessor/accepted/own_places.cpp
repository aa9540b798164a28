// Conditions on data above accesses to the row of the loop's index: the slice omits them, so the data make no
// new plan. It keeps a condition that keeps neighbours apart, and one that decides a place. In any order of
// iterations, each loop's result is that of the sequential program.
#include <stradsap/stradsap.hpp>

#include <cstdio>
#include <cstring>

using stradsap::dvector;
using stradsap::parallel_for;
namespace consistency = stradsap::consistency;

constexpr int columns = 5;

struct factor {
  float at[columns];
};

template <class T> static void print(const char* what, const dvector<T>& all) {
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    sum += static_cast<double>(all[i]) * static_cast<double>(i % 97 + 1);
  std::printf("%s: %.17g\n", what, sum);
}

/// Rows of a flat matrix, and a mark for each.
struct problem {
  explicit problem(int64_t rows) : w(rows * columns), g(rows * columns), bias(rows), touched(rows), pick(rows) {
    for (int64_t i = 0; i < rows * columns; ++i) {
      w[i] = static_cast<float>(i % 11);
      g[i] = static_cast<float>(i % 7) - 3;
    }
    for (int64_t j = 0; j < rows; ++j) {
      touched[j] = static_cast<int>(j * 5 % 3);
      pick[j] = static_cast<int>(j * 7 % rows);
    }
  }

  dvector<float> w, g, bias;
  dvector<int> touched, pick;
};

static void omit_conditions(int64_t n, int width, int beyond) {
  problem p(n);
  dvector<float>&w = p.w, &g = p.g, &bias = p.bias;
  dvector<int>& touched = p.touched;
  for (int pass = 0; pass < 3; ++pass) {
    parallel_for(n, [&w, &g, &bias, &touched](int64_t j) {
      if (touched[j] == 0) return;
      bias[j] += 1;
      for (int k = 0; k < columns; ++k) {
        w[j * columns + k] += 0.5F * g[j * columns + k];
        g[j * columns + k] = 0;
      }
      touched[j] = 0;
    }, consistency::async);
    parallel_for(n, [pass, width, &w, &g, &bias, &touched](int64_t j) {
      const int64_t first = width * j;
      for (int k = 0; k < width; ++k) {
        if (bias[j] > static_cast<float>(k)) continue;
        g[first + k] = static_cast<float>(k + pass);
        touched[j] += w[first + k] > 2 && g[first + k] > 1 ? 1 : 0;
      }
    }, consistency::async);
    parallel_for(n, [&w, &bias](int64_t j) {  // only assigns
      float sums[columns] = {};
      for (int k = 0; k < columns; ++k) sums[k] += bias[j] * static_cast<float>(k);
      for (int k = 0; k < columns; ++k) {
        if (sums[k] < 3) continue;
        w[j * columns + k] = sums[k];
      }
    }, consistency::async);
    parallel_for(n, [&w, &bias](int64_t j) {  // only adds
      if (bias[j] > 1) w[j * columns + 1] += 1;
    }, consistency::async);
    parallel_for(n, [n, beyond, &w, &touched](int64_t j) {  // without its condition out of range
      if (touched[j] >= 0 && j + 1 < n) w.at(j * columns + beyond) *= 2;
    }, consistency::async);
    parallel_for(n, [&g, &touched](int64_t j) {
      if (touched[j] != 2) g.span(j * columns, columns)[1] -= 1;
    }, consistency::async);
  }
  print("w", w);
  print("g", g);
  print("bias", bias);
  print("touched", touched);
}

static void keep_conditions(int64_t n) {
  problem p(n);
  dvector<float>& w = p.w;
  dvector<int>&touched = p.touched, &pick = p.pick;
  for (int phase = 0; phase < 2; ++phase) {
    parallel_for(n - 1, [phase, &w, &touched](int64_t j) {  // a neighbour's row
      if (touched[j] != phase || touched[j + 1] == phase) return;
      for (int k = 0; k < columns; ++k) w[j * columns + k] = w[j * columns + k + columns] + 1;
    }, consistency::ordered);
    parallel_for(n, [&w, &touched, &pick](int64_t j) {  // another place under the same condition
      if (touched[j] == 0) return;
      w[j * columns] += 0;
      w[pick[j] * columns] += 1;
    }, consistency::async);
    parallel_for(n, [&w, &touched](int64_t j) {  // the condition decides the column
      int k = 0;
      if (touched[j] == 1) {
        k = 2;
        w[j * columns] += 1;
      }
      w[j * columns + k] -= 2;
    }, consistency::async);
    parallel_for(n, [&w, &touched](int64_t j) {  // a part of the container, not a row
      if (touched[j] == 2) w[j + touched[j]] += 1;
    }, consistency::async);
  }
  print("kept", w);
}

/// Loops around an access that do not walk along its row: without the condition, a plan would run them for
/// each iteration.
static void keep_conditions_above_loops(int64_t n) {
  problem p(n);
  dvector<float>&w = p.w, &g = p.g;
  dvector<int>& touched = p.touched;
  parallel_for(n, [n, &w, &g, &touched](int64_t j) {  // one column, in a loop over many rows
    if (touched[j] != 1) return;
    for (int64_t i = 0; i < n; ++i) w[j * columns + 1] += g[i * columns];
  }, consistency::async);
  parallel_for(n, [n, &w, &touched](int64_t j) {  // a column that moves by itself
    if (touched[j] != 2) return;
    int column = 0;
    for (int64_t i = 0; i < n; ++i) {
      w[j * columns + column] += 1;
      column = (column + 1) % columns;
    }
  }, consistency::async);
  parallel_for(n, [n, &w, &touched](int64_t j) {  // each column, many times
    if (touched[j] != 0) return;
    for (int64_t i = 0; i < n; ++i) {
      for (int k = 0; k < columns; ++k) w[j * columns + k] -= 1;
    }
  }, consistency::async);
  parallel_for(n, [n, &w, &touched](int64_t j) {  // until a sum is reached
    if (touched[j] == 0) return;
    int64_t i = 0;
    while (i < n) {
      w[j * columns + 2] *= 0.5F;
      i += touched[j];
    }
  }, consistency::async);
  print("kept above loops", w);
}

template <class T> static void copy_in_a_template(int64_t n, dvector<T>& all) {
  parallel_for(n, [&all](int64_t j) {
    T one = all[j];
    one.at[1] += 1;
    std::memcpy(&all[j], &one, sizeof(T));
  }, consistency::async);
}

static void copy_elements(int64_t n) {
  dvector<factor> from(n), to(n);
  for (int64_t j = 0; j < n; ++j) {
    for (int k = 0; k < columns; ++k) from[j].at[k] = static_cast<float>(j + k);
  }
  parallel_for(n, [&from, &to](int64_t j) {
    factor one;
    std::memcpy(&one, &from[j], sizeof one);
    one.at[0] *= 2;
    std::memcpy(&to[j], &one, sizeof(factor));
    std::memset(&from[j], 0, sizeof from[j]);
  }, consistency::async);
  copy_in_a_template(n, to);
  dvector<float> all(n);
  for (int64_t j = 0; j < n; ++j) all[j] = to[j].at[0] + to[j].at[1] + from[j].at[2];
  print("copied", all);
}

int main() {
  omit_conditions(600, columns, columns + 1);
  keep_conditions(600);
  keep_conditions_above_loops(600);
  copy_elements(600);
}
