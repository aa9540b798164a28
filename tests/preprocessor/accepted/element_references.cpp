// Names for elements: references to references, bindings, ternaries between elements, pointers that stay in the iteration.
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Cell {
  std::array<int, 3> left{}, right{};
  int turns = 0;
};

static void rotate(Cell& cell, int64_t j) {
  auto& [left, right, turns] = cell;
  auto& chosen = j % 2 == 0 ? left : right;
  auto& again = chosen;
  int& first = again[0];
  int* const last = &again.back();
  std::swap(first, *last);
  first += static_cast<int>(j);
  for (auto& value : chosen) value += 1;
  const auto copy = left;
  right[1] += copy[0];
  ++turns;
}

int main() {
  const int n = 500;
  stradsap::dvector<Cell> cells(n), archive(n);
  stradsap::async_for(n, [&cells, &archive](int64_t j) {
    auto& [left, right, turns] = cells[j];
    auto& chosen = j % 2 == 0 ? left : right;
    auto& again = chosen;
    int& first = again[0];
    int* const last = &again.back();
    std::swap(first, *last);
    first += static_cast<int>(j);
    for (auto& value : chosen) value += 1;
    const auto copy = left;
    right[1] += copy[0];
    ++turns;
    Cell& target = j % 3 == 0 ? archive[j] : cells[j];
    rotate(target, j);
  });
  for (int j = 0; j < n; ++j) {
    Cell cell, stored;
    rotate(cell, j);
    rotate(j % 3 == 0 ? stored : cell, j);
    const Cell &found = std::as_const(cells)[j], &kept = std::as_const(archive)[j];
    if (found.left != cell.left || found.right != cell.right || found.turns != cell.turns) return 1;
    if (kept.left != stored.left || kept.turns != stored.turns) return 2;
  }
  return 0;
}
