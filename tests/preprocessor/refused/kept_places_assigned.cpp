// Places that are kept across loops behind functions that are assigned or visited, and in static variables.
#include <functional>
#include <variant>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

static void pass(dvector<double>& x) {
  async_for(x.size(), [&x](int64_t j) { x[j] += 1; });
}

struct runner {
  dvector<double>& x;
  std::function<void()> run;
  void bind() {
    run = [this] { pass(x); };
  }
};
template <class... Part> struct overloaded : Part... {
  using Part::operator()...;
};
template <class... Part> overloaded(Part...) -> overloaded<Part...>;

static void assigned_functions(dvector<double>& x) {
  std::function<void()> add;
  void (*add_to)(dvector<double>&) = nullptr;
  double* p = x.data();
  add = [&] { pass(x); };
  add();
  p[0] = 1;  // expected-warning: `p` was made in line 29, before a loop on `x`, which may have moved the elements since [SAP086]
  double* q = x.data();
  add_to = pass;
  add_to(x);
  q[0] = 1;  // expected-warning: `q` was made in line 33, before a loop on `x`, which may have moved the elements since [SAP086]
}

static void visited_functions(dvector<double>& x, const std::variant<int, double>& how) {
  double* p = x.data();
  std::visit(overloaded{[&](int) { pass(x); }, [](double) {}}, how);
  p[0] = 1;  // expected-warning: `p` was made in line 40, before a loop on `x`, which may have moved the elements since [SAP086]
  double* q = x.data();
  std::visit([&](auto) { pass(x); }, how);
  q[0] = 1;  // expected-warning: `q` was made in line 43, before a loop on `x`, which may have moved the elements since [SAP086]
}

// a static variable keeps its place from call to call, and from round to round
static void first_time(dvector<double>& x) {
  static double* first = x.data();
  first[0] = 1;  // expected-warning: `first` was made in line 50, before a loop on `x`, which may have moved the elements since [SAP086]
  pass(x);
}
static void rounds(dvector<double>& x) {
  for (int round = 0; round < 3; ++round) {
    static const double& kept = x[0];
    x[1] = kept;  // expected-warning: `kept` was made in line 56, before a loop on `x`, which may have moved the elements since [SAP086]
    pass(x);
  }
}
static void behind_the_loop(dvector<double>& x) {
  pass(x);
  static double* late = x.data();
  late[0] = 1;
}
static void without_a_loop(dvector<double>& x) {
  static double* only = x.data();
  only[0] = 1;
}

int main() {
  dvector<double> x(8), y(8), z(8);
  assigned_functions(x);
  visited_functions(x, {});
  for (int epoch = 0; epoch < 3; ++epoch) first_time(x);
  rounds(x);
  behind_the_loop(y);
  without_a_loop(z);
  without_a_loop(z);
  pass(z);
  runner one{x, {}};
  one.bind();
  one.run();
}
