// Containers that grow and shrink between passes of a serializable
// loop: their cut, and so the bits, must not depend on earlier owners.
#include "tests/support/program.hpp"

int main() {
  stradsap::abi::enter_main();
  stradsap::dvector<double> x(2000, 1.0);
  stradsap::dmap<int, double> y;
  for (int pass = 0; pass < 6; ++pass) {
    x.resize(pass == 3 ? 1500 : x.size() + 300);
    x.push_back(0.5);
    for (int key = 0; key < 50; ++key) y[100000 + pass * 50 + key] = pass;
    const std::uint64_t n = x.size();
    const int keys = 500 + pass * 100;
    stradsap::parallel_for(50000,
                           test::loop<1, 0>(
                               "growth.cpp:1",
                               [](decltype(x)& x, decltype(y)& y, const std::uint64_t& n, const int& keys) {
                                 return [&x, &y, n, keys](std::int64_t j) {
                                   const auto draw = static_cast<std::uint64_t>(j) * 0x9e3779b97f4a7c15u;
                                   double& a = x[(draw >> 20) % n];
                                   double& b =
                                       y[static_cast<int>((draw >> 40) % static_cast<std::uint64_t>(keys))];
                                   const double old = a;
                                   a = 0.9 * a + 0.3 * b + 0.01;
                                   b = 0.7 * b + 0.1 * old * old / (1 + old * old);
                                 };
                               },
                               test::container < test::reads | test::writes > (x),
                               test::container < test::reads | test::writes > (y),
                               test::value<test::steers>(n), test::value<test::steers>(keys)),
                           stradsap::consistency::async);
  }
  double sum = 0;
  for (const double v : std::as_const(x)) sum = sum * 0.999 + v;
  for (const auto& [key, v] : std::as_const(y)) sum = sum * 0.999 + v + key;
  std::printf("sum=%a x=%zu y=%zu\n", sum, x.size(), y.size());
}
