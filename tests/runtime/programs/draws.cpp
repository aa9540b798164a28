// Random numbers in bodies: drawn values, and drawn subscripts. argv[1], if given,
// is the number of loops that run before, so that later loops have other numbers.
#include "tests/support/program.hpp"

static const std::uint64_t drawn_before_main = stradsap::random(9)();

static void scatter(stradsap::dvector<long>& x, double& sum) {
  stradsap::parallel_for(5000,
                         test::loop<1, stradsap::abi::random>(
                             "draws.cpp:7",
                             [](decltype(x)& x, double& sum) {
                               return [&x, &sum](long j) {
                                 auto draw = stradsap::random(j);
                                 x[draw.below(300)] = j;
                                 sum += draw.uniform();
                               };
                             },
                             test::container < test::reads | test::writes > (x), test::sum(sum)),
                         stradsap::consistency::async);
}

int main(int argc, char** argv) {
  stradsap::abi::enter_main();
  std::printf("outside %016llx %016llx\n", static_cast<unsigned long long>(drawn_before_main),
              static_cast<unsigned long long>(stradsap::random(9)()));
  stradsap::dvector<long> x(300);
  stradsap::dvector<double> y(1000);
  for (int i = argc > 1 ? argv[1][0] - '0' : 0; i > 0; --i)
    stradsap::parallel_for(0, test::loop<3, 0>("draws.cpp:24", [] { return [](long) {}; }),
                           stradsap::consistency::async);
  for (const auto& model :
       {stradsap::consistency::async, stradsap::consistency::ordered, stradsap::consistency::sync(100)}) {
    double sum = 0;
    stradsap::parallel_for(
        1000,
        test::loop<2, 0>(
            "draws.cpp:27",
            [](decltype(y)& y, double& sum) {
              return [&y, &sum](long j) {
                y[j] = stradsap::random(j).uniform();
                sum += y[j] < 0.5 ? 1 : 0;
              };
            },
            test::container < test::reads | test::writes | test::aligned > (y), test::sum(sum)),
        model);
    std::printf("drawn %a %a below=%g\n", std::as_const(y)[0], std::as_const(y)[999], sum);
  }
  for (int call = 0; call < 2; ++call) {
    double sum = 0;
    scatter(x, sum);
    std::uint64_t hash = 0;
    for (const long v : std::as_const(x)) hash = hash * 31 + static_cast<std::uint64_t>(v);
    std::printf("scattered %016llx\n", static_cast<unsigned long long>(hash));
  }
}
