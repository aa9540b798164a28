// A function that main and a body could call reads all rows of a container. g++ knows the number of rows.
#include <array>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

constexpr int num_labels = 9;
using row = std::array<float, num_labels>;

struct model {
  stradsap::dvector<row> transitions;
};

static double score(const model& m, int length) {
  std::vector<row> alpha(length);
  alpha[0].fill(1);
  for (int t = 1; t < length; ++t) {
    for (int y = 0; y < num_labels; ++y) {
      float terms[num_labels], sum = 0;
      for (int x = 0; x < num_labels; ++x) terms[x] = alpha[t - 1][x] + m.transitions[x][y];
      for (int x = 0; x < num_labels; ++x) sum += terms[x] * terms[x];
      alpha[t][y] = 1 / sum;
    }
  }
  return alpha[length - 1][3];
}

int main() {
  model m;
  m.transitions.resize(num_labels);
  double loss = 0;
  stradsap::async_for(1000, [&](int s) { loss += score(m, 3 + s % 7); });
  std::printf("%g\n", loss);
}
