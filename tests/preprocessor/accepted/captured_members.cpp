// Init-captures that name members of another object: a model in a struct, nested, const, a member of this, a reduction.
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct factors {
  dvector<double> rows = dvector<double>(50, 1.0);
  double bias = 2;
};
struct model {
  factors user, item;
  std::vector<int> order{3, 1, 2};
};
struct statistics {
  long seen = 0;
  double sum = 0;
};

static void shift(model& m, const dvector<int>& picks, statistics& stats) {
  async_for(1000, [&U = m.user.rows, &V = m.item.rows, bias = m.item.bias, &picks, &seen = stats.seen](int64_t j) {
    U[picks[j]] += bias;
    V[(picks[j] + 7) % 50] -= U[picks[j]] * 0.001;
    ++seen;
  });
}
static double total(const model& m) {
  statistics stats;
  async_for(50, [&rows = m.user.rows, order = m.order, &sum = stats.sum](int64_t i) { sum += rows[i] * order[i % 3]; });
  return stats.sum;
}

class trainer {
 public:
  void run() {
    async_for(200, [&rows = parts_.rows, by = parts_.bias](int64_t j) { rows[j * 3 % 50] += by; });
  }
  double at(int i) const { return parts_.rows[i]; }

 private:
  factors parts_;
};

int main() {
  model m;
  m.item.bias = 0.5;
  dvector<int> picks(1000);
  for (int j = 0; j < 1000; ++j) picks[j] = j * 13 % 50;
  statistics stats;
  shift(m, picks, stats);
  if (stats.seen != 1000) return 1;
  for (int i = 0; i < 50; ++i) {
    if (std::as_const(m.user.rows)[i] != 11) return 2;
  }
  if (total(m) != 11 * (17 * 3 + 17 * 1 + 16 * 2)) return 3;
  trainer t;
  t.run();
  return t.at(9) == 9 ? 0 : 4;
}
