// Under sync, the changes of shards are merged member by member, also within pairs and tuples. If an
// object has no visible members, the merge takes the changed copy, even if its own == reports no change.
// A program's own merge folds the values of its type, as elements or within them.
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <stradsap/stradsap.hpp>

struct plain {
  int count = 0;
};
struct named {
  int id = 1, value = 0;
  bool operator==(const named& other) const { return id == other.id; }
};
struct element {
  int hits = 0;
  std::pair<plain, int> both;
  std::tuple<long, plain> three;
  std::optional<plain> late;
  std::optional<named> known{named{}};
  std::map<int, named> table{{0, named{}}};
};

struct candidate {
  double score = 0;
  int place = -1;
};
static candidate better(const candidate& folded, const candidate&, const candidate& end) {
  return end.score > folded.score ? end : folded;
}

static int run_own_merges() {
  stradsap::dvector<candidate> best(7);
  stradsap::parallel_for(700, [&best](int64_t j) {
    const double score = static_cast<double>(j * 37 % 701);
    if (score > best[j % 7].score) best[j % 7] = {score, static_cast<int>(j)};
  }, stradsap::consistency::sync({.merge = better}));
  for (int i = 0; i < 7; ++i) {
    double most = 0;
    for (int j = i; j < 700; j += 7) most = j * 37 % 701 > most ? j * 37 % 701 : most;
    if (best[i].score != most || best[i].place * 37 % 701 != static_cast<int>(most)) return 4;
  }
  stradsap::dvector<std::pair<float, int>> steps(1);
  const auto clipped = [](float folded, float start, float end) {
    const float step = end - start;
    return folded + (step > 1 ? 1.0f : step);
  };
  stradsap::parallel_for(160, [&steps](int64_t j) {
    steps[0].first += j < 10 ? 0.05f : 3.0f;
    steps[0].second += 1;
  }, stradsap::consistency::sync({.shards = 16, .merge = clipped}));
  const bool is_serial = std::abs(steps[0].first - 450.5f) < 0.1f;  // no batches, so nothing to merge
  return (is_serial || steps[0].first == 15.5f) && steps[0].second == 160 ? 0 : 5;
}

int main() {
  stradsap::dvector<element> elements(100);
  const auto model = stradsap::consistency::sync({.batch = 1600, .shards = 16});
  stradsap::parallel_for(1600, [&elements](int64_t j) {
    element& e = elements[j % 100];
    ++e.hits;
    ++e.both.first.count;
    std::get<0>(e.three) += j;
    if (j < 100) e.late = plain{7};
    if (j >= 1500) e.known->value = 3;
    if (j >= 800 && j < 900) e.table.at(0).value = 5;
  }, model);
  for (int64_t i = 0; i < 100; ++i) {
    const element& e = std::as_const(elements)[i];
    if (e.hits != 16 || e.both.first.count != 16 || e.both.second != 0) return 1;
    if (std::get<0>(e.three) != 16 * i + 100 * 120) return 2;
    if (!e.late || e.late->count != 7 || e.known->value != 3 || e.table.at(0).value != 5) return 3;
  }
  return run_own_merges();
}
