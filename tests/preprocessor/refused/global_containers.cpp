// Containers used without a capture: as globals, statics and members of globals.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

stradsap::dvector<int> ids(10);
static stradsap::dmap<int, double> table;
struct World {
  stradsap::dvector<float> heights;
};
World world;
static int id_of(int64_t j) { return ids[j]; }  // expected-error: the body uses the container `ids` without capturing it [SAP041]

int main() {
  static stradsap::dvector<int> seen(10);
  stradsap::async_for(10, [](int64_t j) { ids[j] = 1; });  // expected-error: the body uses the container `ids` without capturing it [SAP041]
  stradsap::async_for(10, [](int64_t j) { table[static_cast<int>(j)] += 1; });  // expected-error: the body uses the container `table` without capturing it [SAP041]
  stradsap::async_for(10, [](int64_t j) { seen[j]++; });  // a static of this function is captured for it
  stradsap::async_for(10, [](int64_t j) { world.heights[j] = 2; });  // expected-error: the body uses the container `heights` without capturing it [SAP041]
  stradsap::async_for(10, [&x = seen](int64_t j) { x[j] = id_of(j); });
  auto& same = ids;
  stradsap::async_for(10, [&same](int64_t j) { same[j] = ids[j] + 1; });  // expected-error: the body uses the container `ids` without capturing it [SAP041]
  // a lambda made before the loop is beyond the reach of the loop's captures
  static float rate = 2;
  float shift = 1;
  stradsap::dvector<float> out(10);
  const auto seen_at = [](int64_t j) { return seen[j]; };  // expected-error: the body uses the container `seen` without capturing it [SAP041]
  stradsap::async_for(10, [&](int64_t j) { out[j] = static_cast<float>(seen_at(j)); });
  const auto same_at = [shift](int64_t j) { return same[j] + shift; };  // expected-error: the body uses the container `same` without capturing it [SAP041]
  stradsap::async_for(10, [&](int64_t j) { out[j] = same_at(j); });
  const auto rated = [shift](float x) { return shift + rate * x; };  // expected-error: the body uses the static variable `rate` [SAP044]
  stradsap::async_for(10, [&](int64_t j) { out[j] = rated(out[j]); });
}
