// The runtime calls functions among a loop's options as const objects. Other errors of the file are reported,
// too.
#include <cstdint>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct counting {
  int calls = 0;
  double operator()(int64_t) { return ++calls; }
};

struct generic_counting {
  int calls = 0;
  template <class Index> double operator()(Index, Index) { return ++calls; }
};

int main() {
  dvector<double> x(10, 1.0);
  int calls = 0;
  async_for(x.size(), [&x, &calls](int64_t j) { calls = static_cast<int>(x[j]); });  // expected-error: [SAP010]
  (void)schedule::dynamic().priority([&calls](int64_t) { return ++calls; });  // expected-error: the function of `priority` changes `calls`, or may change it [SAP080]
  parallel_for(x.size(), [&x](int64_t j) { x[j] *= 0.5; }, consistency::async,
               schedule::dynamic().priority(counting()).until(1e-6));  // expected-error: the function of `priority` has an operator() that is not const, so each call could change it [SAP085] // expected-note: it may only read: declare the operator() const
  parallel_for(x.size(), [&x](int64_t j) { x[j] *= 0.5; }, consistency::approximate,
               schedule::dynamic().set_size(2).depends(generic_counting(), 0.1));  // expected-error: the function of `depends` has an operator() that is not const [SAP085]
  (void)schedule::dynamic().priority([calls](int64_t) mutable { return ++calls; });  // expected-error: the function of `priority` is `mutable`, so each call could change it [SAP085] // expected-note: it may only read: leave out `mutable`
  auto generic = [calls](auto) mutable { return ++calls; };
  (void)schedule::dynamic().priority(generic);  // expected-error: the function of `priority` is `mutable` [SAP085]
}
