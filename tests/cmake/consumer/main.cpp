#include <cstdio>

#include "sums.hpp"

int main() {
  stradsap::dvector<Row> rows(100);
  stradsap::parallel_for(
      rows.size(), [&rows](int64_t j) { rows[j].value = static_cast<double>(j * j); },
      stradsap::consistency::async);
  std::printf("%.0f\n", sum_of(rows));
}
