// Macros of the program's own, defined behind the includes, with all names that could stand in inserted text: an
// identifier that is not the program's begins with stradsap there. One loop for each form of inserted text.
#include <stradsap/stradsap.hpp>

#include <array>
#include <cstdint>
#include <vector>

#define abi 17
#define access 17
#define aligned 17
#define all 17
#define any 17
#define at 17
#define bases 17
#define begin_iteration 17
#define bit_and 17
#define bit_or 17
#define bit_xor 17
#define block 17
#define body 17
#define callable 17
#define carried_type 17
#define carry 17
#define closure 17
#define constant 17
#define container 17
#define enter_main 17
#define factory 17
#define fold 17
#define found 17
#define functor 17
#define get 17
#define global 17
#define globals 17
#define index 17
#define interleaved 17
#define interleaved_values 17
#define kept 17
#define kept_callable 17
#define loop 17
#define loop_calling 17
#define maximum 17
#define maybe_unused 17
#define members 17
#define minimum 17
#define of 17
#define part 17
#define phases 17
#define product 17
#define rebuilt 17
#define reduction 17
#define reductions 17
#define size 17
#define size_t 17
#define site 17
#define sliced 17
#define sum 17
#define sums 17
#define to 17
#define value 17
#define values 17
#define visit 17

constexpr int width = 64;
using row = std::array<float, width>;

struct edge {
  int a, b;
  float weight;
};

struct totals {
  double loss = 0;
  int64_t counts[2][3] = {};
  int most = 0;
};

float dot(const row& p, const row& q) {
  float s = 0;
  for (int k = 0; k < width; ++k) s += p[k] * q[k];
  return s;
}

struct doubling {
  stradsap::dvector<int64_t>& numbers;
  void operator()(int64_t j) const { numbers[j] *= 2; }
};

class shifting {
 public:
  shifting(int64_t by, stradsap::dvector<int64_t>& numbers) : by_(by), numbers_(numbers) {}
  void operator()(int64_t j) const { numbers_[j] += by_; }

 private:
  const int64_t by_;
  stradsap::dvector<int64_t>& numbers_;
};

static int64_t offset = 1;

using stradsap::consistency::async;

// side by side: a helper, structured bindings, a reduction
static double factorization(const stradsap::dvector<edge>& edges, int64_t n) {
  stradsap::dvector<row> P(30), Q(20);
  for (row& p : P) p.fill(0.1f);
  for (row& q : Q) q.fill(0.2f);
  double loss = 0;
  stradsap::parallel_for(n, [&](int64_t j) {
    const auto& [a, b, weight] = edges[j];
    row& p = P[a];
    row& q = Q[b];
    const float e = weight - dot(p, q);
    loss += e * e;
    for (int k = 0; k < width; ++k) {
      const float old = p[k];
      p[k] += 0.01f * e * q[k];
      q[k] += 0.01f * e * old;
    }
  }, async);
  return loss;
}

// members and elements of a reduction, each by its operator; a constant; a captured lambda; a global
static totals counted(const stradsap::dvector<edge>& edges, int64_t n) {
  totals t;
  bool seen = false, always = true;
  unsigned bits = 0, common = ~0u, odd = 0;
  long factor = 1, least = 100;
  constexpr int classes = 3;
  const auto class_of = [&edges](int64_t j) { return edges[j].a % classes; };
  stradsap::parallel_for(n, [&](int64_t j) {
    ++t.counts[j % 2][class_of(j)];
    t.loss += edges[j].weight * offset;
    if (edges[j].b > t.most) t.most = edges[j].b;
    seen = seen || edges[j].a == 7;
    always = always && edges[j].a >= 0;
    bits |= 1u << edges[j].a;
    common &= ~(1u << edges[j].a);
    odd ^= 1u << edges[j].b;
    factor *= 1;
    if (edges[j].a < least) least = edges[j].a;
  }, async);
  const bool right = seen && always && bits == (1u << 30) - 1 && common == ~bits && factor == 1 && least == 0;
  return right && odd == 0 ? t : totals();
}

int main() {
  constexpr int64_t n = 1200;
  stradsap::dvector<edge> edges(n);
  for (int j = 0; j < n; ++j) edges[j] = {j % 30, j % 20, 1};
  if (!(factorization(edges, n) > 0)) return 1;
  const totals t = counted(edges, n);
  if (t.counts[0][0] != n / 6 || t.counts[1][2] != n / 6 || t.loss != n || t.most != 19) return 2;
  stradsap::dvector<int64_t> numbers(n, 1);
  stradsap::parallel_for(n, doubling{numbers}, async);
  stradsap::parallel_for(n, shifting(offset, numbers), async);
  stradsap::dmap<int64_t, int64_t> histogram;
  std::vector<int64_t> table(10, 2);
  stradsap::parallel_for(n, [&numbers, &histogram, table](int64_t j) { histogram[j % 10] += numbers[j] + table[j % 10]; },
                         async);
  return histogram[3] == n / 10 * 5 ? 0 : 3;
}
