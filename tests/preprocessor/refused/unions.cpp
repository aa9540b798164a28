// Unions, in each disguise: named, anonymous, behind a tag, in a variant.
#include <cstdint>
#include <variant>

#include <stradsap/stradsap.hpp>

union Bits {
  float f;
  uint32_t u;
};
struct Tagged {
  bool is_int;
  union {
    int i;
    double d;
  };
};
struct Holder {
  Bits bits;
};

int main() {
  stradsap::dvector<Bits> a(10);  // expected-error: elements of `a` cannot be sent to other processes: `Bits` is a union [SAP020]
  stradsap::dvector<Tagged> b(10);  // expected-error: elements of `b` cannot be sent to other processes: `Tagged` has an anonymous struct or union [SAP020]
  stradsap::dmap<int, Holder> c;  // expected-error: elements of `c` cannot be sent to other processes: `Holder.bits` is a union [SAP020]
  const Tagged tagged{true, {1}};
  stradsap::dvector<int> x(10);
  stradsap::async_for(10, [&x, tagged](int64_t j) { x[j] = tagged.i; });  // expected-error: `tagged` cannot be sent to other processes: `tagged` has an anonymous struct or union [SAP004]
  stradsap::async_for(10, [&x](int64_t j) {
    Bits bits;
    bits.f = static_cast<float>(j);
    x[j] = static_cast<int>(bits.u >> 20);
  });
}
