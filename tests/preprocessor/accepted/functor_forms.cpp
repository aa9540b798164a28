// A functor as the body: its members are the captures.
#include <cstdint>
#include <utility>

#include <stradsap/stradsap.hpp>

struct Scale {
  stradsap::dvector<double>& x;
  double factor;
  void operator()(int64_t j) const { x[j] *= factor; }
};

int main() {
  stradsap::dvector<double> x(400, 3.0);
  stradsap::parallel_for(x.size(), Scale{x, 0.5}, stradsap::consistency::async);
  const Scale twice{x, 2};
  stradsap::async_for(100, twice);
  for (int j = 0; j < 400; ++j) {
    if (std::as_const(x)[j] != (j < 100 ? 3.0 : 1.5)) return 1;
  }
  return 0;
}
