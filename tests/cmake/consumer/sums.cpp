#include "sums.hpp"

double sum_of(stradsap::dvector<Row>& rows) {
  double sum = 0;
  stradsap::parallel_for(
      rows.size(), [&rows, &sum](int64_t j) { sum += rows[j].value; }, stradsap::consistency::async);
  return sum;
}
