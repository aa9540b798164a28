// An iteration writes the element at its index, then uses it as a
// subscript elsewhere. Helpers take the index under another name.
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct point {
  float x = 0, y = 0;
};
struct sum {
  double x = 0, y = 0;
  int64_t n = 0;
};

static int nearest(const dvector<point>& centres, const point& p) {
  int best = 0;
  float least = 1e30f;
  for (int k = 0; k < 4; ++k) {
    const float dx = centres[k].x - p.x, dy = centres[k].y - p.y;
    if (dx * dx + dy * dy < least) {
      least = dx * dx + dy * dy;
      best = k;
    }
  }
  return best;
}

/// k-means: labels and sums in one loop. The sums are of whole numbers, so they are exact.
static int64_t cluster(int n) {
  dvector<point> points(n), centres(4);
  dvector<int> label(n);
  for (int i = 0; i < n; ++i) points[i] = {static_cast<float>(i % 37), static_cast<float>(i % 11)};
  for (int k = 0; k < 4; ++k) centres[k] = {static_cast<float>(9 * k), static_cast<float>(3 * k)};
  int64_t seen = 0;
  for (int pass = 0; pass < 3; ++pass) {
    dvector<sum> sums(4);
    async_for(n, [&](int j) {
      const point& p = points[j];
      label[j] = nearest(centres, p);
      sum& s = sums[label[j]];
      s.x += p.x;
      s.y += p.y;
      s.n += 1;
    });
    for (int k = 0; k < 4; ++k) {
      const sum& s = std::as_const(sums)[k];
      seen = seen * 7 + s.n + static_cast<int64_t>(s.x);
      if (s.n > 0) centres[k] = {static_cast<float>(s.x / s.n), static_cast<float>(s.y / s.n)};
    }
  }
  return seen;
}

static int64_t cluster_plainly(int n) {
  std::vector<point> centres(4);
  for (int k = 0; k < 4; ++k) centres[k] = {static_cast<float>(9 * k), static_cast<float>(3 * k)};
  int64_t seen = 0;
  for (int pass = 0; pass < 3; ++pass) {
    std::vector<sum> sums(4);
    for (int j = 0; j < n; ++j) {
      const point p{static_cast<float>(j % 37), static_cast<float>(j % 11)};
      int best = 0;
      float least = 1e30f;
      for (int k = 0; k < 4; ++k) {
        const float dx = centres[k].x - p.x, dy = centres[k].y - p.y;
        if (dx * dx + dy * dy >= least) continue;
        least = dx * dx + dy * dy;
        best = k;
      }
      sums[best].x += p.x;
      sums[best].y += p.y;
      sums[best].n += 1;
    }
    for (int k = 0; k < 4; ++k) {
      seen = seen * 7 + sums[k].n + static_cast<int64_t>(sums[k].x);
      if (sums[k].n == 0) continue;
      centres[k] = {static_cast<float>(sums[k].x / sums[k].n), static_cast<float>(sums[k].y / sums[k].n)};
    }
  }
  return seen;
}

static void put(dvector<int>& where, long at, int value) { where[at] = value; }
static int get(const dvector<int>& where, const int& at) { return where[at]; }

/// Writes in a branch, in a helper, in a lambda, before and between the accesses that they steer.
static int64_t lead(int n, int pass) {
  dvector<int> to(n), half(n), steps(n);
  dvector<std::array<int, 2>> pairs(n);
  dvector<int64_t> counts(100);
  for (int j = 0; j < n; ++j) steps[j] = j % 5;
  async_for(n, [&](int j) {
    put(to, j, (j * 7 + pass) % 100);
    const int i = j;
    half[i] = to[j] / 2;
    counts[get(to, i)] += 1;
    if (half[j] > 25) {
      put(half, i, get(half, j) - 25);
    } else {
      half[j] += 50;
    }
    counts[half[j]] += 10;
    pairs[j][1] = half[i];
    const auto turn = [&](int by) { pairs[j][0] = (pairs[j][1] + by) % 100; };
    turn(j % 3);
    for (int k = 0; k < steps[j]; ++k) {
      counts[pairs[j][0]] += 100;
      pairs[j][0] = (pairs[j][0] + 11) % 100;
    }
    steps[j] = 0;
  });
  int64_t sum = 0;
  for (const int64_t count : std::as_const(counts)) sum = sum * 31 + count;
  return sum;
}

