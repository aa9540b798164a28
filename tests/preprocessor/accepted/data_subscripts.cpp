// Elements that are named through data(): the analysis and the native compiler see plain subscripts.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct layer {
  dvector<float> in;
  dvector<float> out;
};

constexpr int width = 8;
constexpr int64_t rows = 40;

static float sum_of(const dvector<float>& of) {
  float sum = 0;
  for (std::size_t i = 0; i < of.size(); ++i) sum += of.data()[i] * static_cast<float>(i % 5);
  return sum;
}

static void subscripts(layer& net, const dvector<int>& id) {
  dvector<float>& h = net.in;
  async_for(h.size(), [&](int64_t i) { net.out.data()[i] = std::max(0.0f, h.data()[i]); });
  async_for(h.size(), [&](int64_t i) { *(net.out.data() + i) += 2 * *(std::as_const(h).data() + i); });
  async_for(rows, [&](int64_t i) {
    for (int k = 0; k < width; ++k) net.out.data()[i * width + k] += h . data ( ) [i * width + k];
  });
  async_for(rows, [&](int64_t i) { net.out.data()[id.data()[i] * width] += 1; });
  async_for(rows, [&h, &id](auto i) { h.data()[id[i] * width + 1] += 0.5f; });
}

static void starts(dvector<float>& h, dvector<float>& o, dvector<int>& n) {
  async_for(h.size(), [&](int64_t i) {
    const float* p = h.data();
    float *q = o.data();
    q[i] = p[i] + *(p + i);
  });
  async_for(rows, [&](int64_t i) {
    const auto* const from = h.data();
    auto *to = o.data();
    for (int k = 0; k < width; ++k) to[i * width + k] -= from[i * width + k] / 2;
  });
  async_for(n.size(), [&](int64_t i) {
    int* p = n.data();
    p[i] = 2 * p[i] - 1;
  });
  async_for(rows, [&](int64_t i) {  // a pointer that is used otherwise stays one
    float* p = o.data();
    p[i * width] += 1;
    float* row = p + i * width;
    for (int k = 0; k < width; ++k) row[k] *= 0.5f;
  });
  async_for(rows, [&](int64_t i) {
    std::vector<float> own(width, 1);
    for (int k = 0; k < width; ++k) o.data()[i * width + k] += own.data()[k];
  });
}

int main() {
  layer net{dvector<float>(rows * width), dvector<float>(rows * width)};
  dvector<int> id(rows);
  for (int64_t i = 0; i < rows * width; ++i) net.in[i] = static_cast<float>(i * 7 % 13) - 6;
  for (int64_t i = 0; i < rows; ++i) id[i] = static_cast<int>(i * 3 % rows);
  for (int pass = 0; pass < 2; ++pass) {
    subscripts(net, id);
    starts(net.in, net.out, id);
    for (int64_t i = 0; i < rows; ++i) id[i] = static_cast<int>((i * 3 + std::abs(id[i])) % rows);
    std::printf("%.9g %.9g %d\n", sum_of(net.in), sum_of(net.out), id[7]);
  }
}
