// Addresses of elements that the loop changes, compared: the subscripts decide the result, not the elements,
// so the loops are planned. Under each model an element has one address within an iteration.
#include <stradsap/stradsap.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace stradsap;

static constexpr int n = 600, rows = 50, width = 4, samples = 3;
using row = std::array<double, width>;
static int failures = 0;

static void check(const char* name, bool is_right) {
  std::printf("%s %s\n", name, is_right ? "ok" : "WRONG");
  failures += is_right ? 0 : 1;
}

/// A generator by hand, so that the plain program draws the same.
struct generator {
  std::uint64_t state;
  int operator()(int end) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<int>((state >> 33) % end);
  }
};

/// By `main`, one after the other, or by the loop.
static void run(bool by_main, const auto& body, const ConsistencyModel& model = consistency::ordered) {
  if (!by_main) return parallel_for(n, body, model);
  for (int j = 0; j < n; ++j) body(j);
}

static double sum_of(const auto& all) {
  double sum = 0;
  int k = 0;
  for (const auto& one : all) sum += (1 + ++k % 17) * static_cast<double>(one);
  return sum;
}

/// Negative samples: drawn rows that are the iteration's own are left out, and draw no mark.
static double drawn(bool by_main) {
  dvector<double> X(rows * width, 1);
  dvector<int> marks(rows);
  run(by_main, [&](int j) {
    generator draw{static_cast<std::uint64_t>(j)};
    double* p = &X[j % rows * width];
    for (int k = 0; k < samples; ++k) {
      const int other = draw(rows / 5);
      const double* r = &X[other * width];
      if (r == p) continue;
      for (int d = 0; d < width; ++d) p[d] += (r[d] - p[d]) / 8;
      marks[draw(rows)] += 1;
    }
  });
  return sum_of(X) + 1000 * sum_of(marks);
}

/// The subscript of the pointer changes after it, and is one of a container that the loop reads.
static double at_creation(bool by_main) {
  dvector<double> X(rows * width, 1);
  dvector<int> id(n), marks(rows);
  for (int j = 0; j < n; ++j) id[j] = j * j % rows;
  run(by_main, [&](int j) {
    int at = id[j];
    double* const p = &X[at * width];
    at = (at + 1) % 3;
    const int other = at;
    const double* const r = X.data() + other * width;
    if (p != r && p != nullptr) {
      p[1] = (p[1] + r[0]) / 2;
      marks[(at + j) % rows] += j;
    }
  });
  return sum_of(X) + 1000 * sum_of(marks);
}

/// References, members and elements of arrays.
struct point {
  double x, y;
};
static double references(bool by_main) {
  dvector<point> P(rows, point{1, 2});
  dvector<row> R(rows, row{1, 2, 3, 4});
  dvector<int> marks(rows);
  run(by_main, [&](int j) {
    point& a = P[j % rows];
    point& b = P[j * 7 % 11];
    if (&a == &b) return;
    a.x = (a.x + b.y) / 2;
    marks[j * 3 % rows] += &a.y == &P[j % 5].y ? 1 : 2;
    if (&R[j % rows][1] == &R[j % 9][1]) return;
    const double* second = R[j % rows].data() + 1;
    if (second == &R[j % rows][1]) marks[j * 5 % rows] += 1;
    R[j % rows][1] += a.x / 16;
  });
  double sum = 1000 * sum_of(marks);
  for (int i = 0; i < rows; ++i) sum += (1 + i % 17) * (P[i].x + R[i][1]);
  return sum;
}

