// A global that a body changes in an operator new, in a cleanup, through a reference to something const.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include <stradsap/stradsap.hpp>

static int total = 0;

struct Counted {
  int v = 1;
  static void* operator new(std::size_t n) { return ++total, std::malloc(n); }  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
  static void operator delete(void* at) { std::free(at); }
};
struct Array {
  int v = 1;
  static void* operator new[](std::size_t n) { return std::malloc(n); }
  static void operator delete[](void* at) { ++total, std::free(at); }  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
};
struct Made {
  int v = 1;
  static void* operator new(std::size_t n) { return ++total, std::malloc(n); }  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
};
struct Tag {};
void* operator new(std::size_t n, Tag) { return ++total, std::malloc(n); }  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
static void count(int*) { ++total; }  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
static void put(int** at) { **at = 3; }
static const int& counter() { return total; }
static const int* address() { return &total; }

int main() {
  stradsap::dvector<int> x(10);
  stradsap::async_for(10, [&x](int64_t j) { auto* p = new Counted; x[j] = p->v; delete p; });
  stradsap::async_for(10, [&x](int64_t j) { auto* p = new Array[3]; x[j] = p->v; delete[] p; });
  stradsap::async_for(10, [&x](int64_t j) { x[j] = std::make_unique<Made>()->v; });
  stradsap::async_for(10, [&x](int64_t j) { auto* p = new (Tag{}) int(3); x[j] = *p; std::free(p); });
  stradsap::async_for(10, [&x](int64_t j) { __attribute__((cleanup(count))) int one = 1; x[j] = one; });
  stradsap::async_for(10, [&x](int64_t j) { x[j] = ++const_cast<int&>(counter()); });  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
  stradsap::async_for(10, [&x](int64_t j) { x[j] = ++*const_cast<int*>(address()); });  // expected-error: the body changes `total`, and every process has a copy of its own [SAP045]
  stradsap::async_for(10, [&x](int64_t j) { __attribute__((cleanup(put))) int* at = &x[j]; (void)at; });  // expected-error: how far this pointer to an element of `x` goes is not known: a function cleans up its variable [SAP056]
}
