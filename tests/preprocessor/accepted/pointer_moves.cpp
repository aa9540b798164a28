// Pointers to elements that move in the middle of expressions, around jumps, and by indices
// that wrap. In any order of iterations, each loop's result is that of the sequential program.
#include <stradsap/stradsap.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

using namespace stradsap;

static int failures = 0;
static constexpr int64_t n = 3000, few = 400, dim = 8;

static void check(const char* what, dvector<int64_t>& m, void (*work)(int64_t*, int64_t)) {
  std::vector<int64_t> same(m.size(), 1);
  const auto rows = static_cast<int64_t>(m.size()) / dim;
  for (int64_t j = 0; j < rows; ++j) work(&same[j * 7919 % rows * dim], j);
  bool right = true;
  for (std::size_t i = 0; i < m.size(); ++i) {
    right = right && m[i] == same[i];
    m[i] = 1;
  }
  std::printf("%s %s\n", what, right ? "ok" : "WRONG");
  failures += right ? 0 : 1;
}

// C++17 evaluates the right of an assignment before its left; compilers warn as if it did not
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
// indices that do not run straight to their bound
static void wrapping(int64_t* p, int64_t j) {
  for (uint8_t k = 254; k != 4; ++k) p[k & 7] += j;
}
static void bound_beyond_the_type(int64_t* p, int64_t j) {
  const int last = static_cast<int>(j % 2) + 299;
  int rounds = 0;
  for (uint8_t k = 250; k < last && rounds < 9; ++k) p[k % 8] += ++rounds;
}
static void without_bound(int64_t* p, int64_t j) {
  const int limit = -1;
  for (int k = 0; k != limit && k < 5; ++k) p[k] += j;
}
static void steps_over(int64_t* p, int64_t j) {
  for (int k = 0; k != 5 && k < 7; k += 2) p[k] += j;
}
static void nothing_less_one(int64_t* p, int64_t j) {
  const std::size_t none = j < 0 ? 1 : 0;
  for (std::size_t k = 0; k < none - 1 && k < 5; ++k) p[k] += j;
}
static void converted(int64_t* p, int64_t j) {
  p[static_cast<int>(static_cast<double>(j % 7) * 0.9)] += j;
  p[static_cast<bool>(j % 3)] += j;
}
static void behind_a_comma(int64_t* p, int64_t j) { p[(void(0), j % 7)] += j; }

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
  parallel_for(n, [&m](int64_t j) { wrapping(&m[j * 7919 % n * dim], j); }, consistency::async);
  check("wrapping", m, wrapping);
  parallel_for(n, [&m](int64_t j) { bound_beyond_the_type(&m[j * 7919 % n * dim], j); }, consistency::async);
  check("bound beyond the type", m, bound_beyond_the_type);
  // indices that are converted, or follow a comma
  parallel_for(n, [&m](int64_t j) {
    int64_t* p = &m[j * 7919 % n * dim];
    p[static_cast<int>(static_cast<double>(j % 7) * 0.9)] += j;
    p[static_cast<bool>(j % 3)] += j;
  }, consistency::async);
  check("converted", m, converted);
  parallel_for(n, [&m](int64_t j) {
    int64_t* p = &m[j * 7919 % n * dim];
    p[(void(0), j % 7)] += j;
  }, consistency::async);
  check("behind a comma", m, behind_a_comma);
  // these reach the whole container
  dvector<int64_t> part(few * dim, 1);
  parallel_for(few, [&part](int64_t j) { without_bound(&part[j * 7919 % few * dim], j); }, consistency::async);
  check("without bound", part, without_bound);
  parallel_for(few, [&part](int64_t j) { steps_over(&part[j * 7919 % few * dim], j); }, consistency::async);
  check("steps over", part, steps_over);
  parallel_for(few, [&part](int64_t j) { nothing_less_one(&part[j * 7919 % few * dim], j); }, consistency::async);
  check("nothing less one", part, nothing_less_one);
  return failures;
}
