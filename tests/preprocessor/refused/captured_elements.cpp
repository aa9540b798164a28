// References and iterators to elements, made before the loop: they are the driver's.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Point {
  double x = 0, y = 0;
};

int main() {
  stradsap::dvector<Point> points(10);
  stradsap::dmap<int, double> table;
  table[1] = 2;
  auto& first = points[0];
  const double& y = points[1].y;
  auto found = table.find(1);
  stradsap::async_for(10, [&points, &first](int64_t j) { points[j].x = first.x; });  // expected-error: `first` refers to an element of a container, which may live on another process [SAP005]
  stradsap::async_for(10, [&points, &y](int64_t j) { points[j].x = y; });  // expected-error: `y` refers to an element of a container, which may live on another process [SAP005]
  stradsap::async_for(10, [&points, found](int64_t j) { points[j].x = found->second; });  // expected-error: `found` cannot be sent to other processes: `found` is a iterator [SAP004]
}
