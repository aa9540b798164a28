// mlr on StradsAP with the kernels of the rivals by hand: iterations own features, and registers hold
// classes.

#include <stradsap/stradsap.hpp>

#include "part.hpp"

constexpr int num_parts = 2;

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv);
  const std::vector<Sample> samples = samples_of(options);
  const int64_t n = samples.size();
  stradsap::dvector<Part> parts;
  for (int p = 0; p < num_parts; ++p) parts.push_back(Part(samples, options.features, p, num_parts));
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  stradsap::dvector<std::vector<Classes>> scores(num_parts, std::vector<Classes>(options.batch));
  stradsap::dvector<Classes> errors(options.batch);
  std::mt19937 random(2);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    std::shuffle(order.begin(), order.end(), random);
    double loss = 0;
    for (int64_t first = 0; first < n; first += options.batch) {
      const int64_t size = std::min(options.batch, n - first);
      stradsap::async_for(num_parts, [&](int p) {
        for (int64_t i = 0; i < size; ++i) scores[p][i] = parts[p].scores(order[first + i]);
      });
      stradsap::async_for(size, [&](int64_t i) {
        Classes sum = scores[0][i];
        for (int p = 1; p < num_parts; ++p) {
          for (int r = 0; r < registers; ++r) sum.x[r] += scores[p][i].x[r];
        }
        loss += parts[0].find_errors(order[first + i], sum);
        errors[i] = sum;
      });
      stradsap::async_for(num_parts, [&](int p) {
        for (int64_t i = 0; i < size; ++i)
          parts[p].take_step(order[first + i], errors[i], options.rate / size);
      });
    }
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / n);
  }
  return 0;
}
