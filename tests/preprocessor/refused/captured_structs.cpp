// Structs with containers in them, where other processes cannot do without the whole object.
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct model {
  dvector<float> P, Q;
  float rate = 1;
  static constexpr int columns = 4;
  float unseen(int64_t j) const;
  float first() const { return P[0]; }
};
struct pair_of {
  model a, b;
  dvector<float> layers[3];
};
struct referring {
  dvector<float>& P;
  int bits : 3;
  int plain = 0;
};
struct polymorphic {
  dvector<float> P;
  virtual float at(int64_t j) const { return P[j]; }
  virtual ~polymorphic() = default;
};
struct totals {
  double loss = 0;
  long count = 0;
  double mean() const { return loss / static_cast<double>(count); }
};
struct counted {
  dvector<double> x;
  totals sum;
};
struct kept {
  explicit kept(const model& m) : of(m) {}
  const model& of;
};
float elsewhere(const model& m, int64_t j);
static float here(const model& m, int64_t j) { return m.P[j] * m.rate; }
static float by_value(model m, int64_t j) { return m.P[j]; }

struct worker {
  std::unique_ptr<model> own;
  model* other = nullptr;
  dvector<float> y;
  void run() {
    async_for(10, [this](int64_t j) { y[j] = own->P[j]; });  // expected-error: `own` leads to objects with containers in them, and other processes cannot follow it [SAP076] // expected-note: `auto& one = *own;`
    async_for(10, [&](int64_t j) { y[j] = other->P[j]; });  // expected-error: `other` leads to objects with containers in them, and other processes cannot follow it [SAP076]
    auto& one = *own;
    async_for(10, [&](int64_t j) { y[j] = one.P[j]; });
  }
};
#define HIDDEN(type)                                       \
  class hidden {                                           \
   public:                                                 \
    float at(int64_t j) const { return data_[j]; }         \
                                                           \
   private:                                                \
    dvector<type> data_;                                   \
  }
HIDDEN(float);  // expected-error: the body uses `h.data_`, which is not public in `hidden`, a class inside a macro [SAP074] // expected-note: make it public, or write the loop in a member function of `hidden`
struct functor {
  const model& m;  // expected-error: `m` cannot be sent to other processes: `m.P` is a distributed container, which cannot be inside another object [SAP004]
  dvector<float>& y;
  void operator()(int64_t j) const { y[j] = m.P[j]; }
};

struct layered {
  dvector<float> weights[2];
};

