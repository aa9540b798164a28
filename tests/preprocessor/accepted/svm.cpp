// A linear SVM by Pegasos over sparse vectors kept as two arrays; the step size falls with the iteration.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct SparseVector {
  std::vector<int> index;
  std::vector<double> value;
  double label = 1;
};

namespace pegasos {
const double lambda = 0.01;

template <class Weights>
double margin(const SparseVector& x, const Weights& w) {
  double sum = 0;
  for (size_t k = 0; k < x.index.size(); ++k) sum += x.value[k] * w[x.index[k]];
  return sum * x.label;
}

template <class Weights>
void step(const SparseVector& x, Weights& w, int64_t t) {
  const double eta = 1 / (lambda * static_cast<double>(t + 100));
  const double active = margin(x, w) < 1 ? 1 : 0;
  for (size_t k = 0; k < x.index.size(); ++k) w[x.index[k]] += active * eta * x.label * x.value[k];
}
}  // namespace pegasos

int main() {
  const int n = 400, dim = 60;
  std::vector<SparseVector> samples(n);
  for (int j = 0; j < n; ++j) {
    samples[j].label = j % 2 == 0 ? 1 : -1;
    for (int k = 0; k < 4; ++k) {
      samples[j].index.push_back((j * 7 + k * 11) % dim);
      samples[j].value.push_back(0.5 + k);
    }
  }
  stradsap::dvector<SparseVector> data(samples.begin(), samples.end());
  stradsap::dvector<double> w(dim);
  std::vector<double> expected(dim);
  int64_t wrong = 0, wanted_wrong = 0;
  for (int pass = 0; pass < 3; ++pass) {
    const int64_t first = pass * n;
    stradsap::parallel_for("train", n, [&data, &w, first](int64_t j) { pegasos::step(data[j], w, first + j); },
                           stradsap::consistency::ordered);
    for (int64_t j = 0; j < n; ++j) pegasos::step(samples[j], expected, first + j);
  }
  stradsap::parallel_for("test", n, [&](int64_t j) { wrong += pegasos::margin(data[j], std::as_const(w)) < 0; },
                         stradsap::consistency::async);
  for (const SparseVector& x : samples) wanted_wrong += pegasos::margin(x, expected) < 0;
  for (int i = 0; i < dim; ++i) {
    if (std::as_const(w)[i] != expected[i]) return 1;
  }
  return wrong == wanted_wrong ? 0 : 2;
}
