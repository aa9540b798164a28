// Pointers as captures, in captured objects, in elements, as the rows of a matrix in the style of C.
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Matrix {
  double** rows;
  int n;
};
struct Node {
  int value;
  Node* next;
};

int main() {
  stradsap::dvector<double> x(10);
  std::vector<double> values(10);
  double* p = values.data();
  const double* const limit = p + 10;
  double* row = values.data();
  Matrix matrix{&row, 1};
  std::vector<Node> list(3);
  auto owned = std::make_unique<double[]>(10);
  auto shared = std::make_shared<std::vector<int>>(10);
  auto it = values.begin();
  stradsap::async_for(10, [&x, p](int64_t j) { x[j] = p[j]; });  // expected-error: `p` is a raw pointer, which means nothing in another process [SAP001] // expected-note: capture the object itself: a value, a std::vector, or a distributed container by reference; here `values`, and make the pointer in the body: `auto* p = values.data();`
  auto* const all = &x;
  stradsap::async_for(10, [all](int64_t j) { (*all)[j] = 1; });  // expected-error: `all` is a raw pointer, which means nothing in another process [SAP001] // expected-note: capture the object itself: a value, a std::vector, or a distributed container by reference; here `x`, and use it without the pointer
  stradsap::async_for(10, [&](int64_t j) { x[j] = *(limit - 1 - j); });  // expected-error: `limit` is a raw pointer, which means nothing in another process [SAP001]
  stradsap::async_for(10, [=, &x](int64_t j) { x[j] = matrix.rows[0][j]; });  // expected-error: `matrix` cannot be sent to other processes: `matrix.rows` is a raw pointer [SAP004]
  stradsap::async_for(10, [&x, &list](int64_t j) { x[j] = list[0].value; });  // expected-error: `list` cannot be sent to other processes: `list.next` is a raw pointer [SAP004]
  stradsap::async_for(10, [&x, &owned](int64_t j) { x[j] = owned[j]; });  // expected-error: `owned` cannot be sent to other processes: `owned` is a __detail::__unique_ptr_array_t<double[]> [SAP004]
  stradsap::async_for(10, [&x, shared](int64_t j) { x[j] = (*shared)[j]; });  // expected-error: `shared` cannot be sent to other processes: `shared` is a std::shared_ptr<std::vector<int>> [SAP004] // expected-note: write `const auto& one = *shared;` before the loop, and use that in the body
  stradsap::async_for(10, [&x, it](int64_t j) { x[j] = it[j]; });  // expected-error: `it` of type iterator refers to memory of one process [SAP047]

  // Pointers that are exchanged from pass to pass: the object of their first value would be wrong.
  stradsap::dvector<double> y(10);
  double* next = &y[0];
  stradsap::dvector<double>*from = &x, *to = &y;
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::async_for(10, [next, &x](int64_t j) { next[j] = x[j]; });  // expected-error: `next` is a raw pointer, which means nothing in another process [SAP001] // expected-note: capture the object itself: a value, a std::vector, or a distributed container by reference; here `next` changes, so exchange the containers instead, as in `std::swap(y, other)`, and make the pointer in the body: `auto* next = &y[0];`
    stradsap::async_for(10, [=](int64_t j) { (*to)[j] = 1; });  // expected-error: `to` is a raw pointer, which means nothing in another process [SAP001] // expected-note: capture the object itself: a value, a std::vector, or a distributed container by reference: write `auto& one = *to;` before the loop, capture `&one`, and use that in the body
    std::swap(next, row);
    std::swap(from, to);
  }
}
