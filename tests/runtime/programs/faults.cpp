// Faults in a body: argv[1] chooses one. Prints the error that the
// driver caught, and that the containers are usable afterwards.
#include <cstring>
#include <stdexcept>
#include <string>

#include "tests/support/program.hpp"

int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  stradsap::dvector<int> x(2000);
  stradsap::dvector<int> links(2000);
  for (int i = 0; i < 2000; ++i) links[i] = (i * 7) % 2000;
  try {
    stradsap::parallel_for(2000,
                           test::loop<1, 0>(
                               "faults.cpp:22",
                               [](const std::string& kind, decltype(x)& x, decltype(links)& links) {
                                 return [kind, &x, &links](int j) {
                                   x[j / 2] += 1;
                                   if (kind == "throws" && j % 500 == 123)
                                     throw std::runtime_error("bad value");
                                   if (kind == "range" && j == 77) x[5000] = 1;
                                   if (kind == "negative" && j == 78) x[j - 100] = 1;
                                   if (kind == "stray") {
                                     x[links[(j + 1999) % 2000]] += 1;  // the iteration before has changed it
                                     links[j] = (j * 11) % 2000;
                                   }
                                 };
                               },
                               test::value<0>(kind), test::container < test::reads | test::writes, "x" > (x),
                               test::container < test::reads | test::writes > (links)),
                           stradsap::consistency::async);
    std::printf("no error\n");
  } catch (const stradsap::loop_error& e) {
    std::printf("iteration %lld at %s: %s\n", static_cast<long long>(e.iteration()), e.location().c_str(),
                std::strstr(e.what(), "on rank") != nullptr ? "names its rank" : "NO RANK");
    std::fprintf(stderr, "%s\n", e.what());
  }
  int sum = 0;
  stradsap::parallel_for(2000,
                         test::loop<2, 0>(
                             "faults.cpp:41",
                             [](decltype(x)& x, int& sum) {
                               return [&x, &sum](int j) {
                                 x[j] = j;
                                 sum += j;
                               };
                             },
                             test::container < test::writes | test::aligned > (x), test::sum(sum)),
                         stradsap::consistency::async);
  std::printf("sum=%d x[1999]=%d\n", sum, std::as_const(x)[1999]);
}
