// Bayesian personalised ranking over flat rows, with biases: many products that a compiler may fuse with
// sums. Rendle, Freudenthaler, Gantner, Schmidt-Thieme: BPR, 2009. Prints a hash of the model.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <stradsap/stradsap.hpp>

constexpr int dim = 32;

static uint64_t mixed(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  return x ^ x >> 33;
}

int main() {
  const int users = 2000, items = 800, n = 4000;
  const float rate = 0.05f, reg = 0.01f;
  stradsap::dvector<float> U(users * dim), I(items * dim), bias(items);
  for (int k = 0; k < users * dim; ++k) U[k] = 0.0001f * (mixed(k) % 1000);
  for (int k = 0; k < items * dim; ++k) I[k] = 0.0001f * (mixed(k + 777) % 1000);

  stradsap::async_for(n, [&](int j) {
    const int user = mixed(j) % users;
    const int liked = mixed(j * 8ull + 3) % items, other = mixed(j * 8ull + 5) % items;
    float* u = &U[user * dim];
    float* p = &I[liked * dim];
    float* q = &I[other * dim];
    const float s = bias[liked] - bias[other] + 0.3f;
    for (int d = 0; d < dim; ++d) {
      const float old = u[d];
      u[d] += rate * (s * (p[d] - q[d]) - reg * old);
      p[d] += rate * (s * old - reg * p[d]);
      q[d] += rate * (-s * old - reg * q[d]);
    }
    bias[liked] += rate * (s - reg * bias[liked]);
    bias[other] += rate * (-s - reg * bias[other]);
  });

  uint64_t hash = 0;
  for (int k = 0; k < items * dim; ++k) {
    uint32_t bits = 0;
    const float x = I[k];
    std::memcpy(&bits, &x, sizeof bits);
    hash = mixed(hash + bits);
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
}
