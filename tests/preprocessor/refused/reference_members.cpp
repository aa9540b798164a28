// Members that are references, where a loop cannot capture them in place of the member: notes suggest a local reference.
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;

struct features {
  stradsap::dvector<float> x;
  std::vector<float> y;
};

float size_of(features all);

class fit {
 public:
  fit(const features& all, const std::vector<float>& y, float& total, stradsap::dvector<float>& shared)
      : all_(all), y_(y), weight(y), total_(total), shared_(shared), out_(10) {}
  void run() {
    async_for(10, [&](int64_t i) { out_[i] = this->all_.x[i]; });  // expected-error: the body uses `all_`, which is a reference [SAP074] // expected-note: write `auto& all = all_;` before the loop, and `all` in the body
    async_for(10, [&](int64_t i) { out_[i] = sum(i); });
    async_for(10, [&](int64_t i) { out_[i] = size_of(all_); });  // expected-error: the body uses `all_` as a whole [SAP072]
    async_for(10, [&](int64_t i) {
      const auto of = [this](int64_t j) { return all_.x[j]; };  // expected-error: the body uses `all_`, which is a reference [SAP074] // expected-note: write `auto& all = all_;` before the loop, and `all` in the body, where the lambda captures `&all`
      out_[i] = of(i);
    });
    async_for(10, [&](int64_t i) { out_[i] = this->y_[i]; });  // expected-error: the body uses `y_`, which is a reference [SAP074]
    // one report of all uses in a loop
    async_for(10, [&](int64_t i) {
      const float before = this->y_[(i + 9) % 10];  // expected-error: the body uses `y_`, which is a reference [SAP074]
      out_[i] = this->y_[i] - before;
      out_[i] += this->y_[9 - i];
    });
    async_for(10, [&](int64_t i) { out_[i] = this->weight[i]; });  // expected-error: the body uses `weight`, which is a reference [SAP074] // expected-note: write `auto& weight = this->weight;` before the loop, and `weight` in the body
    async_for(10, [&](int64_t i) { out_[i] = target(i); });
    async_for(10, [&](int64_t i) {
      const auto of = [this](int64_t j) { return y_[j]; };  // expected-error: the body uses `y_`, which is a reference [SAP074]
      out_[i] = of(i);
    });
    async_for(10, [&](int64_t i) {
      const auto of = [=, this](int64_t j) { return y_[j]; };  // expected-error: the body uses `y_`, which is a reference [SAP074]
      out_[i] = of(i);
    });
    auto& total = total_;
    async_for(10, [&](int64_t i) { total_ += i; out_[i] = total; });  // expected-error: the reduction variable `total_` is also read in the body [SAP011] // expected-error: the reduction variable `total` is also read in the body [SAP011]
    auto& P = shared_;
    async_for(10, [&](int64_t i) { shared_[i] += P[9 - i]; });  // expected-error: `P` and `shared_` are one container, which the loop writes [SAP048]
    auto& all = all_;
    auto& y = y_;
    async_for(10, [&](int64_t i) { out_[i] = all.x[i] + y[i]; });
  }

 private:
  float target(int64_t i) const { return 2 * y_[i]; }  // expected-error: the body uses `y_`, which is a reference [SAP074] // expected-note: write `auto& y = y_;` before the loop, and pass `y` to `target` as a parameter
  float sum(int64_t i) const { return all_.x[i]; }  // expected-error: the body uses `all_`, which is a reference [SAP074] // expected-note: write `auto& all = all_;` before the loop, and pass `all` to `sum` as a parameter

  const features& all_;
  const std::vector<float>& y_;
  const std::vector<float>& weight;
  float& total_;
  stradsap::dvector<float>& shared_;
  stradsap::dvector<float> out_;
};

struct outer {
  fit one;
  const std::vector<float>& y;
  stradsap::dvector<float> out;
};

int main() {
  features all;
  std::vector<float> y(10);
  float total = 0;
  stradsap::dvector<float> shared(10);
  fit(all, y, total, shared).run();
  outer o{fit(all, y, total, shared), y, stradsap::dvector<float>(10)};
  async_for(10, [&](int64_t i) { o.out[i] = o.y[i]; });  // expected-error: the body uses `o.y`, which is a reference [SAP074] // expected-note: write `auto& y = o.y;` before the loop, and `y` in the body
}
