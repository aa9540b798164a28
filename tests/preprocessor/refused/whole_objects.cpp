// Objects that own containers, or that no other process could construct: notes suggest the text to write.
#include <stradsap/stradsap.hpp>

struct sparse {
  int rows = 0;
  stradsap::dvector<int> begin;
};

class decoder {  // expected-note: or give the class one: `decoder() = default;`
 public:
  explicit decoder(int n) : states_(n) {}
  int states() const { return states_; }

 private:
  int states_;
};

int main() {
  sparse A;
  stradsap::dvector<double> y(10);
  const decoder hmm(3);
  stradsap::async_for(9, [A, &y](int64_t i) { y[i] += A.begin[i]; });  // expected-error: `A`, which has containers among its members, is captured by value [SAP075] // expected-note: capture it by reference: `&A`
  stradsap::async_for(9, [&hmm, &y](int64_t i) { y[i] += hmm.states(); });  // expected-error: `hmm` cannot be sent to other processes: `hmm` has no default constructor, so that no other process could make one [SAP004]
}
