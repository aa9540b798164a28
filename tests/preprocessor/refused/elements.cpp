// Elements and keys that cannot travel, with the way to the member at fault.
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dmap;
using stradsap::dvector;

struct holder { float* p; };  // expected-note: store plain values in the element
struct bits { int a : 3; };
struct refers { int& r; };
struct fixed { const int n = 0; };
struct deep { std::vector<std::pair<int, holder>> list; };
union either { int a; float b; };
struct has_union { either e; };
struct polymorphic { virtual ~polymorphic() = default; int a = 0; };
struct no_default { explicit no_default(int x) : a(x) {} int a; };
struct secret : private fixed {};
struct watched { std::string_view text; };
class erased { std::function<void()> f_; };

dvector<holder> global_holders;  // expected-error: elements of `global_holders` cannot be sent to other processes: `holder.p` is a raw pointer [SAP020]

int main() {
  dmap<int, bits> b;  // expected-error: `bits.a` is a bit-field
  dmap<int, fixed> c;  // expected-error: `fixed.n` is const
  dvector<deep> d;  // expected-error: `deep.list.p` is a raw pointer
  dvector<has_union> e;  // expected-error: `has_union.e` is a union
  dvector<polymorphic> f;  // expected-error: `polymorphic` has virtual functions
  dvector<watched> g;  // expected-error: `watched.text` is a std::string_view
  dvector<erased> h;  // expected-error: `erased.f_` is a std::function<void ()>
  dvector<std::unique_ptr<int>> i;  // expected-error: `std::unique_ptr<int>` holds more than plain values
  dvector<std::initializer_list<int>> braces;  // expected-error: `std::initializer_list<int>` holds more than plain values
  dvector<std::string_view> words(3);  // expected-error: holds more than plain values
  stradsap::async_for(3, [&words](int64_t j) { words[j] = "word"; });
  dvector<float*> k;  // expected-error: `float *` is a raw pointer
  dmap<const char*, int> l;  // expected-error: `const char *` is a raw pointer
  dvector<dvector<int>> m;  // expected-error: is a distributed container, which cannot be inside another object
}
