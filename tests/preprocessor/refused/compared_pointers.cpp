// Comparisons of pointers to elements that are not seen to depend on subscripts alone: they count as a use of
// the elements' data.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

int unknown(int64_t j);
static bool are_same(const float* p, const float* r) { return p == r; }  // expected-remark: this comparison of pointers counts as a use of data in `X`

int main() {
  const int n = 10, d = 4;
  dvector<float> X(n * d), Y(n * d);
  dvector<std::vector<float>> rows(n);
  dvector<int> marks(n);

  async_for(n, [&](int64_t j) {  // a pointer that moves
    float* p = &X[j % 7 * d];
    const float* r = &X[j * j % 9 * d];
    if (j % 2 == 0) r = &X[0];
    const bool same = r == p;  // expected-remark: this comparison of pointers counts as a use of data in `X`: compare the indices
    for (int k = 0; k < d; ++k) p[k] += r[k];
    X[same ? 0 : j * 5 % n] = 1;  // expected-remark: depends on data in `X`
  });
  async_for(n, [&](int64_t j) {  // the same in a loop that cannot run again
    float* p = &X[j % 7 * d];
    const float* r = &X[j * j % 9 * d];
    if (j % 2 == 0) r = &X[0];
    const bool same = r == p;
    for (int k = 0; k < d; ++k) p[k] += r[k];
    if (!same) X[unknown(j)] = 1;  // expected-error: which this loop writes; the comparison of pointers in line 33 counts as a use of that data: compare the indices [SAP053] // expected-note: but for `unknown`
  });
  async_for(n, [&](int64_t j) {  // a parameter
    float* p = &X[j % 7 * d];
    X[are_same(p, &X[j * j % 9 * d]) ? 0 : j * 3 % n] += X[1];  // expected-remark: depends on data in `X`
    for (int k = 0; k < d; ++k) p[k] += k;
  });
  async_for(n, [&](int64_t j) {  // memory that an element owns
    float* p = rows[j % 7].data();
    marks[p == rows[j * j % 9].data() ? 0 : j * 3 % n] = marks[1] / 2;  // expected-remark: depends on data in `rows` // expected-remark: this comparison of pointers counts
    if (!rows[j % 7].empty()) *p += 1;
  });
}
