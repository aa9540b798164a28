// A check build of a body that keeps an element's address beyond its iteration. With argv[1]
// = "stale", iteration 40 changes iteration 17's element through it. No view sees that. With "stale in
// order", all iterations share `last` and run one after the other, so iteration 40 has the address. With
// argv[1] = "part", a loop reads a captured value that is a part of an element which it changes.
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"

using lists = std::vector<std::vector<long>>;

/// The list is a part of a row, as a caller may have passed it.
static void grow_by(const std::vector<long>& list, stradsap::dvector<lists>& rows) {
  stradsap::parallel_for(
      1,
      test::loop<2, 0>(
          "unseen.cpp:part",
          [](const std::vector<long>& list, stradsap::dvector<lists>& rows) {
            return [&list, &rows](long j) { rows[j].at(1).push_back(static_cast<long>(list.size())); };
          },
          test::value<0>(list), test::container < test::reads | test::writes | test::aligned,
          "rows" > (rows)),
      stradsap::consistency::async);
}

int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  if (kind == "part" || kind == "another") {
    stradsap::dvector<lists> rows(1, lists(2, {1, 2}));
    grow_by(std::as_const(rows)[0][kind == "part" ? 1 : 0], rows);
    std::printf("size=%zu\n", std::as_const(rows)[0][1].size());
    return 0;
  }
  stradsap::dvector<long> P(100), last(1);
  stradsap::parallel_for(60,
                         test::loop<1, 0>(
                             "unseen.cpp:12",
                             [](const std::string& kind, decltype(P)& P, decltype(last)& last) {
                               return [kind, &P, &last](long j) {
                                 static std::atomic<long*> kept = nullptr;
                                 long& x = P[j % 20];  // the only access
                                 x = x * 3 + j;
                                 if (kind == "stale in order") last[0] = j;
                                 if (j == 17) kept = &x;
                                 if (j == 40 && !kind.empty() && kept != nullptr) *kept.load() += 1;
                               };
                             },
                             test::value<0>(kind), test::container < test::reads | test::writes, "P" > (P),
                             test::container < test::reads | test::writes, "last" > (last)),
                         stradsap::consistency::async);
  unsigned long sum = 0;
  for (const long v : std::as_const(P)) sum = sum * 31 + static_cast<unsigned long>(v);
  std::printf("sum=%lu\n", sum);
}
