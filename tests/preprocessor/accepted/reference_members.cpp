// Members that are references, named in a loop of a member function: data that an object only refers to.
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct dataset {
  int columns = 4;
  std::vector<float> y;
  std::vector<int> bins;
  float at(int64_t i) const { return y[i]; }
};

class booster {
 public:
  booster(const dataset& d, dvector<float>& shared, double& loss, const int& depth)
      : data_(d), shared(shared), loss_(loss), depth_(depth), grad_(static_cast<int64_t>(d.y.size())) {}

  void epoch() {
    const auto n = static_cast<int64_t>(data_.y.size());
    async_for(n, [&](int64_t i) { grad_[i] = data_.y[i] - data_.at(i) / 2 + data_.columns; });
    async_for(n, [this](int64_t i) {
      for (int k = 0; k < data_.columns; ++k) grad_[data_.bins[i * data_.columns + k]] += data_.y[i];
      loss_ += 1;
    });
    async_for(n, [=, this](int64_t i) { shared[i * 3 % 40] += grad_[i] + depth_; });
    async_for(n, [&](int64_t i) { shared[i] += data_.y[i]; });
    async_for(n, [this, &y = data_.y](int64_t i) { grad_[i] += y[i]; });
    async_for(n, [&, &first = data_.y.front()](int64_t i) { grad_[i] += first; });
    async_for(n, [&](int64_t i) {
      const auto twice = [&](int64_t j) { return 2 * data_.y[j]; };
      grad_[i * 7 % 30] += twice(i);
    });
    const dataset& d = data_;
    async_for(n, [&](int64_t i) { grad_[i] += d.y[i]; });
  }
  float last() const { return grad_[5]; }

 private:
  const dataset& data_;
  dvector<float>& shared;
  double& loss_;
  const int& depth_;
  dvector<float> grad_;
};

template <class T> class scaled {
 public:
  explicit scaled(const std::vector<T>& by) : by_(by), out_(static_cast<int64_t>(by.size())) {}
  T run() {
    async_for(out_.size(), [&](int64_t i) { out_[i] += by_[i] * static_cast<T>(by_.size()); });
    return out_[1];
  }

 private:
  const std::vector<T>& by_;
  dvector<T> out_;
};

class table {
 public:
  explicit table(int64_t n) : weights(n, 1) {}
  float& at(int64_t i) { return weights[i]; }
  const float& at(int64_t i) const { return weights[i]; }
  dvector<float> weights;
  std::vector<int> order;
  float rate = 0.5f;
};

float score(const table& from, int64_t i) { return from.at(i) + from.weights[0]; }

/// Refers to objects with containers in them, among which it writes one.
class linker {
 public:
  linker(table& model, const table& data) : model_(model), data_(data) {}

  float run() {
    const int64_t n = data_.weights.size();
    async_for(n, [&](int64_t i) { model_.weights[i] += data_.weights[i]; });
    async_for(n, [this](int64_t i) { model_.weights[model_.order[i]] += data_.rate * data_.at(i) + own_; });
    async_for(n, [=, this](int64_t i) {
      const auto of = [&](int64_t j) { return score(data_, j); };
      auto& to = model_;
      to.at(to.order[i] / 2) = of(i) + to.rate * own_;
    });
    async_for(n, [&](int64_t i) { model_.weights[i] += changed(data_, i); },
              stradsap::access(stradsap::reads(data_.weights)));
    return std::as_const(model_).weights[3] + std::as_const(model_).weights[7];
  }

 private:
  float changed(const table& from, int64_t i) const { return own_ * from.weights[i]; }

  table& model_;
  const table& data_;
  float own_ = 0.25f;
};

int main() {
  table model(40);
  table data(40);
  for (int64_t i = 0; i < 40; ++i) {
    model.order.push_back(static_cast<int>(i * 7 % 40));
    data.weights[i] = 0.125f * static_cast<float>(i);
  }
  for (int pass = 0; pass < 2; ++pass) {
    data.rate += 0.5f;
    std::printf("%.9g\n", linker(model, data).run());
  }
  dataset d;
  for (int i = 0; i < 60; ++i) {
    d.y.push_back(static_cast<float>(i % 7));
    for (int k = 0; k < d.columns; ++k) d.bins.push_back((i * 5 + k) % 60);
  }
  dvector<float> shared(60);
  double loss = 0;
  int depth = 3;
  booster b(d, shared, loss, depth);
  for (int pass = 0; pass < 3; ++pass) {
    b.epoch();
    d.y[5] += 1;
    ++depth;
    std::printf("%.9g %g %.9g\n", b.last(), loss, shared[9]);
  }
  const std::vector<int> ints{3, 4};
  const std::vector<double> doubles{0.5, 0.25, 1};
  std::printf("%d %g\n", scaled(ints).run(), scaled(doubles).run());
}
