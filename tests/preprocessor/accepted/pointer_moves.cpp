// Pointers to elements that move in the middle of expressions, around jumps, and by indices that wrap.
// Each loop's result is that of the sequential program, whatever the order of iterations.
#include <stradsap/stradsap.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

using namespace stradsap;

static int failures = 0;
static constexpr int64_t n = 3000, dim = 8;

static void check(const char* what, dvector<int64_t>& m, void (*work)(int64_t*, int64_t)) {
  std::vector<int64_t> same(m.size(), 1);
  for (int64_t j = 0; j < n; ++j) work(&same[j * 7919 % n * dim], j);
  bool right = true;
  for (std::size_t i = 0; i < m.size(); ++i) {
    right = right && m[i] == same[i];
    m[i] = 1;
  }
  std::printf("%s %s\n", what, right ? "ok" : "WRONG");
  failures += right ? 0 : 1;
}

// C++17 evaluates the right of an assignment before its left, which compilers warn of as if it did not
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsequence-point"
static void move_on_the_right(int64_t* p, int64_t j) { *p = *p++ * 31 + j; }
static void move_of_a_sum(int64_t* p, int64_t j) { *p += (p += 2, *p + j), *p *= 2; }
static void move_past_the_left(int64_t* p, int64_t j) { *p = (p += 5, j + p[-1]); }
static void move_after_all(int64_t* p, int64_t j) { *p++ = j * *p; }
#pragma GCC diagnostic pop
static void move_behind_and(int64_t* p, int64_t j) {
  if (*p % 7 != 0 && *++p % 5 != 0) *p = *p * 3 + j;
}
// in a lambda that runs after the move
static void move_before_a_lambda_runs(int64_t* p, int64_t j) {
  const auto add = [&] { *p = *p * 3 + j; };
  add();
  p += 5;
  add();
}
// in the condition of a loop
static void last_look(int64_t* p, int64_t j) {
  int64_t* at = p;
  int64_t sum = 0;
  for (int k = 0; (sum = sum * 3 + (*at += j)) != -1 && k < 4; ++k) at++;
  *p = sum % 1000 + j;
}
static void look_behind_the_test(int64_t* p, int64_t j) {
  for (int k = 0; k < 4 && *p++ % 11 != 0; ++k) p[0] += j;
}
// a jump forwards
static void skipped(int64_t* p, int64_t j) {
  if (*p % 3 == 0) goto rest;
  p += 3;
rest:
  *p = *p * 3 + j;
}

int main() {
  dvector<int64_t> m(n * dim, 1);
  parallel_for(n, [&m](int64_t j) { move_on_the_right(&m[j * 7919 % n * dim], j); }, consistency::async);
  check("move on the right", m, move_on_the_right);
  parallel_for(n, [&m](int64_t j) { move_of_a_sum(&m[j * 7919 % n * dim], j); }, consistency::async);
  check("move of a sum", m, move_of_a_sum);
  parallel_for(n, [&m](int64_t j) { move_past_the_left(&m[j * 7919 % n * dim], j); }, consistency::async);
  check("move past the left", m, move_past_the_left);
  parallel_for(n, [&m](int64_t j) { move_after_all(&m[j * 7919 % n * dim], j); }, consistency::async);
  check("move after all", m, move_after_all);
  parallel_for(n, [&m](int64_t j) { move_behind_and(&m[j * 7919 % n * dim], j); }, consistency::async);
  check("move behind and", m, move_behind_and);
  parallel_for(n, [&m](int64_t j) { move_before_a_lambda_runs(&m[j * 7919 % n * dim], j); }, consistency::async);
  check("move before a lambda runs", m, move_before_a_lambda_runs);
  parallel_for(n, [&m](int64_t j) { last_look(&m[j * 7919 % n * dim], j); }, consistency::async);
  check("last look", m, last_look);
  parallel_for(n, [&m](int64_t j) { look_behind_the_test(&m[j * 7919 % n * dim], j); }, consistency::async);
  check("look behind the test", m, look_behind_the_test);
  parallel_for(n, [&m](int64_t j) { skipped(&m[j * 7919 % n * dim], j); }, consistency::async);
  check("skipped", m, skipped);
  return failures;
}
