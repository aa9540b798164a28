// Captured structs in unusual forms: empty, moved, made anew, of many members, templates, bases, loops in lambdas.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct wide {
  dvector<long> f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34;
  dvector<long> f35, f36, f37, f38, f39, f40, f41, f42, f43, f44, f45, f46, f47, f48, f49, f50, f51, f52, f53, f54, f55, f56, f57, f58, f59, f60, f61, f62, f63, f64, f65, f66, f67, f68, f69;
};
template <class T> struct matrix {
  dvector<T> data;
  int64_t columns = 1;
  T& at(int64_t i, int64_t k) { return data[i * columns + k]; }
  const T& at(int64_t i, int64_t k) const { return data[i * columns + k]; }
  struct {
    int64_t shift = 2;
  } options;
};
struct named {
  std::vector<int> order;
};
struct both : named, matrix<long> {
  long sum = 0;
};
class runner {
 public:
  explicit runner(int64_t n) : held_(std::make_unique<matrix<double>>()) {
    held_->data = dvector<double>(n * 3);
    held_->columns = 3;
  }
  void twice() {
    auto& m = *held_;
    const auto each = [&](double by) {
      async_for(m.data.size() / 3, [&](int64_t i) {
        for (int k = 0; k < 3; ++k) m.at(i, k) += by + steps_[k];
      });
    };
    each(1);
    each(2);
  }
  double last() const { return std::as_const(*held_).at(4, 2); }

 private:
  std::unique_ptr<matrix<double>> held_;
  std::vector<int> steps_{1, 2, 3};
};

static void double_all(both& b, int64_t n) {
  async_for(n, [&b](int64_t i) {
    const auto add = [&b](int64_t at) { b.data[at] += b.order[at % 2] + b.options.shift; };
    add(i * 3 % 7);
    b.sum += 1;
  });
}

