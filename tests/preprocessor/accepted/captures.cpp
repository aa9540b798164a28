// Every way to capture: explicit, implicit, with initialisers, constants, structured bindings, arrays, text.
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;
using stradsap::parallel_for;
namespace consistency = stradsap::consistency;

enum class kind { warm, cold };

static const double factor = 2;
double offset_global = 1;

static bool is_right(const dvector<double>& D) {
  long wrong = 0;
  for (int j = 0; j < 10; ++j) wrong += D[j] != (15 + 2 * (j % 3)) * (15 + 2 * (j % 3)) + 3;
  return wrong == 0;
}

int main() {
  dvector<double> D(10);
  const int n = 10;
  constexpr int width = 3;
  double rate = 0.5;
  std::string name = "rate";
  const std::vector<double> table{1, 2, 3};
  double weights[3] = {1, 2, 3};
  auto [low, high] = std::pair<double, double>(1, 2);
  kind temperature = kind::warm;
  const auto square = [](double x) { return x * x; };
  double total = 0;
  long count = 0;

  parallel_for(n, [=, &D](int64_t j) { D[j] += rate; }, consistency::async);
  parallel_for(n, [&](int64_t j) { D[j] += rate * width; total += 1; }, consistency::async);
  parallel_for(n, [&D, width](int64_t j) {
    std::array<double, width> local{};
    D[j] += static_cast<double>(local.size());
  }, consistency::async);
  parallel_for(n, [&D, scaled = rate * factor, &text = name](int64_t j) { D[j] += scaled + static_cast<double>(text.size()); }, consistency::async);
  parallel_for(n, [&D, &table, weights, low, &high](int64_t j) { D[j] += table[j % 3] + weights[j % 3] + low + high; }, consistency::async);
  parallel_for(n, [&D, temperature, &square](int64_t j) { if (temperature == kind::warm) D[j] = square(D[j]); }, consistency::async);
  parallel_for(n, [&count, &total, offset = offset_global](int64_t j) {
    if (j % 2 == 0) ++count;
    total -= offset;
  }, consistency::async);
  parallel_for(n, [&D](auto j) { D[j] += 1; }, consistency::async);
  parallel_for("labelled", n, [&D](int j) { D[j] += 1; }, consistency::sync(4));
  stradsap::async_for(n, [&D](int64_t j) { D[j] += 1; });
  stradsap::sync_for(n, 5, [&D](std::size_t j) { D[j] += 1; });
  auto body = [&D, rate](int64_t j) { D[j] -= rate; };
  parallel_for(n, body, consistency::ordered);
  parallel_for(n, body, consistency::async);
  return !is_right(D) ? 1 : count != 5 ? 2 : total != 0 ? 3 : 0;
}
