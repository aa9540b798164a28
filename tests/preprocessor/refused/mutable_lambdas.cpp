// State that a lambda keeps from one iteration to the next.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

int main() {
  stradsap::dvector<int> x(10);
  stradsap::async_for(10, [&x, count = 0](int64_t j) mutable { x[j] = ++count; });  // expected-error: the body of a loop cannot be `mutable`: its state would be one copy for each thread [SAP031]
  stradsap::async_for(10, [&x, seen = std::vector<int>()](int64_t j) mutable {  // expected-error: the body of a loop cannot be `mutable`: its state would be one copy for each thread [SAP031]
    seen.push_back(static_cast<int>(j));
    x[j] = static_cast<int>(seen.size());
  });
  int step = 1;
  auto walk = [&x, step](int64_t j) mutable {  // expected-error: the body of a loop cannot be `mutable`: its state would be one copy for each thread [SAP031]
    x[j] = step;
    step *= 2;
  };
  stradsap::async_for(10, walk);
}
