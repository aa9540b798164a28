// A perceptron over integers, until a pass makes no mistake: dense rows, the weights in one element.
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

constexpr int DIM = 5;
typedef std::array<int, DIM> Row;

static int margin(const Row& w, const Row& x) {
  int z = 0;
  for (int d = 0; d < DIM; d++) z += w[d] * x[d];
  return z;
}

static std::vector<std::pair<Row, int>> make_samples(int n) {
  const Row truth{3, -2, 1, 4, -1};
  std::vector<std::pair<Row, int>> samples;
  for (int j = 0; static_cast<int>(samples.size()) < n; ++j) {
    Row x;
    for (int d = 0; d < DIM; ++d) x[d] = (j * (d + 2) * 7 + d) % 11 - 5;
    if (margin(truth, x) != 0) samples.emplace_back(x, margin(truth, x) > 0 ? 1 : -1);
  }
  return samples;
}

int main() {
  const auto samples = make_samples(400);
  stradsap::dvector<std::pair<Row, int>> data(samples.begin(), samples.end());
  stradsap::dvector<Row> weights(1);
  Row expected{};
  for (int pass = 0; pass < 50; ++pass) {
    int mistakes = 0, wanted = 0;
    stradsap::parallel_for(data.size(), [&](int64_t j) {
      const auto& [x, y] = data[j];
      auto& w = weights[0];
      if (margin(w, x) * y > 0) return;
      for (int d = 0; d < DIM; d++) w[d] += y * x[d];
      mistakes++;
    }, stradsap::consistency::ordered);
    for (const auto& [x, y] : samples) {
      if (margin(expected, x) * y > 0) continue;
      for (int d = 0; d < DIM; d++) expected[d] += y * x[d];
      ++wanted;
    }
    if (mistakes != wanted) return 1;
    if (mistakes == 0) break;
  }
  return std::as_const(weights)[0] == expected ? 0 : 2;
}
