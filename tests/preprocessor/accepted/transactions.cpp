// Loops that write data that steer them: centers by a label that the iteration has just set, conditions
// on changed data, keys inserted on the way, elements that are strings, ranges, draws, exceptions.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

static int failures = 0;

static void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  ++failures;
}

/// One pass of k-means: sums by labels that are elements. They are only added into: no transactions.
static void labels() {
  constexpr int n = 1500, k = 5;
  dvector<std::array<double, 2>> points(n);
  for (int j = 0; j < n; ++j) points[j] = {std::floor(j * 0.61803), static_cast<double>(j % 97)};
  dvector<std::array<double, 2>> centers(k), sums(k);
  dvector<int> label(n), counts(k);
  for (int c = 0; c < k; ++c) centers[c] = {200.0 * c, 20.0 * c};
  double loss = 0;
  async_for(n, [&](int64_t j) {
    double best = 1e300;
    for (int c = 0; c < k; ++c) {
      const double dx = points[j][0] - centers[c][0], dy = points[j][1] - centers[c][1];
      if (dx * dx + dy * dy < best) {
        best = dx * dx + dy * dy;
        label[j] = c;
      }
    }
    sums[label[j]][0] += points[j][0];
    sums[label[j]][1] += points[j][1];
    counts[label[j]] += 1;
    loss += std::sqrt(best);
  });
  std::array<int, k> expected{};
  std::array<double, k> sum{};
  for (int j = 0; j < n; ++j) {
    ++expected[std::as_const(label)[j]];
    sum[std::as_const(label)[j]] += std::as_const(points)[j][0];
  }
  for (int c = 0; c < k; ++c) {
    expect(std::as_const(counts)[c] == expected[c], "a count by label");
    expect(std::as_const(sums)[c][0] == sum[c], "a sum by label");  // of whole numbers
  }
  expect(loss > 0, "a reduction");
}

/// K-means of a stream: each point moves the nearest center. Each center ends as the mean of its points.
static void stream() {
  constexpr int n = 700, k = 4;
  dvector<double> points(n), centers(k), counts(k);
  dvector<int> label(n);
  for (int j = 0; j < n; ++j) points[j] = j * 37 % 101;
  for (int c = 0; c < k; ++c) centers[c] = 30 * c;
  async_for(n, [&](int64_t j) {
    double best = 1e300;
    for (int c = 0; c < k; ++c) {
      const double distance = std::abs(points[j] - centers[c]);
      if (distance < best) {
        best = distance;
        label[j] = c;
      }
    }
    double& center = centers[label[j]];
    counts[label[j]] += 1;
    center += (points[j] - center) / counts[label[j]];
  });
  std::array<double, k> sum{}, count{};
  for (int j = 0; j < n; ++j) {
    sum[std::as_const(label)[j]] += std::as_const(points)[j];
    count[std::as_const(label)[j]] += 1;
  }
  for (int c = 0; c < k; ++c) {
    expect(std::as_const(counts)[c] == count[c], "a count of a stream");
    expect(std::abs(std::as_const(centers)[c] * count[c] - sum[c]) < 1e-6, "a mean of a stream");
  }
}

/// Goods move from shelf to shelf as long as a shelf has some: none are lost.
static void conditions() {
  constexpr int n = 4000, shelves = 300;
  dvector<int> stock(shelves, 10), moved(n), last(shelves, -1);
  async_for(n, [&](int64_t j) {
    const int from = static_cast<int>(j * 7 % shelves);
    if (stock[from] <= 0) return;
    const int to = (from + stock[from]) % shelves;
    stock[from] -= 1;
    stock[to] += 1;
    if (last[to] >= 0) moved[last[to]] += 1;
    last[to] = static_cast<int>(j);
  });
  int total = 0, least = 0;
  for (const int one : std::as_const(stock)) {
    total += one;
    least = std::min(least, one);
  }
  expect(total == 10 * shelves && least == 0, "goods are neither lost nor made");
}

/// Words get numbers as they come up, and the number selects the counter.
static void keys() {
  constexpr int n = 3000;
  dvector<std::string> words(n);
  for (int j = 0; j < n; ++j) words[j] = "w" + std::to_string(j * j % 211);
  dmap<std::string, int> count_of, next;
  dvector<int> seen(n);
  async_for(n, [&](int64_t j) {
    if (next.contains(words[j])) {
      seen[next[words[j]]] += 1;
    } else {
      next[words[j]] = static_cast<int>(j);
    }
    count_of[words[j]] += 1;
  });
  int total = 0, again = 0;
  for (const auto& [word, count] : std::as_const(count_of)) total += count;
  for (const int one : std::as_const(seen)) again += one;
  expect(total == n, "each word is counted");
  expect(again == n - static_cast<int>(next.size()), "each word but the first of its kind finds one before it");
  expect(next.size() == count_of.size(), "the same words");
}

