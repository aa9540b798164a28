// Loops of `main` and its helpers over containers, as programs update and evaluate their models. Compiled
// twice: over std::vector, and over dvector. The program runs them and prints sums of the results.

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#ifdef OVER_STD_VECTOR
using std::vector;
#else
#include <stradsap/stradsap.hpp>
template <class T> using vector = stradsap::dvector<T>;
#endif

using Row = std::array<float, 64>;

extern "C" {

[[gnu::noinline]] void loop_descend(vector<float>& weights, const vector<float>& gradient, float rate) {
  for (size_t k = 0; k < weights.size(); ++k) weights[k] -= rate * gradient[k];
}

[[gnu::noinline]] void loop_matrix(vector<float>& W, vector<float>& gradient, float rate, int C, int F) {
  for (int c = 0; c < C; ++c) {
    for (int f = 0; f < F; ++f) W[c * F + f] -= rate * gradient[c * F + f];
  }
}

[[gnu::noinline]] void loop_rows(vector<Row>& W, vector<Row>& gradient, float rate, int C, int F) {
  for (int c = 0; c < C; ++c) {
    for (int f = 0; f < F; ++f) W[c][f] -= rate * gradient[c][f];
  }
}

[[gnu::noinline]] void loop_vectors(vector<std::vector<float>>& W, const vector<std::vector<float>>& gradient,
                                    float rate, int C, int F) {
  for (int c = 0; c < C; ++c) {
    for (int f = 0; f < F; ++f) W[c][f] -= rate * gradient[c][f];
  }
}

[[gnu::noinline]] float loop_indexed(const vector<float>& P, const vector<float>& Q, const vector<int>& id,
                                     int i) {
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += P[i * 32 + k] * Q[id[i] * 32 + k];
  return sum;
}

[[gnu::noinline]] float loop_evaluate(const vector<float>& P, const vector<float>& Q, int u, int i, int K) {
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += P[u * K + k] * Q[i * K + k];
  return sum;
}

[[gnu::noinline]] void loop_products(vector<float>& sums, const vector<float>& factors, int K) {
  for (size_t row = 0; row < factors.size(); row += K) {
    for (int a = 0; a < K; ++a) {
      for (int b = 0; b < K; ++b) sums[a * K + b] += factors[row + a] * factors[row + b];
    }
  }
}

[[gnu::noinline]] void loop_momentum(vector<float>& W, vector<float>& speed, const vector<float>& gradient,
                                     int n) {
  for (int k = 0; k < n; ++k) {
    speed[k] = 0.9f * speed[k] - gradient[k];
    W[k] += speed[k];
  }
}

[[gnu::noinline]] void loop_counts(vector<int64_t>& total, const vector<int64_t>& part) {
  for (size_t k = 0; k < total.size(); ++k) total[k] += part[k];
}
}

static float loop_in_main(int C, int F) {
  vector<float> W(C * F, 1.0f), gradient(C * F, 0.5f);
  loop_descend(W, gradient, 0.5f);
  for (int c = 0; c < C; ++c) {
    for (int f = 0; f < F; ++f) W[c * F + f] -= 0.25f * gradient[c * F + f];
  }
  return W[C * F - 1];
}

int main(int argc, char**) {
  const int C = 3 + argc, F = 64;
  vector<float> W(C * F, 1.0f), gradient(C * F, 0.25f), speed(C * F), sums(F * F);
  vector<Row> rows(C), slopes(C);
  for (Row& row : slopes) row.fill(0.5f);
  vector<int64_t> total(C, 1), part(C, 2);
  loop_descend(W, gradient, 0.5f);
  loop_matrix(W, gradient, 0.5f, C, F);
  loop_rows(rows, slopes, 0.5f, C, F);
  vector<std::vector<float>> lists(C, std::vector<float>(F)), changes(C, std::vector<float>(F, 1.0f));
  loop_vectors(lists, changes, 0.5f, C, F);
  vector<int> id(C, 1);
  loop_products(sums, W, F);
  loop_momentum(W, speed, gradient, C * F);
  loop_counts(total, part);
  double found = loop_in_main(C, F) + loop_evaluate(W, gradient, 1, 2, F);
  found += loop_indexed(W, gradient, id, 2) + lists[C - 1][F - 1];
  for (const float s : sums) found += s;
  for (const Row& row : rows) found += row[F - 1];
  std::printf("%.6f %ld\n", found, static_cast<long>(total[C - 1]));
}
