// Loop bodies of a class that no other process can construct, or that would silently give wrong results.
#include <cstdint>
#include <functional>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;

struct base {
  int64_t shift = 0;
};
struct derived : base {
  dvector<int64_t>& values;
  explicit derived(dvector<int64_t>& v) : values(v) {}
  void operator()(int64_t j) const { values[j] += shift; }
};
struct keeps_state {
  dvector<int64_t>& values;
  int64_t seen = 0;
  void operator()(int64_t j) { values[j] = ++seen; }  // expected-error: cannot be `mutable` [SAP031]
};
struct hides_state {
  dvector<int64_t>& values;
  mutable int64_t seen = 0;
  void operator()(int64_t j) const { values[j] = ++seen; }  // expected-error: the body changes `seen` [SAP010]
};
struct with_pointer {
  dvector<int64_t>& values;
  const int64_t* table;  // expected-error: `table` is a raw pointer [SAP001]
  void operator()(int64_t j) const { values[j] = table[j]; }
};
struct with_copy {
  dvector<int64_t> values;  // expected-error: container `values` is captured by value [SAP003]
  void operator()(int64_t j) const { (void)values[j]; }
};
struct two_ways {
  dvector<int64_t>& values;
  void operator()(int64_t j) const { values[j] = 1; }
  void operator()(int j) const { values[j] = 2; }
};
struct with_array {
  dvector<int64_t>& values;
  int64_t weights[3];
  void operator()(int64_t j) const { values[j] = weights[j % 3]; }
};
struct elsewhere {
  dvector<int64_t>& values;
  void operator()(int64_t j) const;
};
struct reads_what_it_adds {
  dvector<int64_t>& values;
  int64_t& sum;
  void operator()(int64_t j) const {
    sum += values[j];
    values[j] = sum;  // expected-error: reduction variable `sum` is also read [SAP011]
  }
};
struct reaches_into_another {
  dvector<int64_t>& values;
  void operator()(int64_t j) const {
    const reaches_into_another& self = *this;
    self.values[j + 1] = 0;  // expected-error: uses the container `values` without capturing it [SAP041] // expected-note: `&values = self.values`
  }
};

int main() {
  dvector<int64_t> values(100);
  int64_t sum = 0;
  const int64_t table[3] = {1, 2, 3};
  stradsap::async_for(100, derived(values));  // expected-error: no other process can make the loop body `derived`: it has bases [SAP036]
  stradsap::async_for(100, keeps_state{values});
  stradsap::async_for(100, hides_state{values});
  stradsap::async_for(100, with_pointer{values, table});
  stradsap::async_for(100, with_copy{values});
  stradsap::async_for(100, two_ways{values});               // expected-error: needs one `operator()(int64_t j) const` [SAP036]
  stradsap::async_for(100, with_array{values, {1, 2, 3}});  // expected-error: `weights` is a C array [SAP036]
  stradsap::async_for(100, elsewhere{values});              // expected-error: operator() is not in this file [SAP036]
  stradsap::async_for(100, reads_what_it_adds{values, sum});
  stradsap::async_for(99, reaches_into_another{values});
  const std::function<void(int64_t)> any = [&values](int64_t j) { values[j] = 0; };
  stradsap::async_for(100, any);  // expected-error: is a std::function<void (long)>, but has to be a lambda or a functor [SAP030]
}
