// References and iterators to elements, made before the loop: they belong to the driver.
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Point {
  double x = 0, y = 0;
};

struct Model {
  stradsap::dvector<Point> points;
  double bias = 0;
  double& first() { return points[0].x; }
  double& own() { return bias; }
};
static double& x_of(Point& of) { return of.x; }
static void total_of(stradsap::dvector<Point>& points, double& sum) {
  stradsap::async_for(10, [&points, &sum](int64_t j) { sum += points[j].x; });
}

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
  // added into only
  auto& alias = first.x;  // expected-warning: `first` was made in line 26, before a loop on `points`, which may have moved the elements since [SAP086]
  double* const at = &points[2].x;
  double& behind = *at;
  double& returned = x_of(points[0]);
  Model model;
  double& of_model = model.first();
  stradsap::async_for(10, [&points, &alias](int64_t j) { alias += j * 0 + points[j].y; });  // expected-error: `alias` refers to an element of a container, which may live on another process [SAP005]
  stradsap::async_for(10, [&points, &behind](int64_t j) { behind += points[j].y; });  // expected-error: `behind` refers to an element of a container, which may live on another process [SAP005]
  stradsap::async_for(10, [&points, &returned](int64_t j) { returned += points[j].y; });  // expected-error: `returned` refers to an element of a container, which may live on another process [SAP005]
  stradsap::async_for(10, [&points, &of_model](int64_t j) { of_model += points[j].y; });  // expected-error: `of_model` refers to an element of a container, which may live on another process [SAP005]
  for (Point& one : points) {  // expected-warning: `one` was made in line 43, before a loop on `points`, which may have moved the elements since [SAP086]
    stradsap::async_for(10, [&points, &one](int64_t j) { one.x += points[j].y; });  // expected-error: `one` refers to an element of a container, which may live on another process [SAP005]
  }

  // copies, and objects that are not elements
  const double& copy = static_cast<float>(points[0].x);
  const long& size = static_cast<long>(points.size());
  double& own = model.own();
  double sums[2] = {};
  double& sum = sums[points.size() % 2];
  stradsap::async_for(10, [&points, &copy, &size](int64_t j) { points[j].x = copy + size; });
  stradsap::async_for(10, [&points, &own, &sum](int64_t j) { own += points[j].y, sum += 1; });
  total_of(points, sum);
}
