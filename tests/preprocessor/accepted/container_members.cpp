// Containers as global variables and as members of a model that is passed about: captured through local references.
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

stradsap::dvector<int> g_ids(400);
static stradsap::dmap<int, long> g_counts;

struct Model {
  stradsap::dvector<double> weights = stradsap::dvector<double>(50, 1.0);
  struct {
    stradsap::dvector<long> visits = stradsap::dvector<long>(50);
  } log;
  double bias = 0;
};

static void train(Model& model, double rate) {
  auto& weights = model.weights;
  stradsap::dvector<long>& visits = model.log.visits;
  const auto& ids = g_ids;
  stradsap::async_for(ids.size(), [&weights, &visits, &ids, rate](int64_t j) {
    const int i = ids[j] % 50;
    weights[i] += rate;
    visits[i]++;
  });
  auto& counts = g_counts;
  stradsap::async_for(ids.size(), [&](int64_t j) { counts[ids[j]] += 1; });
  const double bias = model.bias;
  stradsap::async_for(50, [&, bias](int64_t i) { weights[i] += bias; });
}

int main() {
  for (int j = 0; j < 400; ++j) g_ids[j] = j * 31 % 97;
  Model model;
  model.bias = 2;
  train(model, 0.5);
  train(model, 0.25);
  std::vector<double> weights(50, 1.0);
  std::vector<long> counts(97), visits(50);
  for (const double rate : {0.5, 0.25}) {
    for (int j = 0; j < 400; ++j) weights[j * 31 % 97 % 50] += rate, ++counts[j * 31 % 97], ++visits[j * 31 % 97 % 50];
    for (double& w : weights) w += 2;
  }
  for (int i = 0; i < 50; ++i) {
    if (std::as_const(model.weights)[i] != weights[i] || std::as_const(model.log.visits)[i] != visits[i]) return 1;
  }
  for (const auto& [id, count] : std::as_const(g_counts)) {
    if (counts[id] != count) return 2;
  }
  return 0;
}
