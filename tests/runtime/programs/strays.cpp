// Loops that declare fewer accesses than their bodies make, in a check build: argv[1]
// chooses the fault, argv[2] the model. Prints "survived" if there is no fault.
#include <string>
#include <utility>

#include "tests/support/program.hpp"

static stradsap::ConsistencyModel model_of(const std::string& name) {
  if (name == "ordered") return stradsap::consistency::ordered;
  if (name == "sync") return stradsap::consistency::sync(200);
  return stradsap::consistency::async;
}

/// A body that leaves its recorded set in iteration 17, and the inspector of one that does not.
int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  stradsap::dvector<long> P(1000), own(1000), weight(1000), sums(10);
  stradsap::dmap<long, long> M;
  stradsap::parallel_for(
      1000,
      test::loop<1, 0>("strays.cpp:20",
                       stradsap::abi::stradsap_sliced(
                           [](const std::string& kind, decltype(P)& P, decltype(M)& M, decltype(own)& own,
                              decltype(weight)& weight, decltype(sums)& sums) {
                             return [kind, &P, &M, &own, &weight, &sums](long j) {
                               P[j * 7 % 1000] += weight[j / 2];
                               M[j % 10] += 1;
                               own[j] = j;
                               sums[j % 10] += j;
                               if (j != 17) return;
                               if (kind == "element") P[42] += 1;       // stray: element
                               if (kind == "key") M[500] += 1;          // stray: key
                               if (kind == "pair") M.insert({500, 1});  // stray, of unknown place
                               if (kind == "aligned") own[j + 1] += 1;  // stray: aligned
                               if (kind == "changed") weight[j] = 5;    // stray: changed
                               const long before = kind == "twice" ? weight[j] : 1L;
                               if (before == 0) weight[j] = 5;                       // stray: twice
                               if (kind == "read") own[j] = std::as_const(sums)[3];  // stray: read
                             };
                           },
                           [](const std::string&, decltype(P)& P, decltype(M)& M, decltype(own)&,
                              decltype(weight)&, decltype(sums)&) {
                             return [&P, &M](long j) {
                               (void)P[j * 7 % 1000];
                               M[j % 10] += 1;
                             };
                           }),
                       test::value<0>(kind), test::container < test::reads | test::writes, "P" > (P),
                       test::container < test::reads | test::writes, "M" > (M),
                       test::container < test::reads | test::writes | test::aligned, "own" > (own),
                       test::container<test::reads, "weight">(weight),
                       test::container < test::reads | test::writes | stradsap::abi::accumulates,
                       "sums" > (sums)),
      model_of(argv[2]));
  std::printf("survived\n");
}
