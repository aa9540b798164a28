// Members captured through init-captures: a new value makes a new plan, as with any other variable.
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct base {
  std::vector<int64_t> picks{1, 3, 7};
};

class owner : base {
 public:
  owner() : weights_(500) {}

  void by_copy(int64_t n) {
    async_for(n, [&W = weights_, factor = factor_](int64_t j) {
      auto& w = W[j * factor % 500];
      w = w * 3 + j;
    });
  }
  void by_reference(int64_t n) {
    async_for(n, [&W = weights_, &factor = factor_](int64_t j) { W[j * factor % 500] += j; });
  }
  void of_base(int64_t n) {
    async_for(n, [&W = weights_, picks = picks, k = factor_ * 2 + 1](int64_t j) { W[j * picks[j % 3] % 500] += k; });
  }
  void change(int64_t by) {
    factor_ += by;
    picks[1] += by;
  }
  bool operator==(const owner& other) const {
    for (int64_t i = 0; i < 500; ++i) {
      if (weights_[i] != other.weights_[i]) return false;
    }
    return true;
  }
  void in_program_order(int64_t n, int which) {
    for (int64_t j = 0; j < n; ++j) {
      if (which == 0) weights_[j * factor_ % 500] += j;
      if (which == 1) weights_[j * picks[j % 3] % 500] += factor_ * 2 + 1;
    }
  }

 private:
  dvector<int64_t> weights_;
  int64_t factor_ = 3;
};

int main() {
  owner loops, plain, order_matters;
  for (int64_t pass = 0; pass < 4; ++pass) {
    loops.by_reference(5000);
    loops.of_base(5000);
    plain.in_program_order(5000, 0);
    plain.in_program_order(5000, 1);
    order_matters.by_copy(5000);
    loops.change(2 * pass);
    plain.change(2 * pass);
    order_matters.change(2 * pass);
  }
  return loops == plain ? 0 : 1;
}
