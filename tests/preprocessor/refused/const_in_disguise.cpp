// Changes behind const without a call or a cast in sight: in destructors, constructors and callbacks, by unions and bytes.
#include <any>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct View {
  const int* at;
};
struct Raw {
  int* at;
};
struct Ended {
  const int* at;
  ~Ended() { ++*const_cast<int*>(at); }  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
};
struct Stepping {
  const int* at;
  void step() { ++*const_cast<int*>(at); }  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
};
struct Outer {
  Stepping inner;
  ~Outer() { inner.step(); }
};
struct Copied {
  const int* at;
  explicit Copied(const int* first) : at(first) {}
  Copied(const Copied& other) : at(other.at) { ++*const_cast<int*>(at); }  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
};
struct Moved {
  const int* at;
  explicit Moved(const int* first) : at(first) {}
  Moved(Moved&& other) noexcept : at(other.at) { ++*const_cast<int*>(at); }  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
};
struct Less {
  bool operator()(const View& a, const View& b) const { return ++*const_cast<int*>(a.at), a.at < b.at; }  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
};
struct Keeper {
  const int* at;
  void run() const {
    const auto step = [this] { ++*const_cast<int*>(at); };  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
    step();
  }
};
struct Shape {
  virtual int area(const int* side) const = 0;
};
struct Square : Shape {
  int area(const int* side) const override { return ++*const_cast<int*>(side); }  // expected-error: this changes an object through const, and no text shows which one: code out of sight passes it [SAP078]
};
static int step(const View& view) { return ++*const_cast<int*>(view.at); }  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
static int by_value(Copied one) { return *one.at; }

int* part_of(const std::vector<int>& all);
static int compare(const void* a, const void* b) { return *static_cast<const int*>(a) - *static_cast<const int*>(b); }

union Either {
  const int* read;
  int* written;
};

int main() {
  stradsap::dvector<int> x(10);
  std::vector<int> plain(10);
  stradsap::async_for(10, [&](int64_t j) { const Ended e{plain.data()}; x[j] = *e.at; });
  stradsap::async_for(10, [&](int64_t j) { const Outer o{{plain.data()}}; x[j] = *o.inner.at; });
  stradsap::async_for(10, [&](int64_t j) { const Copied c(plain.data()); x[j] = by_value(c); });
  stradsap::async_for(10, [&](int64_t j) { std::vector<Moved> v; v.emplace_back(std::as_const(plain).data()); v.emplace_back(std::as_const(plain).data()); x[j] = *v[0].at; });
  stradsap::async_for(10, [&](int64_t j) { const std::set<View, Less> s{View{plain.data()}, View{plain.data()}}; x[j] = static_cast<int>(s.size()); });
  stradsap::async_for(10, [&](int64_t j) { std::any a; x[j] = *a.emplace<Keeper>(std::as_const(plain).data()).at; std::any_cast<Keeper&>(a).run(); });
  stradsap::async_for(10, [&](int64_t j) { const Square s; const Shape& shape = s; x[j] = shape.area(plain.data()); });
  stradsap::async_for(10, [&](int64_t j) { int (*f)(const View&) = &step; x[j] = f(View{plain.data()}); });
  stradsap::async_for(10, [&](int64_t j) { const std::function<int(const int*)> f = [](const int* p) { return ++*const_cast<int*>(p); }; x[j] = f(plain.data()); });  // expected-error: this changes an object through const, and no text shows which one: code out of sight passes it [SAP078]
  stradsap::async_for(10, [&](int64_t j) { try { throw static_cast<const int*>(plain.data()); } catch (const int* p) { x[j] = ++*const_cast<int*>(p); } });  // expected-error: this changes an object through const, and no text shows which one: code out of sight passes it [SAP078]
  stradsap::async_for(10, [&](int64_t j) { Either e{plain.data()}; x[j] = ++*e.written; });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&](int64_t j) { x[j] = ++*std::bit_cast<Raw>(View{plain.data()}).at; });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&](int64_t j) { View v{plain.data()}; x[j] = ++*reinterpret_cast<Raw&>(v).at; });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&](int64_t j) { View v{plain.data()}; void* p = &v; x[j] = ++**static_cast<int**>(p); });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&](int64_t j) { const View v{plain.data()}; Raw r{}; std::memcpy(&r, &v, sizeof r); x[j] = ++*r.at; });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&](int64_t j) { const auto at = std::bit_cast<std::uintptr_t>(View{plain.data()}); x[j] = ++*reinterpret_cast<int*>(at); });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&](int64_t j) { const int key = 0; x[j] = ++*static_cast<int*>(std::bsearch(&key, plain.data(), 10, sizeof key, compare)); });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
  stradsap::async_for(10, [&](int64_t j) { x[j] = ++*part_of(plain); });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010] // expected-warning: only the name of `part_of` is known
  stradsap::async_for(10, [&](int64_t j) { const auto p = std::make_shared<View>(std::as_const(plain).data()); x[j] = ++*std::reinterpret_pointer_cast<Raw>(p)->at; });  // expected-error: the body changes `plain`, which is neither a distributed container nor a reduction [SAP010]
}
