// Bodies in templates with two instances that need different texts.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct totals {
  double sum = 0, scale = 1;
};

template <bool product> static void fold(const dvector<double>& D, totals& to) {
  async_for(10, [&D, &to](int64_t j) {  // expected-error: `to` is used differently in two instances of this template [SAP034]
    to.sum += D[j];
    if constexpr (product) to.scale *= D[j];
    else to.scale += D[j];
  });
}

template <class Data> static void shift(const Data& by, dvector<double>& D) {
  async_for(10, [&by, &D](int64_t j) { D[j] += by[j]; });  // expected-error: `by` is used differently in two instances of this template [SAP034]
}

template <bool folds> static void count(const dvector<double>& D, double& number, dvector<double>& out) {
  async_for(10, [&D, &number, &out](int64_t j) {  // expected-error: `number` is used differently in two instances of this template [SAP034]
    if constexpr (folds) number += D[j];
    else out[j] = number;
  });
}

void instances(dvector<double>& D, const std::vector<double>& values) {
  totals t;
  fold<false>(D, t);
  fold<true>(D, t);
  shift(values, D);
  shift(D, D);
  double number = 0;
  count<false>(D, number, D);
  count<true>(D, number, D);
}
