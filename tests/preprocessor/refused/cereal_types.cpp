// Types that cereal cannot encode as the program stands, or that must not travel although it can.
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <variant>

#include <stradsap/cereal.hpp>

#include <cereal/types/memory.hpp>
#include <cereal/types/variant.hpp>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct node {
  node* next = nullptr;
};
int main() {
  dvector<std::variant<int, std::string>> fine(3);
  dvector<std::variant<int, node>> pointers(3);  // expected-error: is a raw pointer [SAP020]
  dvector<std::deque<int>> queues(3);  // expected-error: holds more than plain values [SAP020]
  dvector<std::shared_ptr<int>> shared(3);  // expected-error: holds more than plain values [SAP020]
  std::deque<int> queue;
  async_for(3, [queue](int64_t) { (void)queue; });  // expected-error: `queue` cannot be sent to other processes [SAP004]
}
