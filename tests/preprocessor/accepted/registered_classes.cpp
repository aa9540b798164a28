// Classes that only resumable() names travel into checkpoints.
#include <cstdio>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

enum class phase { warm_up, steady };

struct best {
  double loss = 1e300;
  std::vector<float> weights;
};

template <class Number> class decaying {
 public:
  explicit decaying(Number start) : value_(start) {}
  decaying() = default;
  Number next() { return value_ *= Number(0.5); }

 private:
  Number value_ = 1;
};

struct state : best {
  std::string name = "none";
  phase at = phase::warm_up;
  decaying<double> rate{0.5};
};

template <class Number> static double halve(Number start, int epochs) {
  decaying<Number> rate(start);
  int epoch = 0;
  Number last = start;
  const auto run = resumable(epoch, rate, last);
  for (; epoch < epochs; ++epoch) {
    run.save_point();
    last = rate.next();
  }
  return static_cast<double>(last);
}

int main() {
  dvector<float> x(8, 1.0f);
  int epoch = 0;
  state all;
  double history[4] = {};
  {
    const auto run = resumable(epoch, all, history);
    for (; epoch < 4; ++epoch) {
      run.save_point();
      const double rate = all.rate.next();
      async_for(x.size(), [rate, &x](int64_t j) { x[j] *= static_cast<float>(rate); });
      all.loss = history[epoch] = x[0];
      all.weights.push_back(x[1]);
      all.at = phase::steady;
    }
    if (run.resumed()) return 1;
  }
  const bool right = all.weights.size() == 4 && all.loss == 0.25 * 0.125 * 0.0625 * 0.03125 &&
                     history[0] == 0.25 && halve(8.0f, 3) == 1 && halve(4.0, 1) == 2;
  std::printf(right ? "ok\n" : "wrong\n");
  return right ? 0 : 1;
}
