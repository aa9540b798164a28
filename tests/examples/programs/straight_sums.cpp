// Straight bodies that read captured vectors, and that fold. Each loop runs at several lengths. A captured
// vector has one element an iteration and ends where readable memory ends. Whole numbers must be those of a
// loop in main, elements must not depend on the length. Prints differences, and the sums of fractions.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include <stradsap/stradsap.hpp>

// ---- vectors before a page without access ----

static bool ends_with_page = false;
static std::byte* guarded[64];
static int num_guarded = 0;

void* operator new(std::size_t bytes) {
  if (!ends_with_page) {
    void* made = std::malloc(bytes);
    if (made == nullptr) throw std::bad_alloc();
    return made;
  }
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t readable = (bytes + page - 1) / page * page;
  void* first = mmap(nullptr, readable + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (first == MAP_FAILED || num_guarded == 64) throw std::bad_alloc();
  if (mprotect(static_cast<std::byte*>(first) + readable, page, PROT_NONE) != 0) throw std::bad_alloc();
  return guarded[num_guarded++] = static_cast<std::byte*>(first) + readable - bytes;
}
void operator delete(void* one) noexcept {
  // never given back
  if (std::find(guarded, guarded + num_guarded, one) == guarded + num_guarded) std::free(one);
}
void operator delete(void* one, std::size_t) noexcept { operator delete(one); }

template <class Number> static std::vector<Number> guarded_row(int n, Number (*number)(int)) {
  ends_with_page = true;
  std::vector<Number> row(n);
  ends_with_page = false;
  for (int j = 0; j < n; ++j) row[j] = number(j);
  return row;
}

// ---- loops ----

constexpr int longest = 20000;
static float number(int j, int of) {
  return 0.001f * static_cast<float>((j * 7919 + of * 104729) % 4001 - 2000);
}

using Values = stradsap::dvector<float>;

/// A captured object: its vector is a member beside containers.
struct Booster {
  std::vector<float> label;
  Values score, slope;

  void step(int n, float rate) {
    stradsap::async_for(n, [&](int j) {
      slope[j] = label[j] / (1 + label[j] * label[j]) - score[j] * 3;
      score[j] += rate * slope[j];
    });
  }
};

struct Results {
  Values rows = Values(longest), pairs = Values(longest), guarded = Values(longest),
         counted = Values(longest);
  stradsap::dvector<int> whole = stradsap::dvector<int>(longest);
  Booster booster;
  int positive = 0, greatest = -1000, bits = 0;
  std::int64_t total = 0;
  double loss = 0, change = 0;
  float sum = 0, best = -1000;
};

static void fold(int n, Results& to, const Values& x, const Values& z) {
  int positive = 0, greatest = -1000, bits = 0;
  std::int64_t total = 0;
  auto& counted = to.counted;
  auto& whole = to.whole;
  stradsap::async_for(n, [&](int j) {
    counted[j] += 0.7f * z[j] / (2 + x[j] * x[j]) - counted[j] * 0.3f;
    if (counted[j] > 0) ++positive;
    total -= whole[j] * 3;
    greatest = std::max(greatest, whole[j] % 1013);
    bits ^= j;
  });
  double loss = 0, change = 0;
  float sum = 0, best = -1000;
  stradsap::async_for(n, [&](int j) {
    const double d = x[j] - z[j];
    loss += d * d;
  });
  auto& pairs = to.pairs;
  stradsap::async_for(n, [&](int j) {
    const float before = pairs[j];
    pairs[j] = 0.5f * (x[j] + before * z[j]);
    if (z[j] > 0) change += std::abs(pairs[j] - before);
    sum -= pairs[j] * z[j];
  });
  stradsap::async_for(n, [&](int j) { best = std::max(best, x[j] * z[j]); });
  stradsap::async_for(n, [&](int j) { sum += x[j], sum += z[j]; });
  to.positive = positive, to.greatest = greatest, to.bits = bits, to.total = total;
  to.loss = loss, to.change = change, to.sum = sum, to.best = best;
}

static void run(int n, Results& to) {
  Values x(longest), z(longest);
  for (int j = 0; j < longest; ++j) {
    to.rows[j] = to.pairs[j] = to.guarded[j] = to.counted[j] = x[j] = number(j, 1);
    z[j] = number(j, 3);
    to.whole[j] = j * 31 % 977;
  }
  const auto y = guarded_row<float>(n, [](int j) { return number(j, 2); });
  const auto weight = guarded_row<double>(n, [](int j) { return double{number(j, 4)}; });
  const auto group =
      guarded_row<unsigned char>(n / 2, [](int j) { return static_cast<unsigned char>(j % 5); });
  auto &rows = to.rows, &guarded = to.guarded;
  stradsap::async_for(n, [&](int j) { rows[j] = 1 - y[j] * x[j] + rows[j] * 0.1f; });
  stradsap::async_for(n, [&](std::int64_t j) {
    rows[j] -= static_cast<float>(weight[j] * rows[j] + weight[j] / (2 + weight[j] * weight[j]));
  });
  const int half = n / 2;
  stradsap::async_for(n, [&](std::size_t j) {
    if (j < static_cast<std::size_t>(half)) guarded[j] = static_cast<float>(group[j]) * z[j] + y[j];
  });
  to.booster.label = guarded_row<float>(n, [](int j) { return number(j, 5); });
  to.booster.score = x;
  to.booster.slope = z;
  for (int pass = 0; pass < 3; ++pass) to.booster.step(n, 0.2f);
  fold(n, to, x, z);
}

static void compare(const char* name, int n, int until, const Values& part, const Values& all) {
  int differ = 0;
  for (int j = 0; j < until; ++j) differ += std::memcmp(&part[j], &all[j], sizeof(float)) != 0;
  if (differ != 0) std::printf("%s of %d iterations: %d other elements\n", name, n, differ);
}

static void check_folds(int n, const Results& part) {
  int positive = 0, greatest = -1000, bits = 0;
  std::int64_t total = 0;
  for (int j = 0; j < n; ++j) {
    positive += part.counted[j] > 0;
    total -= part.whole[j] * 3;
    greatest = std::max(greatest, part.whole[j] % 1013);
    bits ^= j;
  }
  if (positive != part.positive || greatest != part.greatest || bits != part.bits || total != part.total)
    std::printf("folds of %d iterations: other elements\n", n);
}

int main() {
  Results all;
  run(longest, all);
  check_folds(longest, all);
  for (const int n : {1, 3, 63, 64, 65, 200, 777, 19999}) {
    Results part;
    run(n, part);
    compare("rows", n, n, part.rows, all.rows);
    compare("shorter row", n, n / 2, part.guarded, all.guarded);
    compare("scores", n, n, part.booster.score, all.booster.score);
    compare("counted", n, n, part.counted, all.counted);
    check_folds(n, part);
    std::printf("%d: %a %a %a %a\n", n, part.loss, part.change, part.sum, part.best);
  }
  std::printf("all: %a %a %a %a\n", all.loss, all.change, all.sum, all.best);
}
