// The shape of a container, const views of one, and casts that take const away from an element.
#include <cstdint>
#include <utility>

#include <stradsap/stradsap.hpp>

using stradsap::dmap;
using stradsap::dvector;
using stradsap::parallel_for;
namespace consistency = stradsap::consistency;

struct counter {
  int value = 0;
  void count() const { ++const_cast<counter*>(this)->value; }
};

static void bump(const int& element) { ++const_cast<int&>(element); }
static void wrap(dvector<int>& x, int64_t j) { x[static_cast<std::size_t>(j) % x.size()] += 1; }

int main() {
  const int64_t n = 40;
  dvector<int> x(8, 1), y(4, 1), z(4, 1);
  dvector<counter> counters(4);
  dmap<int, int> m;
  m[1] = 5;
  long sum = 0;

  // how many elements there are depends on none of them
  parallel_for(n, [&x](int64_t j) { x[static_cast<std::size_t>(j) % x.size()] += 1; }, consistency::async);
  parallel_for(n, [&x](int64_t j) { wrap(x, j); }, consistency::async);
  parallel_for(n, [&x, &y](int64_t j) {
    const auto& view = x;
    if (!view.empty()) y[static_cast<std::size_t>(j) % std::as_const(view).size() % 4] += 1;
  }, consistency::async);
  // but which of two containers is asked may depend on one
  parallel_for(n, [&x, &y, &z](int64_t j) {
    auto& chosen = x[0] > 100 ? x : y;
    z[static_cast<std::size_t>(j) % chosen.size() % 4] += 1;
  }, consistency::async);
  // reading only
  parallel_for(n, [&x, &m, &sum](int64_t j) {
    sum += std::as_const(x)[j % 8];
    const auto found = std::as_const(m).find(static_cast<int>(j));
    if (found != std::as_const(m).end()) sum += found->second;
  }, consistency::async);
  // a write in spite of const is a write
  parallel_for(n, [&x](int64_t j) {
    const int& element = x[j % 4];
    const_cast<int&>(element) += 1;
  }, consistency::async);
  parallel_for(n, [&x](int64_t j) { ++*(int*)(&std::as_const(x)[j % 4]); }, consistency::async);
  parallel_for(n, [&x](int64_t j) { bump(x[j % 4]); }, consistency::async);
  parallel_for(n, [&counters](int64_t j) { counters[j % 4].count(); }, consistency::async);

  long total = 0;
  for (const int element : x) total += element;
  for (const int element : y) total += element;
  for (const int element : z) total += element;
  for (const counter& element : counters) total += element.value;
  return total == 16 + 40 * 8 && sum == 40 * 11 + 5 ? 0 : 1;
}
