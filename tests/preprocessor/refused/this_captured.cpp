// `this` in a loop, in each of its spellings.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

class Trainer {
 public:
  explicit Trainer(int n) : weights_(n) {}
  void run() {
    stradsap::async_for(weights_.size(), [this](int64_t j) { weights_[j] += rate_; });  // expected-error: a loop body cannot capture `this` [SAP002]
    stradsap::async_for(weights_.size(), [=, this](int64_t j) { weights_[j] += rate_; });  // expected-error: a loop body cannot capture `this` [SAP002]
    stradsap::async_for(weights_.size(), [&](int64_t j) { weights_[j] *= 2; });  // expected-error: a loop body cannot capture `this` [SAP002] // expected-note: capture the members that it needs by name: `&weights_ = weights_`
    stradsap::async_for(weights_.size(), [*this](int64_t j) { (void)(weights_[j] + rate_); });  // expected-error: a loop body cannot capture `this` [SAP002]
    stradsap::async_for(weights_.size(), [self = this](int64_t j) { self->weights_[j] = 0; });  // expected-error: `self` is a raw pointer, which means nothing in another process [SAP001] // expected-error: a loop body's capture cannot name `this` [SAP007] // expected-error: the body uses the container `weights_` without capturing it [SAP041]
    stradsap::async_for(weights_.size(), [&W = weights_, &model = *this](int64_t j) { W[j] = model.rate_; });  // expected-error: a loop body's capture cannot name `this` [SAP007]
    stradsap::async_for(weights_.size(), [&](int64_t j) { step(j); });  // expected-error: a loop body cannot capture `this` [SAP002] // expected-note: capture the members that it needs by name; make `step` static, with those that it uses as parameters
  }

 private:
  void step(int64_t j) { weights_[j] += rate_; }
  stradsap::dvector<double> weights_;
  double rate_ = 0.1;
};

int main() { Trainer(10).run(); }
