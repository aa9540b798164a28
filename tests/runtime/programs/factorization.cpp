// A serializable loop that writes two containers at computed subscripts: matrix factorization.
// Prints every pass's loss and a hash of the model, which must not depend on ranks and threads.
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
  constexpr int users = 600;
  constexpr int items = 400;
  stradsap::dvector<rating> ratings(40000);
  for (std::size_t j = 0; j < ratings.size(); ++j) {
    ratings[j] = {static_cast<int>(test::draw(1, j, users) * test::draw(2, j, users) / users),
                  static_cast<int>(test::draw(3, j, items)), static_cast<float>(test::draw(4, j, 50)) / 10};
  }
  stradsap::dvector<factor> P(users);
  stradsap::dvector<factor> Q(items);
  for (int u = 0; u < users; ++u) P[u].fill(0.1f + static_cast<float>(test::draw(5, u, 100)) / 500);
  for (int i = 0; i < items; ++i) Q[i].fill(0.1f + static_cast<float>(test::draw(6, i, 100)) / 500);
  float rate = 0.02f;
  for (int pass = 0; pass < 4; ++pass) {
    double loss = 0;
    stradsap::parallel_for(
        ratings.size(),
        test::loop<1, 0>(
            "factorization.cpp:1",
            [](float& rate, decltype(ratings)& ratings, decltype(P)& P, decltype(Q)& Q, double& loss) {
              return [rate, &ratings, &P, &Q, &loss](std::int64_t j) {
                const rating& r = ratings[j];
                factor& p = P[r.user];
                factor& q = Q[r.item];
                float dot = 0;
                for (std::size_t k = 0; k < p.size(); ++k) dot += p[k] * q[k];
                const float e = r.value - dot;
                loss += e * e;
                for (std::size_t k = 0; k < p.size(); ++k) {
                  const float old = p[k];
                  p[k] += rate * e * q[k];
                  q[k] += rate * e * old;
                }
              };
            },
            test::value<0>(rate), test::container < test::reads | test::aligned | test::steers > (ratings),
            test::container < test::reads | test::writes > (P),
            test::container < test::reads | test::writes > (Q), test::sum(loss)),
        stradsap::consistency::async);
    std::printf("loss=%a\n", loss);
    if (pass == 1) ratings[7] = {3, 5, 1.5f};  // a plan that depends on it is void
    if (pass == 2) P[0].fill(0.25f);           // an element that another rank owns
    rate *= 0.9f;
  }
  std::uint64_t hash = 0;
  for (const factor& p : std::as_const(P)) hash = hash * 31 + stradsap::abi::hash_bytes(&p, sizeof p);
  for (const factor& q : std::as_const(Q)) hash = hash * 31 + stradsap::abi::hash_bytes(&q, sizeof q);
  std::printf("model=%016llx\n", static_cast<unsigned long long>(hash));
}
