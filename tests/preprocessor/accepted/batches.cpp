// Synchronous batches: a step of gradient descent folds its addends at the end of each batch.
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using Gradient = std::array<long, 4>;

int main() {
  const int n = 1024;
  stradsap::dvector<Gradient> model(8);
  stradsap::dvector<long> seen(8);
  stradsap::sync_for(n, 128, [&model, &seen](int64_t j) {
    Gradient& g = model[j * 3 % 8];
    for (size_t d = 0; d < g.size(); ++d) g[d] += (j + static_cast<long>(d)) % 5;
    seen[j * 3 % 8] += 1;
  });
  stradsap::parallel_for(n, [&seen](int64_t j) { seen[j % 8] += 2; }, stradsap::consistency::sync({.batch = 64, .shards = 4}));
  stradsap::parallel_for("whole", n, [&seen](int64_t j) { seen[j % 8] -= 1; }, stradsap::consistency::sync);

  std::vector<Gradient> expected(8);
  for (int j = 0; j < n; ++j) {
    for (int d = 0; d < 4; ++d) expected[j * 3 % 8][d] += (j + d) % 5;
  }
  for (int i = 0; i < 8; ++i) {
    if (std::as_const(model)[i] != expected[i] || std::as_const(seen)[i] != n / 8 * 2) return 1;
  }
  return 0;
}