/// Comparisons by order, and a difference: they decide subscripts.
static double ordered(bool by_main) {
  dvector<point> P(rows, point{1, 2});
  dvector<double> X(rows * width, 1);
  dvector<int> marks(2 * rows);
  run(by_main, [&](int j) {
    point* p = &P[j * 13 % rows];
    point* r = &P[j * j % rows];
    marks[p < r ? j % rows : rows + j % rows] += 1;
    p->x = (p->x + r->y) / 2;
    const double* a = &X[j % rows * width];
    const double* b = &X[j * 3 % rows * width];
    marks[(b - a) / width + rows] += 1;
    X[j % rows * width] = (a[0] + b[0]) / 2;
  });
  double sum = 1000 * sum_of(marks) + sum_of(X);
  for (int i = 0; i < rows; ++i) sum += (1 + i % 17) * P[i].x;
  return sum;
}

/// Beside subscripts that depend on data which the loop writes: the loop runs as transactions.
static double in_transactions(bool by_main) {
  dvector<point> P(rows, point{1, 2});
  dvector<int> next(rows), marks(2);
  for (int i = 0; i < rows; ++i) next[i] = i * 7 % rows;
  run(by_main, [&](int j) {
    const int at = next[j % rows];
    next[at] = (next[at] * 5 + j) % rows;
    point* p = &P[at];
    point* r = &P[j * j % rows];
    p->x = p < r ? (p->x + r->y) / 2 : p->x + 1;
    marks[p == r] += 1;
  });
  double sum = 1000 * sum_of(marks) + 100 * sum_of(next);
  for (int i = 0; i < rows; ++i) sum += (1 + i % 17) * P[i].x;
  return sum;
}

/// The elements decide too: the condition is that of the plain program all the same.
static double of_owned_rows(bool by_main) {
  dvector<std::vector<double>> X(rows);
  for (int i = 0; i < rows; ++i) X[i].assign(i % 3 == 0 ? 0 : 2, 1);
  dvector<int> marks(rows);
  run(by_main, [&](int j) {
    const int u = j * 13 % rows, v = j * j % rows;
    if (X[u].data() == X[v].data()) {
      marks[j % rows] += 1;
      return;
    }
    if (!X[u].empty()) X[u][0] += 1;
    marks[(j + 1) % rows] += 2;
  });
  return sum_of(marks);
}

/// Whole numbers that are only added up: the same under each model, on any ranks.
static double added(const ConsistencyModel& model, bool by_main) {
  dvector<int> X(rows * width), same(rows);
  run(by_main, [&](int j) {
    int* p = &X[j * 13 % rows * width];
    int* r = &X[j * j % rows * width];
    if (p == r) {
      same[j % rows] += 1;
      return;
    }
    for (int d = 0; d < width; ++d) p[d] += d + 1;
    for (int d = 0; d < width; ++d) r[d] -= 2;
  }, model);
  return sum_of(X) + 1000 * sum_of(same);
}
static double read_and_added(const ConsistencyModel& model, bool by_main) {
  dvector<int> X(rows * width, consistency::stale(0)), same(rows);
  run(by_main, [&](int j) {
    int* p = &X[j * 13 % rows * width];
    int* r = &X[j * j % rows * width];
    if (p == r) {
      same[j % rows] += 1;
      return;
    }
    for (int d = 0; d < width; ++d) p[d] += r[d] > -1000000 ? 1 : 2;
  }, model);
  return sum_of(X) + 1000 * sum_of(same);
}

int main() {
  const std::pair<const char*, double (*)(bool)> all[] = {{"drawn", drawn},
                                                          {"at_creation", at_creation},
                                                          {"references", references},
                                                          {"ordered", ordered},
                                                          {"in_transactions", in_transactions},
                                                          {"of_owned_rows", of_owned_rows}};
  for (const auto& [name, make] : all) check(name, make(true) == make(false));
  for (const ConsistencyModel& model : {consistency::async, consistency::ordered, consistency::sync(16)}) {
    check("added", added(model, true) == added(model, false));
    check("read_and_added", read_and_added(model, true) == read_and_added(model, false));
  }
  check("added", added(consistency::stale(1), true) == added(consistency::stale(1), false));
  return failures == 0 ? 0 : 1;
}
