// Types that cereal cannot encode as the program stands, or that must not travel although it can.
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <stradsap/cereal.hpp>

#include <cereal/types/memory.hpp>
#include <cereal/types/variant.hpp>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct node {
  node* next = nullptr;
};
// owns memory, which const member functions give out
class table {
 public:
  table() : numbers_(new double[3]()) {}
  table(const table& other) : table() { for (int k = 0; k < 3; ++k) at(k) = other.at(k); }
  table& operator=(const table& other) {
    for (int k = 0; k < 3; ++k) at(k) = other.at(k);
    return *this;
  }
  ~table() { delete[] numbers_; }
  double& at(int k) const { return numbers_[k]; }
  double get(int k) const { return numbers_[k]; }
  void clear() const { numbers_[0] = 0; }
  template <class Archive> void serialize(Archive& archive) { archive(at(0), at(1), at(2)); }

 private:
  double* numbers_;
};

static table shared_table;

static void keeps_memory(dvector<double>& sums) {
  const table one;
  std::vector<table> many(3);
  dvector<table> tables(3);
  async_for(3, [&](int64_t j) { sums[j] = one.get(1) + one.at(2) + many[j].at(0); });
  async_for(3, [&](int64_t j) { one.at(0) += sums[j]; });  // expected-error: the body changes `one`, or may change it, and every process has a copy of its own [SAP016]
  async_for(3, [&](int64_t j) { one.clear(), sums[j] = 1; });  // expected-error: the body changes `one`, or may change it, and every process has a copy of its own [SAP016]
  async_for(3, [&](int64_t j) { for (const table& each : many) each.at(0) = sums[j]; });  // expected-error: the body changes `many`, or may change it, and every process has a copy of its own [SAP016]
  async_for(3, [&](int64_t j) { shared_table.at(1) = sums[j]; });  // expected-error: the body changes `shared_table`, and every process has a copy of its own [SAP045]
  async_for(3, [&](int64_t j) { sums[j] = std::as_const(tables)[2 - j].get(0) + shared_table.get(1); });
  async_for(3, [&](int64_t j) { std::as_const(tables)[2 - j].at(0) = sums[j]; });  // expected-error: this use of the container `tables` is not understood [SAP051]
}

int main() {
  dvector<std::variant<int, std::string>> fine(3);
  dvector<std::variant<int, node>> pointers(3);  // expected-error: is a raw pointer [SAP020]
  dvector<std::deque<int>> queues(3);  // expected-error: holds more than plain values [SAP020]
  dvector<std::shared_ptr<int>> shared(3);  // expected-error: holds more than plain values [SAP020]
  std::deque<int> queue;
  dvector<double> sums(3);
  keeps_memory(sums);
  async_for(3, [queue](int64_t) { (void)queue; });  // expected-error: `queue` cannot be sent to other processes [SAP004]
}
