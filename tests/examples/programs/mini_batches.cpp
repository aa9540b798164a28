// Steps of `main` between mini-batches. Weights decide where a batch adds. After each step, the number of
// calls for elements since the loop.
#include <cstdint>
#include <cstdio>

#include <stradsap/stradsap.hpp>

extern "C" volatile long num_far_elements;  // volatile, as calls of a pure function change it

static void descend(auto& weights, const auto& gradient, float rate) {
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] -= rate * gradient[k];
}

int main() {
  constexpr int n = 64, size = 1000;
  stradsap::dvector<float> weights(size, 1.0f), gradient(size);
  for (int batch = 0; batch < 4; ++batch) {
    gradient.assign(size, 0.0f);
    stradsap::async_for(n, [&](std::int64_t i) {
      for (int k = 0; k < size; ++k) {
        if (weights[k] < 0.5f) continue;
        gradient[k] += weights[k] * i;
      }
    });
    const long before = num_far_elements;
    descend(weights, gradient, 0.0001f);
    std::printf("%ld\n", num_far_elements - before);
  }
}
