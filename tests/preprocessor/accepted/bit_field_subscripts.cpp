// Bit-fields of local objects as subscripts and keys: no reference can refer to one.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "../compared.hpp"

using namespace stradsap;

struct digits {
  unsigned low : 3;
  int high : 4;
};

int main() {
  dvector<int> X(8), Y(8);
  dmap<int, int> M;
  std::vector<int> wanted(8);
  for (int j = 0; j < 1000; ++j) ++wanted[j % 8];
  async_for(1000, [&](int64_t j) {
    digits of{};
    of.low = static_cast<unsigned>(j % 8);
    of.high = static_cast<int>(j % 5);
    X[of.low] += 1;
    Y.at(of.low) = Y.at(of.low) + of.high;
    M[of.high] += 1;
  });
  bool right = true;
  for (int i = 0; i < 8; ++i) right = right && X[i] == wanted[i] && Y[i] == 250;
  compared::check("subscripts", right);
  compared::check("keys", M[0] == 200 && M[4] == 200);
  return compared::failures;
}
