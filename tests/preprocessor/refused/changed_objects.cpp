// One error for each captured object or number that a body changes, and advice that fits the change.
#include <cmath>
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct factors {
  std::vector<float> values = std::vector<float>(40);
  int width = 4;
  float* row(int f) { return &values[f * width]; }
  const float* row(int f) const { return &values[f * width]; }
  float* own(int f) { return &values[f * width]; }
};

struct network {
  std::vector<float> weights = std::vector<float>(100);
  std::vector<std::vector<int>> rows;
  int steps = 0;
};

static void add(network& to, float by) { to.weights[0] += by; }

static void objects(dvector<float>& scores, dvector<float>& sums) {
  const int n = 100;
  factors model;
  std::vector<float> part(8);
  async_for(n, [&](int64_t j) {  // expected-note: if the body only reads it, call the const `row`: `std::as_const(model).row(j % 10)`
    const float* row = model.row(j % 10);  // expected-error: the body changes `model`, or may change it [SAP016]
    sums[j] = row[0] + model.row(3)[1];
  });
  async_for(n, [&](int64_t j) { sums[j] = *std::as_const(model).row(j % 10); });
  async_for(n, [&](int64_t j) { sums[j] = *model.own(3); });  // expected-error: the body changes `model` // expected-note: if the body only reads it, declare `own` const
  network layers;
  async_for(n, [&](int64_t j) { layers.weights[j] += sums[j]; });  // expected-error: the body changes `layers` // expected-note: if iterations share it, make a dvector of its member `weights` (`dvector<float> weights`); if it is scratch data
  async_for(n, [&](int64_t j) { add(layers, sums[j]); });  // expected-error: the body changes `layers` // expected-note: if iterations share it, make dvectors of its members `weights` (`dvector<float> weights`), `rows` (`dvector<std::vector<int>> rows`); if it is scratch data
  async_for(n, [&](int64_t j) {  // expected-note: if the body only reads it, declare it const
    sums[j] = model.row(3)[1];
    model.width = 3;  // expected-error: the body changes `model`
  });
  async_for(n, [&](int64_t j) {
    part.assign(8, 0);  // expected-error: the body changes `part`
    for (float& each : part) each += scores[j];
    part[2] = part[3];
    sums[j] = part[2];
  });
}

static int64_t place_of_extreme(dvector<float>& scores, dvector<float>& sums) {
  const int n = 100;
  float best = 0, nearest = 9;
  int64_t where = -1, other = -1;
  async_for(n, [&](int64_t j) {  // expected-note: x = std::max(x, e);`; find the index of the largest after the loop: `std::max_element(scores.begin(), scores.end()) - scores.begin()`
    if (scores[j] > best) best = scores[j], where = j;  // expected-error: the body changes `best`
  });
  async_for(n, [&](int64_t j) {  // expected-note: keep the `score` of each iteration in a dvector, `scores[j] = score;`, and find the index of the largest
    const float score = std::sqrt(scores[j]);
    if (j % 2 == 0 && best <= score) {
      where = j;
      best = score;  // expected-error: the body changes `best`
      other = where;
    }
  });
  async_for(n, [&](int64_t i) {  // expected-note: keep the smallest `d` of each iteration in a dvector, `scores[i] = d;`, and find the index of the smallest after the loop: `std::min_element(
    for (int k = 0; k < 3; ++k) {
      const float d = scores[i] * static_cast<float>(k);
      if (d < nearest) {
        nearest = d;  // expected-error: the body changes `nearest`
        where = i;
      }
    }
  });
  async_for(n, [&](int64_t j) {  // expected-note: keep the `scores[j]` of each iteration in a dvector
    if (scores[j] > best) {
      best = scores[j];  // expected-error: the body changes `best`
      scores[j] = 0;
    }
  });
  async_for(n, [&](int64_t j) {  // expected-note: keep anything else in a dvector or dmap
    float own = 0;
    for (int k = 0; k < 3; ++k) {
      if (scores[j] * k > own) {
        own = scores[j] * k;
        where = k;  // expected-error: the body changes `where`
      }
    }
    sums[j] = own;
  });
  async_for(n, [&](int64_t j) {
    if (scores[j] > best) where = j;  // expected-error: the body changes `where`
  });
  return other + where;
}

int main() {
  dvector<float> scores(100), sums(100);
  objects(scores, sums);
  return static_cast<int>(place_of_extreme(scores, sums));
}
