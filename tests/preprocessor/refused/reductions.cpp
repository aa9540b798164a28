// Updates that resemble reductions but are none: their end would depend on the order of the iterations.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct totals {
  double sum = 0;
  int count = 0;
};

static bool bump(dvector<int>& D, int64_t j) {
  D.at(j) = 1;
  return j < 3;
}

void two_operators(dvector<double>& D) {
  double x = 1;
  parallel_for(10, [&x, &D](int64_t j) {
    x += D[j];
    x *= 2;  // expected-error: `x` is folded by two operators, so its end depends on the order [SAP013]
  }, consistency::async);
}

void names_of_types(const std::vector<int>& id, const std::vector<double>& share) {
  short best = 0;
  int sum = 0;
  parallel_for(10, [&](int64_t j) { if (id[j] > best) best = id[j]; }, consistency::async);  // expected-error: `best` is of type short but folded as int, and not all values fit [SAP019] // expected-note: declare it as int, or convert what is folded in: `const short value = ...;`
  std::array<int, 4> parts{};
  parallel_for(10, [&](int64_t j) { parts[j % 4] += share[j]; sum += 1; }, consistency::async);  // expected-error: `parts` is of type int and cut off after each addition [SAP015] // expected-note: `static_cast<int>(...)`
}

void guards(dvector<int>& D) {
  bool fine = true;
  parallel_for(10, [&fine, &D](int64_t j) {
    fine = fine && bump(D, j);  // expected-error: the value of `fine` so far decides whether this uses a container that the loop changes, and depends on the order of the iterations [SAP014]
  }, consistency::async);
  int best = 0;
  parallel_for(10, [&best, &D](int64_t j) {
    D[j / 3] += 1;
    const int e = static_cast<int>(j);
    if (best < e && D[j / 2] > 3) best = e;  // expected-error: the value of `best` so far decides whether this uses a container that the loop changes, and depends on the order of the iterations [SAP014]
    if (e > best) {
      if (bump(D, j)) best = e;  // expected-error: the value of `best` so far decides whether this uses a container that the loop changes, and depends on the order of the iterations [SAP014]
    }
    if (e % 2 == 0 && D[j / 2] > 3 && best < e) best = e;
  }, consistency::async);
  parallel_for(10, [&best, &D](int64_t j) {
    const int e = static_cast<int>(j);
    const std::array<int, 2> both{e, e / 2};
    const auto mark = [&D](int i) { return ++D[i / 3] > 3; };
    if (best < e && std::any_of(both.begin(), both.end(), mark)) best = e;  // expected-error: the value of `best` so far decides whether this uses a container that the loop changes, and depends on the order of the iterations [SAP014]
  }, consistency::async);
  parallel_for(10, [&best](int64_t j) {
    const int e = static_cast<int>(j);
    if (best < e && e + best < 7) best = e;  // expected-error: the reduction variable `best` is also read in the body [SAP011]
  }, consistency::async);
  parallel_for(10, [&best](int64_t j) {
    const int e = static_cast<int>(j);
    if (best < e) {
      if (e > 3) best = e;  // expected-error: the body changes `best`, which is neither a distributed container nor a reduction [SAP010]
      else best = 7;
    }
  }, consistency::async);
}

void scaled(dvector<double>& D) {
  int x = 1;
  parallel_for(10, [&x, &D](int64_t j) {
    x *= D[j];  // expected-error: `x` is of type int and cut off after each multiplication [SAP015]
  }, consistency::async);
}

void cut_off(dvector<double>& D) {
  long x = 1;
  parallel_for(10, [&x, &D](int64_t j) {
    x += D[j];  // expected-error: `x` is of type long and cut off after each addition [SAP015]
  }, consistency::async);
}

void read_too(dvector<double>& D) {
  double best = 0;
  totals t;
  parallel_for(10, [&best, &t, &D](int64_t j) {
    best = std::max(best, D[j]);
    t.sum += best;  // expected-error: the reduction variable `best` is also read in the body [SAP011]
    if (t.count < 5) ++t.count;  // expected-error: the reduction variable `t` is also read in the body [SAP011]
  }, consistency::async);
}

void folded_into_itself() {
  double x = 1, best = 0;
  parallel_for(10, [&x, &best](int64_t) {
    x = x + x;                       // expected-error: the reduction variable `x` is also read in the body [SAP011]
    best = std::max(best, 2 * best);  // expected-error: the reduction variable `best` is also read in the body [SAP011]
  }, consistency::async);
}

void other_value(dvector<double>& D) {
  double best = 0;
  int64_t where = 0;
  parallel_for(10, [&best, &where, &D](int64_t j) {  // expected-note: find the index of the largest after the loop: `std::max_element(D.begin(), D.end()) - D.begin()`
    if (D[j] > best) {
      best = D[j];  // expected-error: the body changes `best`, which is neither a distributed container nor a reduction [SAP010]
      where = j;
    }
    if (D[j] > best) best = j;
  }, consistency::async);
}

void difference_of_truth(dvector<bool>& D) {
  bool odd = false;
  parallel_for(10, [&odd, &D](int64_t j) {
    odd = odd - D[j];  // expected-error: the body changes `odd` [SAP010]
  }, consistency::async);
}

void too_large(dvector<int>& D) {
  double counts[1000] = {};
  parallel_for(10, [&counts, &D](int64_t j) {
    counts[D[j]] += 1;  // expected-error: the body changes `counts`, or may change it [SAP016]
  }, consistency::async);
}
