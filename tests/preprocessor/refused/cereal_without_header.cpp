// Classes with functions for cereal, in a program without <stradsap/cereal.hpp>.
#include <cstdint>
#include <string>
#include <variant>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct by_member {  // expected-note: or write `#include <stradsap/cereal.hpp>`
  int a = 0;
  template <class Archive> void serialize(Archive& archive) { archive(a); }
};
class by_pair {
  int a = 0;
  friend struct access;
  template <class Archive> void save(Archive& archive, std::uint32_t) const { archive(a); }
  template <class Archive> void load(Archive& archive, std::uint32_t) { archive(a); }
};
namespace shapes {
struct outside { int a = 0; };
template <class Archive> void serialize(Archive& archive, outside& o) { archive(o.a); }
template <class T> struct box {
  T a{};
  template <class Archive> friend void serialize(Archive& archive, box& b) { archive(b.a); }
};
}  // namespace shapes
struct holder { shapes::outside inner; };

struct none {  // lists its members
  int a = 0;
  void serialize() {}
  template <class Archive> void save(Archive& archive) { archive(a); }  // there is no load
};

int main() {
  dvector<by_member> members(3);  // expected-error: elements of `members` cannot be sent to other processes: `by_member` has functions for cereal, and the program does not include <stradsap/cereal.hpp> [SAP020]
  dvector<by_pair> pairs(3);  // expected-error: `by_pair` has functions for cereal [SAP020]
  dvector<shapes::outside> outsides(3);  // expected-error: `shapes::outside` has functions for cereal [SAP020]
  dvector<shapes::box<int>> boxes(3);  // expected-error: `shapes::box<int>` has functions for cereal [SAP020]
  dvector<holder> holders(3);  // expected-error: `holder.inner` has functions for cereal [SAP020]
  dvector<std::variant<int, std::string>> either(3);  // expected-error: `std::variant<int, std::basic_string<char>>` holds more than plain values [SAP020] // expected-note: or include <stradsap/cereal.hpp> and <cereal/types/variant.hpp>
  dvector<none> nones(3);
}
