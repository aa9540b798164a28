// The peak memory of ranks: a container that all ranks fill, that the program then reads, and that a planned
// loop takes by its index. Prints a hash of the result; the test reads the ranks' memory from the system.
#include <array>

#include "tests/support/program.hpp"

using factor = std::array<float, 8>;
struct rating {
  int user;
  int item;
  float value;
};

int main() {
  stradsap::abi::enter_main();
  constexpr int users = 3000;
  constexpr int items = 2000;
  stradsap::dvector<rating> ratings(5'000'000);
  stradsap::parallel_for(ratings.size(),
                         test::loop<1, 0>(
                             "memory.cpp:1",
                             [](decltype(ratings)& ratings) {
                               return [&ratings](std::int64_t j) {
                                 const auto at = static_cast<std::uint64_t>(j) * 0x9e3779b97f4a7c15u;
                                 ratings[j] = {static_cast<int>((at >> 40) % users),
                                               static_cast<int>((at >> 16) % items), 1};
                               };
                             },
                             test::container < test::writes | test::aligned, "ratings" > (ratings)),
                         stradsap::consistency::async);
  int most = 0;
  for (const rating& r : std::as_const(ratings)) most = std::max(most, r.user);
  stradsap::dvector<factor> P(most + 1);
  stradsap::dvector<factor> Q(items);
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::parallel_for(ratings.size(),
                           test::loop<2, 0>(
                               "memory.cpp:2",
                               [](decltype(ratings)& ratings, decltype(P)& P, decltype(Q)& Q) {
                                 return [&ratings, &P, &Q](std::int64_t j) {
                                   const rating& r = ratings[j];
                                   P[r.user][0] += r.value;
                                   Q[r.item][1] += P[r.user][0];
                                 };
                               },
                               test::container < test::reads | test::aligned | test::steers,
                               "ratings" > (ratings), test::container < test::reads | test::writes, "P" > (P),
                               test::container < test::reads | test::writes, "Q" > (Q)),
                           stradsap::consistency::async);
  }
  std::uint64_t hash = 0;
  for (const factor& q : std::as_const(Q)) hash = hash * 31 + stradsap::abi::hash_bytes(&q, sizeof q);
  std::printf("model=%016llx\n", static_cast<unsigned long long>(hash));
}
