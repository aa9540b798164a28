// A check build of a body that keeps an element's address beyond its iteration. With argv[1]
// = "stale", iteration 40 changes iteration 17's element through it. No view sees that.
#include <atomic>
#include <string>

#include "tests/support/program.hpp"

int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  stradsap::dvector<long> P(100);
  stradsap::parallel_for(60,
                         test::loop<1, 0>(
                             "unseen.cpp:12",
                             [](const std::string& kind, decltype(P)& P) {
                               return [kind, &P](long j) {
                                 static std::atomic<long*> kept = nullptr;
                                 long& x = P[j % 20];  // the only access
                                 x = x * 3 + j;
                                 if (j == 17) kept = &x;
                                 if (j == 40 && kind == "stale" && kept != nullptr) *kept.load() += 1;
                               };
                             },
                             test::value<0>(kind), test::container < test::reads | test::writes, "P" > (P)),
                         stradsap::consistency::async);
  unsigned long sum = 0;
  for (const long v : std::as_const(P)) sum = sum * 31 + static_cast<unsigned long>(v);
  std::printf("sum=%lu\n", sum);
}
