// An ordered loop equals the plain one bit for bit, for any changes of its containers.
#include <vector>

#include "tests/support/program.hpp"

int main() {
  stradsap::abi::enter_main();
  constexpr std::size_t size = 1000;
  stradsap::dvector<float> x(size, 1.0f);
  stradsap::dmap<int, float> m;
  std::vector<float> twin(size, 1.0f);
  double sum = 0;
  double sum_twin = 0;
  const auto step = [](auto& v, std::size_t j) {
    v[(j * 7) % size] = v[(j * 13 + 1) % size] * 0.9f + v[j % size] * 0.2f;
  };
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::parallel_for(
        5000,
        test::loop<1, 1>(
            "program_order.cpp:1",
            [](decltype(x)& x, decltype(m)& m, double& sum, decltype(step)& step) {
              return [&x, &m, &sum, step](std::size_t j) {
                step(x, j);
                m[static_cast<int>(x[j % size] * 10)] += x[j % 3];
                sum += x[j % size];
              };
            },
            test::container < test::reads | test::writes | test::steers > (x),
            test::container < test::reads | test::writes > (m), test::sum(sum), test::value<0>(step)),
        stradsap::consistency::ordered);
    for (std::size_t j = 0; j < 5000; ++j) {
      step(twin, j);
      sum_twin += twin[j % size];
    }
    // In between, the containers live on all ranks.
    stradsap::parallel_for(
        size,
        test::loop<2, 0>(
            "program_order.cpp:2", [](decltype(x)& x) { return [&x](std::size_t j) { x[j] += 0.125f; }; },
            test::container < test::reads | test::writes | test::aligned > (x)),
        stradsap::consistency::async);
    for (float& v : twin) v += 0.125f;
  }
  bool same = true;
  for (std::size_t i = 0; i < size; ++i) same = same && std::as_const(x)[i] == twin[i];
  std::printf("%s %s keys=%zu\n", same ? "same" : "DIFFERENT", sum == sum_twin ? "same" : "DIFFERENT",
              m.size());
}
