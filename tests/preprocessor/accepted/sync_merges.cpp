// Under sync, the changes of shards are merged member by member, also within pairs and tuples. If an
// object has no visible members, the merge takes the changed copy, even if its own == reports no change.
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
  return 0;
}
