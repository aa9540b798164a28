// access(adds(Q)) where the text reads or assigns, access(reads(T)) where it changes: the place of each such use is told.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

using row = std::array<double, 4>;
struct pair {
  double sum = 0;
  int64_t count = 0;
  void add(double x) { sum += x, ++count; }
  void restart(double x) { sum = x; }  // expected-error: the body changes elements of `counted`, but `access` says adds(counted) [SAP055]
  double mean() const { return sum / count; }  // expected-error: the body reads elements of `counted`, but `access` says adds(counted) [SAP055] // expected-error: the body reads elements of `counted`
};

static void clear(row& r) { r.fill(0); }  // expected-error: the body changes elements of `rows` [SAP055]
static double& first_of(row& r) { return r[0]; }
static double twice(const double& x) { return 2 * x; }  // expected-error: the body reads elements of `Q` [SAP055]

int main() {
  const int64_t n = 100;
  dvector<int64_t> at(n, 3);
  dvector<double> Q(n), T(n), other(n);
  dvector<row> rows(n);
  dvector<pair> counted(n);
  dmap<int64_t, double> M;
  parallel_for(n, [&](int64_t j) {
    Q[at[j]] += 1;
    other[j] = Q[at[j]];  // expected-error: the body reads elements of `Q`, but `access` says adds(Q) [SAP055]
  }, consistency::async, access(adds(Q)));  // expected-note: say `writes(Q)`, or leave `Q` out
  parallel_for(n, [&](int64_t j) { Q[at[j]] = 1; },  // expected-error: the body changes elements of `Q`, but `access` says adds(Q) [SAP055]
               consistency::async, access(adds(Q)));
  parallel_for(n, [&](int64_t j) {
    double& q = Q[at[j]];
    if (q < 3) q += 1;        // expected-error: the body reads elements of `Q` [SAP055]
    q *= 2;                   // expected-error: the body changes elements of `Q` [SAP055]
    q = std::max(q, 1.0);     // expected-error: the body changes elements of `Q` [SAP055]
    other[j] = q += 1;        // expected-error: the body reads elements of `Q` [SAP055]
    other[j] += twice(q);
  }, consistency::async, access(adds(Q)));
  parallel_for(n, [&](int64_t j) {
    for (double& x : rows[at[j]]) x = 0;  // expected-error: the body changes elements of `rows` [SAP055]
    clear(rows[at[j]]);
    first_of(rows[at[j]]) -= 1;
    first_of(rows[at[j]]) = 1;  // expected-error: the body changes elements of `rows` [SAP055]
    const auto& [a, b, c, d] = rows[at[j]];
    other[j] = b;  // expected-error: the body reads elements of `rows` [SAP055]
    const row copy = rows[at[j]];  // expected-error: the body reads elements of `rows` [SAP055]
    other[j] += copy[0];
    double* entries = rows[at[j]].data();
    entries[2] += 1;
    other[j] += entries[2];  // expected-error: the body reads elements of `rows` [SAP055]
  }, consistency::sync, access(adds(rows)));
  parallel_for(n, [&](int64_t j) {
    counted[at[j]].add(j);
    counted[at[j]].restart(j);
    other[j] = counted[at[j]].mean();
  }, consistency::ordered, access(adds(counted)));
  parallel_for(n, [&](int64_t j) {
    M[j] += 1;
    if (M.contains(j + 1)) other[j] = 1;  // expected-error: the body reads elements of `M` [SAP055]
    M.insert({j, 1});                     // expected-error: the body changes elements of `M` [SAP055]
    const auto found = M.find(j);
    found->second += 1;
    other[j] = found->second;             // expected-error: the body reads elements of `M` [SAP055]
  }, consistency::async, access(adds(M)));
  parallel_for(n, [&](int64_t j) {
    other[j] = T[at[j]];
    T[at[j]] += 1;  // expected-error: the body adds into elements of `T`, but `access` says reads(T) [SAP055]
    T.at(j) = 1;    // expected-error: the body changes elements of `T`, but `access` says reads(T) [SAP055]
    std::swap(T[j], other[j]);  // expected-error: the body changes elements of `T` [SAP055]
  }, consistency::async, access(reads(T), writes(other)));
  parallel_for(n, [&](int64_t j) {
    T[at[j]] -= 1;
    other[j] = T[j / 2];
    T[at[j] / 2] *= 2;   // expected-error: the body changes elements of `T`, but `access` says adds_late(T) [SAP055]
    T[at[j] / 3] = j;    // expected-error: the body changes elements of `T`, but `access` says adds_late(T) [SAP055]
  }, consistency::async, access(adds_late(T)));
}