int main() {
  both b;
  double_all(b, 0);
  b.data = dvector<long>(7);
  b.order = {5, 6};
  double_all(b, 20);
  both moved = std::move(b);
  double_all(moved, 21);
  std::optional<both> again;
  for (int pass = 0; pass < 3; ++pass) {
    again.emplace();
    again->data = dvector<long>(7 + pass, pass);
    again->order.assign(2 + pass, pass);
    double_all(*again, 11);
    std::printf("%ld %ld\n", again->sum, std::as_const(again->data)[3]);
  }
  std::printf("%ld %ld\n", moved.sum, std::as_const(moved.data)[3]);

  moved.options.shift = 3;
  const auto kept = [&, shift = moved.options.shift, &data = moved.data](int64_t j) {
    data[j] = data[j] * shift + moved.data[j] % moved.order[0];
  };
  moved.options.shift = 100;
  async_for(7, kept);
  std::printf("%ld\n", std::as_const(moved.data)[5]);

  wide w;
  w.f0.resize(6); w.f0[2] = 0; w.f1.resize(6); w.f1[2] = 1; w.f2.resize(6); w.f2[2] = 2; w.f3.resize(6); w.f3[2] = 3; w.f4.resize(6); w.f4[2] = 4; w.f5.resize(6); w.f5[2] = 5; w.f6.resize(6); w.f6[2] = 6; w.f7.resize(6); w.f7[2] = 7; w.f8.resize(6); w.f8[2] = 8; w.f9.resize(6); w.f9[2] = 9; w.f10.resize(6); w.f10[2] = 10; w.f11.resize(6); w.f11[2] = 11; w.f12.resize(6); w.f12[2] = 12; w.f13.resize(6); w.f13[2] = 13; w.f14.resize(6); w.f14[2] = 14; w.f15.resize(6); w.f15[2] = 15; w.f16.resize(6); w.f16[2] = 16; w.f17.resize(6); w.f17[2] = 17; w.f18.resize(6); w.f18[2] = 18; w.f19.resize(6); w.f19[2] = 19; w.f20.resize(6); w.f20[2] = 20; w.f21.resize(6); w.f21[2] = 21; w.f22.resize(6); w.f22[2] = 22; w.f23.resize(6); w.f23[2] = 23; w.f24.resize(6); w.f24[2] = 24; w.f25.resize(6); w.f25[2] = 25; w.f26.resize(6); w.f26[2] = 26; w.f27.resize(6); w.f27[2] = 27; w.f28.resize(6); w.f28[2] = 28; w.f29.resize(6); w.f29[2] = 29; w.f30.resize(6); w.f30[2] = 30; w.f31.resize(6); w.f31[2] = 31; w.f32.resize(6); w.f32[2] = 32; w.f33.resize(6); w.f33[2] = 33; w.f34.resize(6); w.f34[2] = 34; w.f35.resize(6); w.f35[2] = 35; w.f36.resize(6); w.f36[2] = 36; w.f37.resize(6); w.f37[2] = 37; w.f38.resize(6); w.f38[2] = 38; w.f39.resize(6); w.f39[2] = 39; w.f40.resize(6); w.f40[2] = 40; w.f41.resize(6); w.f41[2] = 41; w.f42.resize(6); w.f42[2] = 42; w.f43.resize(6); w.f43[2] = 43; w.f44.resize(6); w.f44[2] = 44; w.f45.resize(6); w.f45[2] = 45; w.f46.resize(6); w.f46[2] = 46; w.f47.resize(6); w.f47[2] = 47; w.f48.resize(6); w.f48[2] = 48; w.f49.resize(6); w.f49[2] = 49; w.f50.resize(6); w.f50[2] = 50; w.f51.resize(6); w.f51[2] = 51; w.f52.resize(6); w.f52[2] = 52; w.f53.resize(6); w.f53[2] = 53; w.f54.resize(6); w.f54[2] = 54; w.f55.resize(6); w.f55[2] = 55; w.f56.resize(6); w.f56[2] = 56; w.f57.resize(6); w.f57[2] = 57; w.f58.resize(6); w.f58[2] = 58; w.f59.resize(6); w.f59[2] = 59; w.f60.resize(6); w.f60[2] = 60; w.f61.resize(6); w.f61[2] = 61; w.f62.resize(6); w.f62[2] = 62; w.f63.resize(6); w.f63[2] = 63; w.f64.resize(6); w.f64[2] = 64; w.f65.resize(6); w.f65[2] = 65; w.f66.resize(6); w.f66[2] = 66; w.f67.resize(6); w.f67[2] = 67; w.f68.resize(6); w.f68[2] = 68; w.f69.resize(6); w.f69[2] = 69;
  dvector<long> out(6);
  async_for(6, [&](int64_t j) {
    w.f69[j] += 1;
    if (j == 2) out[j] = w.f0[j] + w.f1[j] + w.f2[j] + w.f3[j] + w.f4[j] + w.f5[j] + w.f6[j] + w.f7[j] + w.f8[j] + w.f9[j] + w.f10[j] + w.f11[j] + w.f12[j] + w.f13[j] + w.f14[j] + w.f15[j] + w.f16[j] + w.f17[j] + w.f18[j] + w.f19[j] + w.f20[j] + w.f21[j] + w.f22[j] + w.f23[j] + w.f24[j] + w.f25[j] + w.f26[j] + w.f27[j] + w.f28[j] + w.f29[j] + w.f30[j] + w.f31[j] + w.f32[j] + w.f33[j] + w.f34[j] + w.f35[j] + w.f36[j] + w.f37[j] + w.f38[j] + w.f39[j] + w.f40[j] + w.f41[j] + w.f42[j] + w.f43[j] + w.f44[j] + w.f45[j] + w.f46[j] + w.f47[j] + w.f48[j] + w.f49[j] + w.f50[j] + w.f51[j] + w.f52[j] + w.f53[j] + w.f54[j] + w.f55[j] + w.f56[j] + w.f57[j] + w.f58[j] + w.f59[j] + w.f60[j] + w.f61[j] + w.f62[j] + w.f63[j] + w.f64[j] + w.f65[j] + w.f66[j] + w.f67[j] + w.f68[j] + w.f69[j];
  });
  std::printf("%ld\n", std::as_const(out)[2]);

  runner r(5);
  r.twice();
  std::printf("%g\n", r.last());
}
