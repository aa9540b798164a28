// Errors name the full path to a member that cannot be sent: through classes, bases, templates, library containers.
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Leaf {
  const char* name;
};
struct Branch {
  std::vector<std::optional<Leaf>> leaves;
};
template <class T>
struct Tree : T {
  std::map<int, std::tuple<int, T>> children;
};
struct Words {
  std::vector<std::string_view> list;
};

int main() {
  stradsap::dvector<Branch> a(10);  // expected-error: elements of `a` cannot be sent to other processes: `Branch.leaves.name` is a raw pointer [SAP020]
  stradsap::dvector<Tree<Branch>> b(10);  // expected-error: elements of `b` cannot be sent to other processes: `Tree<Branch>.leaves.name` is a raw pointer [SAP020]
  stradsap::dmap<int, std::vector<Words>> c;  // expected-error: elements of `c` cannot be sent to other processes: `std::vector<Words>.list` is a std::basic_string_view<char> [SAP020]
  stradsap::dmap<std::string_view, int> d;  // expected-error: elements of `d` cannot be sent to other processes: `std::basic_string_view<char>` holds more than plain values [SAP020]
  stradsap::dvector<std::vector<int*>> e(10);  // expected-error: elements of `e` cannot be sent to other processes: `std::vector<int *>` is a raw pointer [SAP020]
}
