// CCD++: one column of the factors after the other; users are solved from items and items from users.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Cell {
  int other;
  double value;
};
using Cells = std::vector<Cell>;

template <class Other>
static double solve(const Cells& cells, const Other& other, double lambda) {
  double above = 0, below = lambda;
  for (const Cell& c : cells) {
    above += c.value * other[c.other];
    below += other[c.other] * other[c.other];
  }
  return above / below;
}

int main() {
  const int users = 200, items = 80;
  const double lambda = 0.1;
  std::vector<Cells> rows(users), columns(items);
  for (int u = 0; u < users; ++u) {
    for (int k = 0; k < 6; ++k) {
      const int i = (u * 13 + k * k * 5) % items;
      const double value = (1 + u % 3) * (1 + i % 4);
      rows[u].push_back({i, value});
      columns[i].push_back({u, value});
    }
  }
  const stradsap::dvector<Cells> by_user(rows.begin(), rows.end()), by_item(columns.begin(), columns.end());
  stradsap::dvector<double> u_factor(users, 1.0), v_factor(items, 1.0);
  std::vector<double> u_wanted(users, 1.0), v_wanted(items, 1.0);
  for (int round = 0; round < 5; ++round) {
    stradsap::parallel_for("users", users, [&](int64_t u) { u_factor[u] = solve(by_user[u], v_factor, lambda); },
                           stradsap::consistency::async);
    stradsap::parallel_for("items", items, [&](int64_t i) { v_factor[i] = solve(by_item[i], u_factor, lambda); },
                           stradsap::consistency::async);
    for (int u = 0; u < users; ++u) u_wanted[u] = solve(rows[u], v_wanted, lambda);
    for (int i = 0; i < items; ++i) v_wanted[i] = solve(columns[i], u_wanted, lambda);
  }
  for (int i = 0; i < items; ++i) {
    if (std::as_const(v_factor)[i] != v_wanted[i]) return 1;
  }
  return 0;
}