/// Elements with memory of their own; an iteration may write its own text stream again.
static void strings() {
  constexpr int n = 1200, lists = 50;
  dvector<std::string> text(lists);
  dvector<int> lengths(n);
  async_for(n, [&](int64_t j) {
    std::ostringstream digit;
    digit << j % 10;
    std::string& mine = text[j % lists];
    mine += digit.str();
    text[mine.size() % lists] += ".";
    lengths[mine.size()] += 1;
  });
  std::size_t size = 0;
  for (const std::string& one : std::as_const(text)) size += one.size();
  expect(size == 2 * n, "each iteration adds two letters");
}

/// Overlapping ranges, and single elements of them.
static void ranges() {
  constexpr int n = 2000, size = 400;
  dvector<long> x(size, 3);
  int wrong = 0;
  async_for(n, [&x, &wrong](int64_t j) {
    const auto at = static_cast<std::size_t>(x[j * 31 % size] * 17 + j) % (size - 4);
    const auto part = x.span(at, 4);
    const long sum = part[0] + part[1] + part[2] + part[3];
    x[at + 1] += 1;
    part[2] += part[1] - x[at + 1];  // the same element
    part[0] -= 1;
    wrong += part[0] + part[1] + part[2] + part[3] != sum;
  });
  expect(wrong == 0, "a range and its elements are one");
  long total = 0;
  for (const long one : std::as_const(x)) total += one;
  expect(total == 3 * size, "what is moved within a range stays there");
}

/// An iteration draws the same numbers each time it runs.
static void draws() {
  constexpr int n = 2000, size = 64;
  dvector<int> at(size), uses(size), drawn(n);
  async_for(n, [&](int64_t j) {
    auto stream = random(j);
    const int first = static_cast<int>(stream.below(size));
    const int second = (first + at[first]) % size;
    drawn[j] = static_cast<int>(stream.below(1000));
    at[second] = drawn[j];
    uses[second] += 1;
  });
  int total = 0;
  for (const int one : std::as_const(uses)) total += one;
  expect(total == n, "each iteration counts once");
}

/// An exception ends the loop at one iteration of the serial order.
static void throws() {
  constexpr int n = 2000;
  dvector<int> next(n);
  for (int j = 0; j < n; ++j) next[j] = (j * 13 + 5) % n;
  bool caught = false;
  try {
    async_for(n, [&](int64_t j) {
      const int to = next[next[j]];
      next[j] = to;
      if (j == 700) throw std::runtime_error("no more");
      if (to < 0) throw std::logic_error("never");
    });
  } catch (const loop_error& e) {
    caught = e.iteration() == 700;
  }
  expect(caught, "the iteration that throws is named");
  int sum = 0;
  async_for(n, [&](int64_t j) {
    if (next[next[j]] >= 0) next[j] = 0;
    sum += 1;
  });
  expect(sum == n, "containers stay usable");
}

/// The model is known at run time: `async` makes transactions, and they end as program order does.
static std::vector<int> under(const ConsistencyModel& model) {
  constexpr int n = 3000;
  dvector<int> x(n);
  for (int j = 0; j < n; ++j) x[j] = j * 7 % n;
  parallel_for(n, [&x](int64_t j) { x[x[x[j]]] = static_cast<int>(j); }, model);
  return {std::as_const(x).begin(), std::as_const(x).end()};
}

static void models() {
  std::vector<int> x(3000);
  for (int j = 0; j < 3000; ++j) x[j] = j * 7 % 3000;
  for (int j = 0; j < 3000; ++j) x[x[x[j]]] = j;
  expect(under(consistency::ordered) == x, "the program's order");
  expect(under(consistency::async) == x, "the program's order, as transactions");
  expect(under(consistency::sync) == under(consistency::sync), "batches");
}

/// Elements that a loop only reads may lie elsewhere: another loop has left them there.
static void look_elsewhere() {
  constexpr int n = 100;
  dvector<int> far(n, 1), next(n);
  async_for(n, [&](int j) { far[j] = j; });
  async_for(n, [&](int j) {
    const int k = next[next[j]];
    next[k] = far[n - 1 - j];
  });
  for (const int place : std::as_const(next)) expect(place >= 0 && place < n, "a place");
}

int main() {
  look_elsewhere();
  labels();
  stream();
  conditions();
  keys();
  strings();
  ranges();
  draws();
  throws();
  models();
  std::printf("failures=%d\n", failures);
  return failures == 0 ? 0 : 1;
}