int main() {
  model m, other;
  pair_of both;
  referring r{m.P, 1};
  polymorphic v;
  counted c;
  dvector<float> y(10);
  auto* pointer = &m;
  auto owned = std::make_unique<model>();
  std::vector<model> many(3);
  std::array<dvector<float>, 2> layers;
  layered net;

  async_for(10, [=](int64_t j) { (void)(m.P[j] * m.rate); });  // expected-error: `m`, which has containers among its members, is captured by value [SAP075] // expected-note: capture it by reference: `&m`
  async_for(10, [m](int64_t j) { (void)(m.P[j] * m.rate); });  // expected-error: `m`, which has containers among its members, is captured by value [SAP075]
  async_for(10, [&](int64_t j) { pointer->P[j] = 1; });  // expected-error: `pointer` leads to objects with containers in them, and other processes cannot follow it [SAP076] // expected-note: name one object before the loop, `auto& one = *pointer;`, and use that in the body
  async_for(10, [&](int64_t j) { owned->P[j] = 1; });  // expected-error: `owned` leads to objects with containers in them, and other processes cannot follow it [SAP076] // expected-note: `auto& one = *owned;`
  async_for(10, [&](int64_t j) { many[j % 3].P[j] = 1; });  // expected-error: `many` leads to objects with containers in them, and other processes cannot follow it [SAP076] // expected-note: `auto& one = many[i];`
  async_for(10, [&](int64_t j) { layers[1][j] = layers[0][j]; });  // expected-error: `layers` leads to distributed containers, and other processes cannot follow it [SAP076] // expected-note: name each container before the loop, `auto& one = layers[i];`, and use that in the body; `const auto& one`, if the loop only reads it
  async_for(10, [&](int64_t j) { net.weights[1][j] = 1; });  // expected-error: `net.weights` leads to distributed containers, and other processes cannot follow it [SAP076] // expected-note: `auto& one = net.weights[i];`
  async_for(10, [&](int64_t j) { y[j] = elsewhere(m, j); });  // expected-error: the body uses `m` as a whole, and other processes have only those of its members that the body names [SAP072]
  async_for(10, [&](int64_t j) { y[j] = m.unseen(j); });  // expected-error: the body uses `m` as a whole
  async_for(10, [&](int64_t j) { y[j] = by_value(m, j); });  // expected-error: the body uses `m` as a whole
  async_for(10, [&](int64_t j) { y[j] = kept(m).of.P[j]; });  // expected-error: the body uses `m` as a whole
  async_for(10, [&](int64_t j) { const model* at = &m; y[j] = at->P[j]; });  // expected-error: the body uses `m` as a whole
  async_for(10, [&](int64_t j) { const model copy = m; y[j] = copy.P[j]; });  // expected-error: the body uses `m` as a whole
  async_for(10, [&](int64_t j) { y[j] = (j % 2 ? m : other).P[j]; });  // expected-error: the body uses `m` as a whole // expected-error: the body uses `other` as a whole
  async_for(10, [&](int64_t j) { const auto& [P, Q, rate] = m; y[j] = P[j]; });  // expected-error: the body uses `m` as a whole
  async_for(10, [&](int64_t j) { const auto f = [m](int64_t i) { return m.P[i]; }; y[j] = f(j); });  // expected-error: the body uses `m` as a whole
  async_for(10, [&](int64_t j) { y[j] = both.layers[j % 3][j]; });  // expected-error: `both.layers` leads to distributed containers, and other processes cannot follow it [SAP076] // expected-note: `auto& one = both.layers[i];`
  async_for(10, [&](int64_t j) { y[j] = v.at(j); });  // expected-error: the body uses `v` as a whole
  async_for(10, [&](int64_t j) { y[j] = r.P[j]; });  // expected-error: the body uses `r.P`, which is a reference [SAP074] // expected-note: write `auto& P = r.P;` before the loop, and `P` in the body
  async_for(10, [&](int64_t j) { y[j] = m.P[j] + r.bits; });  // expected-error: the body uses `r.bits`, which is a bit-field [SAP074] // expected-note: write `const auto bits = r.bits;` before the loop, and `bits` in the body
  async_for(10, [&](int64_t j) { y[j] = y[m.columns]; });  // expected-error: the body uses `m` as a whole
  async_for(10, [&](int64_t j) { c.sum.loss += c.x[j] - c.sum.mean(); });  // expected-error: the reduction variable `c.sum` is also read in the body [SAP011]
  auto& loss = c.sum.loss;
  auto& sum = c.sum;
  async_for(10, [&](int64_t j) { c.sum.loss += c.x[j] - loss; });  // expected-error: the reduction variable `loss` is also read in the body [SAP011] // expected-error: the reduction variable `c.sum.loss` is also read in the body [SAP011]
  async_for(10, [&](int64_t j) { c.sum.loss += c.x[j] - sum.mean(); });  // expected-error: the reduction variable `sum` is also read in the body [SAP011]
  async_for(10, [&](int64_t j) { m.rate = y[j]; });  // expected-error: the body changes `m.rate`, which is neither a distributed container nor a reduction [SAP010]

  auto first = [&](int64_t i) { return m.P[i]; };  // expected-error: `m` cannot be sent to other processes: `m.P` is a distributed container, which cannot be inside another object [SAP004]
  async_for(10, [&](int64_t j) { y[j] = first(j); });
  async_for(10, [&one = both.a, &y](int64_t j) { y[j] = one.P[j]; });  // expected-error: `one` cannot be sent to other processes: `one.P` is a distributed container, which cannot be inside another object [SAP004]
  async_for(10, functor{m, y});
  hidden h;
  async_for(10, [&](int64_t j) { y[j] = h.at(j); });

  auto& same = m.P;
  auto& again = m;
  async_for(10, [&](int64_t j) { same[j] = m.P[j + 1]; });  // expected-error: `same` and `m.P` are one container, which the loop writes [SAP048]
  async_for(10, [&](int64_t j) { again.P[j] = m.P[j + 1]; });  // expected-error: are one container, which the loop writes [SAP048]
  async_for(10, [&, P = m.P](int64_t j) { y[j] = P[j]; });  // expected-error: container `P` is captured by value [SAP003] // expected-error: `P` cannot be sent to other processes
  async_for(10, [&](int64_t j) { y[j] = again.P[j] + m.P[j]; });
}