static int64_t lead_plainly(int n, int pass) {
  std::vector<int64_t> counts(100);
  for (int j = 0; j < n; ++j) {
    const int to = (j * 7 + pass) % 100;
    const int half = to / 2 > 25 ? to / 2 - 25 : to / 2 + 50;
    counts[to] += 1;
    counts[half] += 10;
    for (int k = 0, at = (half + j % 3) % 100; k < j % 5; ++k, at = (at + 11) % 100) counts[at] += 100;
  }
  int64_t sum = 0;
  for (const int64_t count : counts) sum = static_cast<int64_t>(static_cast<uint64_t>(sum) * 31 + static_cast<uint64_t>(count));
  return sum;
}

struct item {
  int at = 0, value = 0;
  void move_to(int place) { at = place; }
  int place() const { return at; }
};

/// References to the own element, bound before the write.
static int64_t refer(int n) {
  dvector<int> own(n), w(n, 1);
  dvector<item> items(n);
  dvector<short> small(100);
  async_for(n, [&](int j) {
    const int& before = own[j];
    own[j] = j * 7 % n;
    if (w[before] < 1000) w[before] += w[before] + j % 3;
  });
  async_for(n, [&](int j) {
    auto& [at, value] = items[j];
    items[j].at = (j * 3 + 1) % n;
    w[at] = w[at] * 2 + 1;
    value = w[at];
  });
  async_for(n, [&](int j) {
    item &one = items[j], &same = items[j];
    same.move_to((j * 11 + 2) % n);
    w[one.place()] = w[one.place()] * 2 + 1;
    items[j] = {j * 13 % n, 5};
    w[items[j].at] = w[items[j].at] * 2 + 1;
    std::pair<int, int> best;
    best = {j * 17 % n, 5};
    w[best.first] = w[best.first] * 2 + 1;
  });
  async_for(100, [&](unsigned char j) {
    const bool odd = j != 0;
    small[odd] = static_cast<short>(small[odd] + j);
  });
  int64_t sum = small[1];
  for (const int value : std::as_const(w)) sum = static_cast<int64_t>(static_cast<uint64_t>(sum) * 31 + static_cast<uint64_t>(value));
  return sum;
}

static int64_t refer_plainly(int n) {
  std::vector<int> w(n, 1);
  for (int j = 0; j < n; ++j) w[j * 7 % n] += w[j * 7 % n] + j % 3;
  for (int j = 0; j < n; ++j) {
    for (const int at : {(j * 3 + 1) % n, (j * 11 + 2) % n, j * 13 % n, j * 17 % n}) w[at] = w[at] * 2 + 1;
  }
  int64_t sum = 99 * 100 / 2;
  for (const int value : w) sum = static_cast<int64_t>(static_cast<uint64_t>(sum) * 31 + static_cast<uint64_t>(value));
  return sum;
}

/// The helper's element does not exist if the condition fails.
static void add(dvector<int>& w, int at) { w[at] += 1; }

static int total_of_links(int n) {
  dvector<std::array<int, 2>> links(n);
  for (int j = 0; j < n; ++j) links[j] = {j % 50, j % 7 == 0 ? -1 : j * 13 % 50};
  dvector<int> w(50, 1);
  async_for(n, [&](int j) {
    if (w[links[j][0]] > 0 && links[j][1] >= 0) add(w, links[j][1]);
    w[links[j][0]] += 1;
  });
  int sum = 0;
  for (const int value : std::as_const(w)) sum += value;
  return sum;
}

struct node {
  int next = 0, count = 0;
};

/// A chain that leaves its container is an error, not an endless search.
static bool says_where_a_chain_ends() {
  dvector<node> nodes(20);
  for (int k = 0; k < 20; ++k) nodes[k].next = k + 1;
  try {
    async_for(100, [&](int j) {
      for (int at = j % 20; at >= 0; at = nodes[at].next) nodes[at].count += nodes[at].count % 3 + 1;
    });
  } catch (const stradsap::loop_error& error) {
    return std::string(error.what()).find("index 20 is out of range") != std::string::npos;
  }
  return false;
}

int main() {
  constexpr int n = 700;
  int wrong = 0;
  const auto expect = [&wrong](const char* what, int64_t found, int64_t wanted) {
    if (found == wanted) return;
    std::printf("%s: %lld instead of %lld\n", what, static_cast<long long>(found), static_cast<long long>(wanted));
    ++wrong;
  };
  expect("clusters", cluster(n), cluster_plainly(n));
  for (int pass = 0; pass < 2; ++pass) expect("leads", lead(n, pass), lead_plainly(n, pass));
  expect("a chain", says_where_a_chain_ends(), 1);
  expect("references", refer(1009), refer_plainly(1009));  // a prime number: each place is taken once
  expect("links", total_of_links(n), 50 + n + n - n / 7);
  return wrong == 0 ? 0 : 1;
}
