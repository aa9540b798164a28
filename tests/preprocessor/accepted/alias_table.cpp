// Draws from an alias table: a captured class with vectors and a const member function.
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

class AliasTable {
 public:
  explicit AliasTable(const std::vector<double>& weights) : accept_(weights.size()), alias_(weights.size()) {
    double sum = 0;
    for (const double w : weights) sum += w;
    std::vector<int> small, large;
    for (size_t i = 0; i < weights.size(); ++i) {
      accept_[i] = weights[i] * static_cast<double>(weights.size()) / sum;
      (accept_[i] < 1 ? small : large).push_back(static_cast<int>(i));
    }
    while (!small.empty() && !large.empty()) {
      const int s = small.back(), l = large.back();
      small.pop_back();
      alias_[s] = l;
      accept_[l] += accept_[s] - 1;
      if (accept_[l] >= 1) continue;
      large.pop_back();
      small.push_back(l);
    }
  }
  AliasTable() = default;
  int draw(uint64_t random) const {
    const size_t i = (random >> 32) % accept_.size();
    const double u = static_cast<double>(random & 0xFFFFFFFF) / 4294967296.0;
    return u < accept_[i] ? static_cast<int>(i) : alias_[i];
  }

 private:
  std::vector<double> accept_;
  std::vector<int> alias_;
};

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x7fb5d329728ea185ULL;
  x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44dULL;
  return x ^ (x >> 33);
}

int main() {
  const int n = 4000, kinds = 20;
  std::vector<double> weights;
  for (int k = 0; k < kinds; ++k) weights.push_back(1.0 / (k + 1));
  const AliasTable table(weights);
  stradsap::dvector<int> drawn(kinds);
  stradsap::parallel_for(n, [&drawn, &table](int64_t j) {
    uint64_t state = mix(static_cast<uint64_t>(j) + 1);
    for (int repeat = 0; repeat < 3; ++repeat) {
      drawn[table.draw(state)] += 1;
      state = mix(state + 0x9e3779b97f4a7c15ULL);
    }
  }, stradsap::consistency::async);

  std::vector<int> expected(kinds);
  for (int j = 0; j < n; ++j) {
    uint64_t state = mix(static_cast<uint64_t>(j) + 1);
    for (int repeat = 0; repeat < 3; ++repeat, state = mix(state + 0x9e3779b97f4a7c15ULL)) ++expected[table.draw(state)];
  }
  for (int k = 0; k < kinds; ++k) {
    if (std::as_const(drawn)[k] != expected[k]) return 1;
  }
  return 0;
}
