// Bootstrap: each replicate draws its own sample, with an engine made in the body from the replicate's number.
#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Estimate {
  double mean = 0;
  double median = 0;
  bool operator==(const Estimate&) const = default;
};

static Estimate replicate(const std::vector<double>& data, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<size_t> pick(0, data.size() - 1);
  std::vector<double> sample(data.size());
  std::generate(sample.begin(), sample.end(), [&] { return data[pick(engine)]; });
  Estimate estimate;
  for (const double x : sample) estimate.mean += x / static_cast<double>(sample.size());
  std::nth_element(sample.begin(), sample.begin() + static_cast<long>(sample.size() / 2), sample.end());
  estimate.median = sample[sample.size() / 2];
  return estimate;
}

int main() {
  std::vector<double> data;
  for (int i = 0; i < 99; ++i) data.push_back(i * i % 31 / 7.0);
  const unsigned base_seed = 42;
  stradsap::dvector<Estimate> estimates(500);
  int above = 0;
  stradsap::parallel_for(estimates.size(), [&data, &estimates, &above, base_seed](unsigned j) {
    Estimate& e = estimates[j];
    e = replicate(data, base_seed + j);
    above += e.mean > e.median;
  }, stradsap::consistency::async);

  int wanted = 0;
  for (unsigned j = 0; j < 500; ++j) {
    const Estimate e = replicate(data, base_seed + j);
    if (!(std::as_const(estimates)[j] == e)) return 1;
    wanted += e.mean > e.median;
  }
  return above == wanted ? 0 : 2;
}
