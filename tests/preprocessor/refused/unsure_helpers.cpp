// Under a condition on the loop's written data, an inspector could act where the
// program does not: loop for ever, end the process, print, follow a null pointer.
#include <cstdio>
#include <cstdlib>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct sample {
  int a, b, step;
};

static void spread(dvector<double>& w, const sample& s) {
  for (int k = 0; k < s.a; k += s.step) w[k] += 1;  // expected-remark: which element is used here depends on data in `w`, which this loop writes
}
static void put(dvector<double>& w, int i) {
  if (i < 0) std::abort();
  w[i] += 1;  // expected-remark: which element is used here depends on data in `w`, which this loop writes
}
static void tell(dvector<double>& w, int i) {
  w[i] += std::printf("put\n");  // expected-error: which element is used here depends on data in `w`, which this loop writes [SAP053] // expected-warning: output in the body of a loop comes from all processes in no fixed order [SAP060]
}
static int pick(const sample& s) {
  const sample* best = nullptr;
  if (s.step > 0) best = &s;
  return best->a;
}

void unsure(dvector<sample>& d, dvector<double>& w) {
  async_for(100, [&](int j) {
    if (w[d[j].b] > 0) spread(w, d[j]);
  });
  async_for(100, [&](int j) {
    if (w[d[j].b] > 0) put(w, d[j].a);
  });
  async_for(100, [&](int j) {
    if (w[d[j].b] > 0) tell(w, d[j].a);
  });
  async_for(100, [&](int j) {
    if (w[d[j].b] > 0) w[pick(d[j])] += 1;  // expected-remark: which element is used here depends on data in `w`, which this loop writes
  });
  async_for(100, [&](int j) {
    for (int k = 0;; ++k) {
      if (w[d[j].a] > 5) break;  // expected-remark: which element is used here depends on data in `w`, which this loop writes
      w[d[j].b + k] += 1;  // expected-remark: which element is used here depends on data in `w`, which this loop writes
    }
  });
}
