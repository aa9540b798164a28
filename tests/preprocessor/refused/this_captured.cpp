// `this` in a loop, in each of its spellings.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

class Trainer {
 public:
  explicit Trainer(int n) : weights_(n) {}
  void run() {
    stradsap::async_for(weights_.size(), [this](int64_t) {});  // expected-error: a loop body cannot capture `this` [SAP002]
    stradsap::async_for(weights_.size(), [this](int64_t j) { other(*this, j); });  // expected-error: the body uses `this` as a whole [SAP072]
    stradsap::async_for(weights_.size(), [this](int64_t j) { late(j); });  // expected-error: the body uses `this` as a whole
    stradsap::async_for(weights_.size(), [*this](int64_t j) { (void)(weights_[j] + rate_); });  // expected-error: a loop body cannot capture `this` [SAP002]
    stradsap::async_for(weights_.size(), [self = this](int64_t j) { self->weights_[j] = 0; });  // expected-error: `self` is a raw pointer, which means nothing in another process [SAP001] // expected-error: a loop body's capture cannot name `this` [SAP007]
    stradsap::async_for(weights_.size(), [&W = weights_, &model = *this](int64_t j) { W[j] = model.rate_; });  // expected-error: a loop body's capture cannot name `this` [SAP007]
  }

 private:
  virtual void late(int64_t j) { weights_[j] += rate_; }
  static void other(Trainer copy, int64_t j) { copy.weights_[j] += 1; }
  stradsap::dvector<double> weights_;
  double rate_ = 0.1;
};

int main() { Trainer(10).run(); }
