// References to elements that outlive their iteration, and objects that hold references.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Cache {
  const double* best = nullptr;
};
struct Holder {
  int64_t& sum;
  int64_t seen = 0;
};
struct Counts {
  const int by;
  int64_t seen = 0;
};
static const double* last = nullptr;

int main() {
  stradsap::dvector<double> x(10);
  stradsap::dvector<Cache> caches(10);  // expected-error: elements of `caches` cannot be sent to other processes: `Cache.best` is a raw pointer [SAP020]
  std::vector<double*> seen;
  Cache cache;
  stradsap::async_for(10, [&x](int64_t j) { last = &x[j]; });  // expected-error: the body uses the global variable `last`, which may differ between processes and cannot be sent with the loop [SAP040]
  stradsap::async_for(10, [&x, &seen](int64_t j) { seen.push_back(&x[j]); });  // expected-error: `seen` cannot be sent to other processes: `seen` is a raw pointer [SAP004] // expected-error: the body changes `seen`, or may change it, and every process has a copy of its own [SAP016] // expected-error: how far this pointer to an element of `x` goes is not known: it is stored in an object [SAP056]
  stradsap::async_for(10, [&x, &cache](int64_t j) { cache.best = &x[j]; });  // expected-error: `cache` cannot be sent to other processes: `cache.best` is a raw pointer [SAP004]
  int64_t sum = 0;
  Holder holder{sum};
  Counts counts{3};
  stradsap::async_for(10, [&holder](int64_t j) { holder.sum += j; });  // expected-error: `holder` cannot be sent to other processes: `holder.sum` is a reference [SAP004] // expected-error: the body changes `holder`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(10, [&holder](int64_t j) { holder.seen += 1; });  // expected-error: `holder` cannot be sent to other processes: `holder.sum` is a reference [SAP004] // expected-error: the body changes `holder`, or may change it, and every process has a copy of its own [SAP016]
  stradsap::async_for(10, [&counts](int64_t j) { counts.seen += 1; });  // expected-error: `counts` cannot be sent to other processes: `counts.by` is const, so that it could not be received [SAP004] // expected-error: the body changes `counts`, or may change it, and every process has a copy of its own [SAP016]
}
