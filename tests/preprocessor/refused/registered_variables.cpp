// Checkpoints save the values of registered variables, so no address may be among them.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

struct progress {
  const char* phase = "begin";  // expected-note: register only the values that the loop goes on with
  int epoch = 0;
};

struct history {
  std::vector<std::string> lines;
  std::unique_ptr<double> last;
};

struct nested {
  int epoch = 0;
  history past;
};

union word {
  int number;
  float fraction;
};

struct base {
  virtual ~base() = default;
  int epoch = 0;
};

template <class Value> static void solve(Value start) {
  Value value = start;
  const auto run = resumable(value);  // expected-error: `value` cannot be saved in a checkpoint: `value` is a raw pointer [SAP083]
  run.save_point();
}

struct net {
  dvector<float> weights;  // expected-note: register only the values that the loop goes on with: containers are saved by themselves
  float rate = 0;
};

int main() {
  int epoch = 0;
  net layers;
  progress at;
  nested more;
  word union_value{0};
  base with_virtual;
  std::function<int()> next = [] { return 1; };
  dvector<float> x(10);
  int* first = &epoch;
  std::vector<const char*> names;
  const auto run = resumable(epoch, at);  // expected-error: `at` cannot be saved in a checkpoint: `at.phase` is a raw pointer [SAP083]
  (void)resumable(more);  // expected-error: `more` cannot be saved in a checkpoint: `more.past.last` is a std::unique_ptr<double> [SAP083]
  (void)resumable(union_value);  // expected-error: `union_value` cannot be saved in a checkpoint: `union_value` is a union [SAP083]
  (void)resumable(with_virtual, next);  // expected-error: `with_virtual` cannot be saved in a checkpoint: `with_virtual` has virtual functions or bases [SAP083] // expected-error: `next` cannot be saved in a checkpoint: [SAP083]
  (void)resumable(x);  // expected-error: `x` cannot be saved in a checkpoint: `x` is a distributed container, which needs no registration [SAP083]
  (void)resumable(layers.rate, layers);  // expected-error: `layers` cannot be saved in a checkpoint: `layers.weights` is a distributed container, which needs no registration [SAP083]
  (void)resumable(first);  // expected-error: `first` cannot be saved in a checkpoint: `first` is a raw pointer [SAP083]
  (void)resumable(names);  // expected-error: `names` cannot be saved in a checkpoint: `names` is a raw pointer [SAP083]
  solve(1.0);
  solve(&epoch);
  run.save_point();
}
