// Pointers among members and locals: notes name the object that they point to.
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct features {
  std::vector<float> y;
  float scale;
};

class fit {
 public:
  void run() {
    async_for(10, [&](int64_t i) { out_[i] = data_->y[i]; });  // expected-error: `data_` is a raw pointer, which means nothing in another process [SAP001] // expected-note: by reference: write `auto& data = *data_;` before the loop, capture `&data`, and use that in the body
    async_for(10, [this](int64_t i) { out_[i] = (*sizes_)[i]; });  // expected-error: `sizes_` is a raw pointer [SAP001] // expected-note: write `auto& sizes = *sizes_;` before the loop
    async_for(10, [this](int64_t i) { out_[i] = (*shared_)[i]; });  // expected-error: `shared_` is a raw pointer [SAP001] // expected-note: write `auto& shared = *shared_;` before the loop
    async_for(10, [this](int64_t i) { out_[i] = raw_[i]; });  // expected-error: `raw_` is a raw pointer [SAP001]
    auto& data = *data_;
    auto& sizes = *sizes_;
    auto& shared = *shared_;
    async_for(10, [this, &data, &sizes, &shared](int64_t i) { out_[i] = data.y[i] + sizes[i] + shared[i]; });
  }

 private:
  const features* data_;
  std::vector<float>* sizes_;
  dvector<float>* shared_;
  const float* raw_;
  dvector<float> out_;
};

void run_on(const features* given, dvector<float>& x) {
  async_for(10, [&](int64_t i) { x[i] = given->y[i]; });  // expected-error: `given` is a raw pointer [SAP001] // expected-note: write `auto& one = *given;` before the loop, capture `&one`, and use that in the body
}

int main() {
  dvector<float> x(10);
  fit().run();
  run_on(nullptr, x);
}
