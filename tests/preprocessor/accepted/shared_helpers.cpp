// One helper gives an element to one loop and a row to another. It has one text, so both loops request both reaches.
#include <stradsap/stradsap.hpp>

#include <array>
#include <cstdio>
#include <vector>

using namespace stradsap;

static int failures = 0;
static void check(const char* what, bool right) {
  std::printf("%s %s\n", what, right ? "ok" : "WRONG");
  failures += right ? 0 : 1;
}

template <class T> static T& element(dvector<T>& m, int64_t i) { return m[i]; }
static int* row_of(dvector<int>& m, int64_t i, int d) { return &m[i * d]; }

template <class T> static T& first_of(dvector<T>& m, int64_t i) { return m[i]; }

constexpr int n = 200;
constexpr int d = 4;

static void elements_and_rows() {
  dvector<std::array<int, d>> A(n);
  dvector<int> S(n), F(n * d);
  parallel_for(n, [&A](int64_t j) { element(A, j)[1] += 2; }, consistency::async);
  parallel_for(n, [&S](int64_t j) {
    [&] { element(S, (j * 7) % n) += 3; }();
  }, consistency::async);
  parallel_for(n, [&F](int64_t j) {
    int* row = &element(F, j * d);
    for (int k = 0; k < d; ++k) row[k] += k + 1;
  }, consistency::async);
  bool right = true;
  for (int j = 0; j < n; ++j) {
    right = right && A[j] == std::array<int, d>{0, 2, 0, 0} && S[j] == 3;
    for (int k = 0; k < d; ++k) right = right && F[j * d + k] == k + 1;
  }
  check("elements and rows", right);
}

static void rows_and_their_firsts(int width) {
  dvector<int> F(n * width), G(n * width);
  std::vector<int> row(n);
  for (int j = 0; j < n; ++j) row[j] = (j * 3) % n;
  parallel_for(n, [&F, &row, width](int64_t j) { *row_of(F, row[j], width) += 1; }, consistency::async);
  parallel_for(n, [&G, &row, width](int64_t j) {
    int* p = row_of(G, row[j], width);
    for (int k = 0; k < width; ++k) p[k] += k;
  }, consistency::sync);
  bool right = true;
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < width; ++k) right = right && F[j * width + k] == (k == 0 ? 1 : 0) && G[j * width + k] == k;
  }
  check("rows and their firsts", right);
}

/// A helper's row, up to an end that the loop computes from it.
static void ends_of_rows(int width) {
  dvector<int> F(n * width), G(n * width), H(n * d);
  parallel_for(n, [&F, width](int64_t j) {
    int* p = row_of(F, j, width);
    int* const end = p + width;
    for (; p != end; ++p) *p += 1;
  }, consistency::async);
  parallel_for(n, [&G, width](int64_t j) {
    int* row = row_of(G, j, width) + 1;
    for (int* p = row; p < row + (width - 1); p++) *p += 2;
  }, consistency::async);
  parallel_for(n, [&H](int64_t j) {
    int* p = &element(H, j * d);
    int* const end = p + d;
    for (; p != end; ++p) *p += 1;
  }, consistency::async);
  bool right = true;
  for (int i = 0; i < n * width; ++i) right = right && F[i] == 1 && G[i] == (i % width == 0 ? 0 : 2);
  for (const int x : H) right = right && x == 1;
  check("ends of rows", right);
}

/// A helper's element in one loop, and only the elements behind it in another.
static void elements_and_those_behind() {
  dvector<int> S(n), F(n * d);
  parallel_for(n, [&S](int64_t j) { int& x = first_of(S, (j * 7) % n), old = x; x = old + 6; },
               consistency::async);
  parallel_for(n, [&F](int64_t j) {
    int* row = &first_of(F, j * d);
    for (int k = 2; k < d; ++k) row[k] += 1;
  }, consistency::async);
  bool right = true;
  for (const int x : S) right = right && x == 6;
  for (int i = 0; i < n * d; ++i) right = right && F[i] == (i % d < 2 ? 0 : 1);
  check("elements and those behind", right);
}

int main() {
  elements_and_rows();
  rows_and_their_firsts(5);
  ends_of_rows(5);
  elements_and_those_behind();
  return failures;
}
