// Loops behind functions of one's own that take the body of an iteration as an argument.
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

template <class T, class Function>
static void for_each_element(stradsap::dvector<T>& elements, Function function) {
  stradsap::parallel_for(elements.size(), [&elements, function](int64_t j) { function(elements[j], j); },
                         stradsap::consistency::async);
}

template <class Body>
static void timed_for(int64_t n, const Body& body) {
  stradsap::parallel_for("timed", n, body, stradsap::consistency::async);
}

int main() {
  stradsap::dvector<int> counts(300);
  for_each_element(counts, [](int& c, int64_t j) { c = static_cast<int>(j % 7); });
  constexpr int bonus = 10;
  for_each_element(counts, [](int& c, int64_t) { c += bonus; });
  long sum = 0;
  timed_for(300, [&counts, &sum](int64_t j) { sum += counts[j]; });

  long wanted = 0;
  for (int j = 0; j < 300; ++j) wanted += j % 7 + bonus;
  return sum == wanted ? 0 : 1;
}
