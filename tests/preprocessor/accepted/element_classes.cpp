// Elements with private members, bases, nested classes, in unnamed and inner namespaces, local to a function.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

namespace lab {
namespace {
class Sensor {
 public:
  void observe(double x) {
    history_.push_back(x);
    state_.last = x;
    ++state_.seen;
  }
  double last() const { return state_.last; }
  size_t seen() const { return static_cast<size_t>(state_.seen); }
  size_t kept() const { return history_.size(); }

 private:
  struct State {
    double last = 0;
    int seen = 0;
  };
  State state_;
  std::vector<double> history_;
};
}  // namespace

struct Named {
  std::string name = "none";
};
struct Counted {
  int count = 0;
};
template <class Inner>
struct Device : Named, Counted {
  Inner inner;
  void touch() { ++count; }
  int touched() const { return count; }
};
}  // namespace lab

int main() {
  using Device = lab::Device<lab::Sensor>;
  struct Reading {
    int device;
    double value;
  };
  const int n = 800;
  std::vector<Reading> raw(n);
  for (int j = 0; j < n; ++j) raw[j] = {j * 7 % 20, j * 0.5};
  stradsap::dvector<Reading> readings(raw.begin(), raw.end());
  stradsap::dvector<Device> devices(20);
  stradsap::parallel_for(n, [&readings, &devices](int64_t j) {
    Device& d = devices[readings[j].device];
    d.inner.observe(readings[j].value);
    d.touch();
    if (d.touched() == 1) d.name = "device " + std::to_string(readings[j].device);
  }, stradsap::consistency::ordered);

  std::vector<Device> expected(20);
  for (const Reading& r : raw) {
    expected[r.device].inner.observe(r.value);
    expected[r.device].touch();
  }
  for (int i = 0; i < 20; ++i) {
    const Device& found = std::as_const(devices)[i];
    if (found.touched() != expected[i].touched() || found.inner.last() != expected[i].inner.last()) return 1;
    if (found.inner.kept() != found.inner.seen() || found.name != "device " + std::to_string(i)) return 2;
  }
  return 0;
}
