// Subscripts that change behind names that do not show it: `mutable` members, members that are references, a
// right side that is computed before the place. Inner loops with fractional bounds. Private copies of elements
// with members that begin with other values than zero.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct cursor {
  mutable int at;
  void next() const { at += 3; }
};

struct stepping {
  virtual ~stepping() = default;
  virtual void next() const = 0;
};

struct strider : stepping {
  mutable int at;
  explicit strider(int from) : at(from) {}
  void next() const override { at += 3; }
};

struct out {
  int& to;
  void set(int value) const { to = value; }
};

class setter {
 public:
  explicit setter(int& to) : to_(to) {}
  void set(int value) const { to_ = value; }

 private:
  int& to_;
};

struct moments {
  double sum = 1.5;
  long count = 2;
};

struct added_whole {
  long count = 2;
  added_whole& operator+=(const added_whole& other) {
    count += other.count;
    return *this;
  }
};

struct walker {
  int at;
  int step() { return at = (at + 3) % 64; }
};

static int next_of(int& k) { return k = (k + 1) % 40; }

static void print(const char* name, const dvector<int>& x) {
  unsigned hash = 0;
  for (const int one : x) hash = hash * 31 + static_cast<unsigned>(one);
  std::printf("%s %u\n", name, hash);
}

static void moved_by_const_members() {
  dvector<int> x(2100), y(2000, 1), z(2000, 1), w(2100), v(2100);
  async_for(2000, [&](int64_t j) {
    cursor c{static_cast<int>(j)};
    for (int t = 0; t < 4; ++t) {
      x[c.at] += 1;
      c.next();
    }
  });
  stradsap::parallel_for(2000, [&](int64_t j) {
    int k = 0;
    const out o{k};
    o.set(static_cast<int>(j * 7 % 2000));
    y[k] = y[k] * 3 + 1;
  }, stradsap::consistency::ordered);
  stradsap::parallel_for(2000, [&](int64_t j) {
    int k = 0;
    const setter o(k);
    o.set(static_cast<int>(j * 7 % 2000));
    z[k] = z[k] * 3 + 1;
  }, stradsap::consistency::ordered);
  async_for(2000, [&](int64_t j) {
    const strider s(static_cast<int>(j));
    const stepping& moves = s;
    for (int t = 0; t < 4; ++t) {
      w[s.at] += 1;
      moves.next();
    }
  });
  async_for(2000, [&](int64_t j) {
    const auto at = std::make_unique<int>(static_cast<int>(j));
    const auto shared = std::make_shared<int>(static_cast<int>(j));
    const std::function<int()> read = [&] { return *at; };
    for (int t = 0; t < 4; ++t) {
      v[*at] += 1;
      v[read()] += 2;
      v[*shared] += 5;
      *at += 3;
      *shared += 4;
    }
  });
  print("cursor", x);
  print("heap", v);
  print("virtual", w);
  print("reference", y);
  print("private reference", z);
}

static void moved_by_the_right_side() {
  dvector<int> x(40, 1), y(64, 1), z(64, 1);
  const dvector<int> moves(64, 5);
  stradsap::parallel_for(3000, [&](int64_t j) {
    int k = static_cast<int>(j % 40);
    x[k] = x[k] + next_of(k);
  }, stradsap::consistency::ordered);
  stradsap::parallel_for(3000, [&](int64_t j) {
    walker w{static_cast<int>(j % 64)};
    y[w.at] = y[w.at] + w.step();
  }, stradsap::consistency::ordered);
  async_for(3000, [&](int64_t j) {
    auto k = static_cast<int>(j % 64);
    z[k] = (z[k] * 3 + 1) % 1000;
    if (moves[k] > 4 && (k = (k + moves[k]) % 64) > 3) z[k] = (z[k] * 3 + 1) % 1000;
  });
  print("by a call", x);
  print("by a condition", z);
  print("by a member", y);
}

static void fractional_bounds() {
  dvector<int> x(4000), y(4000);
  const float ratio = 0.5f;
  async_for(100, [&, ratio](int64_t j) {
    for (int k = 0; k < 41 * ratio; ++k) x[j * 40 + k] += k;
  });
  async_for(100, [&](int64_t j) {
    for (int k = 0; k < std::sqrt(30.0); ++k) y[j * 40 + k] += 1;
  });
  print("half", x);
  print("root", y);
}

static void initial_values() {
  dvector<std::vector<moments>> rows(8);
  for (int c = 0; c < 8; ++c) rows[c].resize(4);
  dvector<moments> plain(8);
  dvector<added_whole> whole(8);
  std::vector<int> of(20000);
  for (int i = 0; i < 20000; ++i) of[i] = i % 8;
  async_for(20000, [&](int64_t j) {
    rows[of[j]][j % 4].sum += 0.5;
    rows[of[j]][j % 4].count += 1;
    plain[of[j]].sum += 0.25;
  });
  async_for(20000, [&](int64_t j) { whole[of[j]] += added_whole{static_cast<long>(j % 3)}; },
            stradsap::access(stradsap::adds(whole)));
  for (int c = 0; c < 8; ++c) {
    const auto& row = std::as_const(rows)[c];
    std::printf("%.1f %ld %.2f %ld %ld\n", row[c % 4].sum, row[c % 3].count, std::as_const(plain)[c].sum,
                std::as_const(plain)[c].count, std::as_const(whole)[c].count);
  }
}

int main() {
  moved_by_const_members();
  moved_by_the_right_side();
  fractional_bounds();
  initial_values();
}
