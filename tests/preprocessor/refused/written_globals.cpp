// Globals and statics that a body changes, itself or in a function that it calls.
#include <cstdint>
#include <algorithm>
#include <vector>
#include <map>
#include <string>

#include <stradsap/stradsap.hpp>

int updates = 0;
double best = -1;
std::vector<int> log_of_ids;
std::map<std::string, int> cache;
static int calls = 0;

namespace stats {
struct Totals {
  double loss = 0;
} totals;
}  // namespace stats

class Optimizer {
 public:
  static int steps;
};
int Optimizer::steps = 0;

static int next_id() {
  static int id = 0;
  return id++;  // expected-error: the body changes `id`, and every process has a copy of its own [SAP045]
}
static double remember(const std::string& key) {
  const auto it = cache.find(key);  // only reads: travels with the loop
  return it == cache.end() ? 0 : it->second;
}
static void counted() { ++calls; }  // expected-error: the body changes `calls`, and every process has a copy of its own [SAP045]

int main() {
  stradsap::dvector<double> x(10);
  stradsap::async_for(10, [](int64_t) { ++updates; });  // expected-error: the body changes `updates`, and every process has a copy of its own [SAP045]
  stradsap::async_for(10, [&x](int64_t j) { best = std::max(best, x[j]); });  // expected-error: the body changes `best`, and every process has a copy of its own [SAP045]
  stradsap::async_for(10, [](int64_t j) { log_of_ids.push_back(static_cast<int>(j)); });  // expected-error: the body changes `log_of_ids`, and every process has a copy of its own [SAP045]
  stradsap::async_for(10, [](int64_t j) { cache[std::to_string(j)] = 1; });  // expected-error: the body changes `cache`, and every process has a copy of its own [SAP045]
  stradsap::async_for(10, [&x](int64_t j) { stats::totals.loss += x[j]; });  // expected-error: the body changes `totals`, and every process has a copy of its own [SAP045]
  stradsap::async_for(10, [](int64_t) { Optimizer::steps++; });  // expected-error: the body changes `steps`, and every process has a copy of its own [SAP045]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = next_id(); });
  stradsap::async_for(10, [&x](int64_t j) { x[j] = remember("a"); });
  stradsap::async_for(10, [](int64_t) { counted(); });
  auto& same = updates;
  stradsap::async_for(10, [](int64_t j) { same = static_cast<int>(j); });  // expected-error: the body changes `same`, which is neither a distributed container nor a reduction [SAP010]
}
