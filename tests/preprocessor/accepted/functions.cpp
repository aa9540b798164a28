// Loops in templates, members, wrappers and macros' arguments.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;
namespace consistency = stradsap::consistency;

#define RUN(n, body) stradsap::parallel_for(n, body, consistency::async)

template <class Body>
void each(const dvector<float>& D, Body body) {
  stradsap::parallel_for(D.size(), body, consistency::async);
}

template <class T>
struct trainer {
  dvector<T> data = dvector<T>(5);
  T rate = T(2);
  static T twice(T x) { return x + x; }

  T run() {
    stradsap::parallel_for(data.size(), [&data = data, rate = rate](int64_t j) { data[j] = twice(rate); }, consistency::async);
    T sum = 0;
    stradsap::parallel_for(data.size(), [&D = data, &sum](int64_t j) { sum += D[j]; }, consistency::async);
    return sum;
  }
};

template <int K>
float unrolled(int n) {
  dvector<float> D(n);
  stradsap::parallel_for(n, [&D](int64_t j) {
    if constexpr (K > 4) {
      D[j] += K;
    } else {
      D[j / 2] += 1;
    }
  }, consistency::async);
  return D[0];
}

dvector<int> global_data;

static void fill(dvector<float>& D, float value) {
  stradsap::parallel_for(D.size(), [&D, value](int64_t j) { D[j] = value; }, consistency::async);
}
static void fill(dvector<int>& D, int value) {
  stradsap::parallel_for(D.size(), [&D, value](int64_t j) { D[j] = value; }, consistency::async);
}

int main() try {
  dvector<float> D(6);
  fill(D, 1);
  RUN(D.size(), [&D](int64_t j) { D[j] += 1; });
  each(D, [&D](int64_t j) { D[j] += 1; });
  float seen = 0;
  each(D, [&D, &seen](int64_t j) { seen += D[j]; });
  global_data.resize(3);
  auto& local = global_data;
  fill(local, 2);
  stradsap::parallel_for(3, [&local](int64_t j) { local[j] += 1; }, consistency::async);
  stradsap::parallel_for(3, [&G = global_data](int64_t j) { G[j] += 1; }, consistency::async);
  return seen == 18 && trainer<int>().run() == 20 && trainer<double>().run() == 20 && unrolled<2>(4) == 2 &&
                 unrolled<8>(4) == 8 && global_data[0] == 4
             ? 0
             : 1;
} catch (...) {
  return 2;
}
