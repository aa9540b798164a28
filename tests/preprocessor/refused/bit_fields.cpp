// Bit-fields and references as members: no pointer to such a member exists.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Flags {
  unsigned visited : 1;
  unsigned color : 7;
};
struct Packed {
  std::vector<Flags> flags;
};
struct View {
  const std::vector<int>& values;
};

struct Counts {
  unsigned few : 5 = 0;
  int many : 27 = 0;
};

int main() {
  stradsap::dvector<Flags> flags(10);  // expected-error: elements of `flags` cannot be sent to other processes: `Flags.visited` is a bit-field [SAP020]
  stradsap::dvector<Packed> packed(10);  // expected-error: elements of `packed` cannot be sent to other processes: `Packed.flags.visited` is a bit-field [SAP020]
  Counts counts;
  stradsap::async_for(10, [&counts](int64_t j) { counts.many += static_cast<int>(j); });  // expected-error: `counts` is of type int:27 but folded as int, and not all values fit, so its end depends on the order [SAP019] // expected-note: declare `counts.many` without a width
  stradsap::async_for(10, [&counts](int64_t) { ++counts.few; });  // expected-error: `counts` is of type unsigned int:5 but folded as unsigned int [SAP019]
  const Flags mask{1, 3};
  const std::vector<int> values(10);
  const View view{values};
  stradsap::dvector<unsigned> x(10);
  stradsap::async_for(10, [&x, mask](int64_t j) { x[j] = mask.color; });  // expected-error: `mask` cannot be sent to other processes: `mask.visited` is a bit-field [SAP004]
  stradsap::async_for(10, [&x, view](int64_t j) { x[j] = static_cast<unsigned>(view.values[j]); });  // expected-error: `view` cannot be sent to other processes: `view.values` is a reference [SAP004]
}
