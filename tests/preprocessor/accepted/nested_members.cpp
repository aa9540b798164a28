// A captured object with a member that the body uses as a whole and by its own members: one part of the object.
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct limits {
  std::vector<double> top{4, 5, 6};
  int open = 1;
};
struct inner {
  std::vector<double> v{1, 2, 3};
  limits edge;
  double at(int64_t i) const { return v[i]; }
};
struct settings : inner {
  int size = 8;
  std::string name = "linear";
  inner in;
  int half() const { return size / 2; }
};
struct totals {
  double loss = 0;
  long count = 0;
  double both() const { return loss + static_cast<double>(count); }
};
struct model {
  dvector<double> W = dvector<double>(800, 1.0);
  inner in;
  settings all;
  totals sum;
};

static double first(const inner& from, int64_t i) { return from.v[i % 3] + from.edge.top[i % 3]; }

class trainer {
 public:
  void run() {
    async_for(600, [&](int64_t i) {
      W[i % 97 * config_.half()] += config_.in.v[i % 3] + config_.size;
    });
    async_for(600, [this](int64_t i) { W[place(i)] += this->config_.in.at(i % 3) * config_.in.v[0]; });
  }
  double last() const { return W[8]; }

 private:
  int64_t place(int64_t i) const { return i * config_.half() % 700 + config_.in.edge.open; }

  dvector<double> W = dvector<double>(800, 1.0);
  settings config_;
};

/// One instance uses the member as a whole, the other one its parts.
template <bool Whole> static void scale(model& m) {
  async_for(300, [&m](int64_t i) {
    if constexpr (Whole) {
      m.W[i % 70] += m.in.at(i % 3);
    } else {
      m.W[i % 60] += m.in.v[i % 3];
    }
  });
}

static void pour(model& m, int64_t i) { m.W[i % 50] += m.in.at(i % 3); }

int main() {
  model m, other;
  for (int pass = 0; pass < 3; ++pass) {
    async_for(800, [&](int64_t i) { m.W[i] += m.in.at(i % 3) * m.in.v[i % 3]; });
    async_for(800, [&](int64_t i) { m.W[i] += first(m.all.in, i) * m.all.in.v[i % 3] + first(m.all, i) + m.all.v[1]; });
    async_for(500, [&](int64_t i) {
      m.W[i * 3 % 80] += std::as_const(m.all.in).v[i % 3] + m.all.in.edge.open + m.all.in.at(0);
      m.W[i * 7 % 80] += static_cast<double>(m.all.name.size()) + m.all.name[1];
    });
    async_for(500, [&, start = m.in.v[0], size = m.all.size](int64_t i) {
      m.W[i * 3 % 80] += start + size + m.in.at(i % 3) + m.all.half();
    });
    async_for(500, [&](int64_t i) {
      m.sum.loss += m.W[i % 5];
      m.sum.count += 1;
    });
    scale<true>(m);
    scale<false>(m);
    async_for(400, [&](int64_t i) {
      pour(m, i);
      pour(other, i * 3);
      m.W[i % 40] += m.in.v[0] - other.in.v[1];
    });
    async_for(500, [&](int64_t i) { other.W[i % 90] += m.sum.both() + m.sum.loss; });
    m.in.v[1] *= 2;
    m.all.size += 2;
    m.all.in.v.push_back(pass);
  }
  trainer t;
  t.run();
  double sum = 0;
  for (int i = 0; i < 800; ++i) sum += m.W[i] - other.W[i];
  std::printf("%.17g %.17g %ld %.17g\n", sum, m.sum.loss, m.sum.count, t.last());
}
