// Functions among a loop's options that only read, through every kind of pointer, and change only their own
// objects.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;
using schedule::dynamic;

static const int64_t n = 32;

struct csr {
  std::vector<int> begin, index;
  std::vector<float> value;
};

struct row {
  int* index;
  float* value;
  int size;
  float at(int k) const { return value[k]; }
};

struct node {
  double value = 1;
  node* next = nullptr;
};

struct loss {
  virtual ~loss() = default;
  virtual double of(double x) const = 0;
};
struct squared : loss {
  double of(double x) const override { return x * x; }
};

struct linear {
  double slope = 1;
};
struct constant {
  double value = 1;
};
template <class... Part> struct either : Part... {
  using Part::operator()...;
};

struct model {
  dvector<double> x, target;
  std::variant<linear, constant> kind;
  csr rows;
  std::vector<double> weights;
  node* first = nullptr;
  double scale(int64_t j) const { return weights[static_cast<std::size_t>(j)]; }
  double weight(int64_t j) { return weights[static_cast<std::size_t>(j)]; }
  double& slot(int64_t j) { return weights[static_cast<std::size_t>(j)]; }
};

// Columns as pointers, which the functor only reads.
struct columns {
  int* begin;
  int* index;
  float* value;
  model* of;
  row column(int64_t j) const {
    const int first = begin[j];
    return {index + first, value + first, begin[j + 1] - first};
  }
  double operator()(int64_t a, int64_t b) const {
    const row one = column(a), other = column(b);
    double sum = 0;
    for (int k = 0; k < one.size; ++k) {
      for (int l = 0; l < other.size; ++l)
        if (one.index[k] == other.index[l]) sum += one.at(k) * other.value[l];
    }
    return sum * of->scale(a) * of->weights[static_cast<std::size_t>(b)];
  }
};

struct distance {
  const model* of;
  std::shared_ptr<const std::vector<double>> shared;
  double operator()(int64_t j) const {
    return std::abs(of->x[j] - of->target[j]) * shared->at(static_cast<std::size_t>(j));
  }
};

// Sums in an object of its own.
struct mean {
  double sum = 0;
  int count = 0;
  std::vector<double>* kept = nullptr;
  void add(double x) {
    sum += x;
    ++count;
    if (kept != nullptr) kept->push_back(x);
  }
  double value() const { return count == 0 ? 0 : sum / count; }
};

struct window {
  double* at;
  int size;
  double& operator[](int k) const { return at[k]; }
};

static double sum_of(double* first, int size) { return std::accumulate(first, first + size, 0.0); }
static void fill(double* first, int size, double with) { std::fill(first, first + size, with); }
static double kernel(std::span<const float> a, std::span<const float> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

struct trainer {
  std::unique_ptr<model> m = std::make_unique<model>();
  std::shared_ptr<double> step = std::make_shared<double>(0.5);
  double gap(int64_t j) const { return *step * std::abs(m->x[j] - m->target[j]) * m->weight(j); }
  model* get() const { return m.get(); }
  template <class Schedule> void solve(Schedule how) {
    auto& x = m->x;
    auto& target = m->target;
    for (int64_t j = 0; j < n; ++j) x[j] = 0;
    parallel_for(n, [&x, &target](int64_t j) { x[j] += 0.5 * (target[j] - x[j]); }, consistency::approximate,
                 how.passes(400).until(1e-6));
  }
};

static int wrong = 0;

static void check(const char* what, const trainer& t) {
  double sum = 0;
  for (int64_t j = 0; j < n; ++j) sum += std::abs(std::as_const(t.m->x)[j] - std::as_const(t.m->target)[j]);
  if (sum < 1e-3) return;
  std::printf("%s: off by %g\n", what, sum);
  ++wrong;
}

static void by_pointers(trainer& t) {
  model* raw = t.m.get();
  const auto shared = std::make_shared<std::vector<double>>(std::size_t{n}, 1.0);
  const std::vector<model*> models{raw};
  const std::tuple<model&, int> both(*raw, 1);
  const std::reference_wrapper<model> wrapped(*raw);
  t.solve(dynamic().priority(distance{raw, shared}));
  check("a const model", t);
  t.solve(dynamic().priority([raw, shared](int64_t j) {
    double sum = 0;
    for (node* at = raw->first; at != nullptr; at = at->next) sum += at->value;
    const auto s = static_cast<std::size_t>(j);
    return std::abs(raw->x[j] - raw->target[j]) * (*shared)[s] * sum * raw->slot(j) / raw->weight(j);
  }));
  check("a raw model", t);
  t.solve(dynamic().priority([&](int64_t j) {
    model* m = models[0];
    auto& [first, count] = both;
    const double* weights = m->weights.data();
    return std::abs(first.x[j] - wrapped.get().target[j]) * weights[j] * count;
  }));
  check("pointers in containers", t);
  t.solve(dynamic().priority([&t](int64_t j) { return t.gap(j) + std::invoke(&trainer::gap, t, j); }));
  check("std::invoke", t);
  t.solve(dynamic().priority([&t](int64_t j) {
    const model* m = t.get();
    return std::abs(t.get()->x[j] - m->target[j]);
  }));
  check("a pointer that a function returns", t);
}

static void by_views(trainer& t) {
  std::vector<double> outer(4, 1.0);
  t.solve(dynamic().priority([&t, &outer](int64_t j) {
    std::span<double> all(outer);
    std::span<double> weights(t.m->weights);
    double sum = 0;
    for (const double x : all.first(2)) sum += x;
    return std::abs(t.m->x[j] - t.m->target[j]) * sum * weights[static_cast<std::size_t>(j)];
  }));
  check("spans", t);
  t.solve(dynamic().priority([&t, &outer](int64_t j) {
    const auto [least, most] = std::minmax_element(outer.begin(), outer.end());
    const auto ends = std::minmax_element(outer.begin(), outer.end());
    return std::abs(t.m->x[j] - t.m->target[j]) * (*least + *most + *ends.first);
  }));
  check("bindings", t);
  t.solve(dynamic().priority([&t](int64_t j) {
    const double slope = std::visit([](const auto& one) { return sizeof one + 1.0; }, t.m->kind);
    const either value{[](const linear& one) { return one.slope; }, [](constant one) { return one.value; }};
    return std::abs(t.m->x[j] - t.m->target[j]) * slope * std::visit(value, t.m->kind);
  }));
  check("variants", t);
}

static void by_own_objects(trainer& t) {
  std::vector<double> outer(4, 1.0);
  const std::unique_ptr<const loss> measure = std::make_unique<squared>();
  t.solve(dynamic().priority([&t, &outer](int64_t j) {
    mean all;
    std::vector<double> kept;
    all.kept = &kept;
    for (const double x : outer) all.add(x);
    double buffer[4];
    fill(buffer, 4, all.value());
    window w{buffer, 4};
    w[1] += 1;
    const auto scratch = std::make_unique<double[]>(4);
    scratch[0] = sum_of(buffer, 4) + sum_of(outer.data(), 4);
    std::list<node> chain(2);
    chain.front().next = &chain.back();
    chain.front().next->value = 2;
    std::optional<double*> place(&buffer[2]);
    **place = 3;
    return std::abs(t.m->x[j] - t.m->target[j]) * scratch[0] * chain.back().value * **place * w[1];
  }));
  check("objects of its own", t);
  t.solve(dynamic().priority([&t, &measure](auto j) { return measure->of(t.m->x[j] - t.m->target[j]); }));
  check("a virtual function", t);
}

int main() {
  trainer t;
  model& m = *t.m;
  m.x = dvector<double>(n);
  m.target = dvector<double>(n);
  m.weights.assign(n, 1.0);
  node last{2, nullptr}, first{1, &last};
  m.first = &first;
  for (int j = 0; j < n; ++j) {
    m.target[j] = 1 + j % 5;
    m.rows.begin.push_back(2 * j);
    m.rows.index.insert(m.rows.index.end(), {j, (j + 1) % static_cast<int>(n)});
    m.rows.value.insert(m.rows.value.end(), {1.0f, 0.5f});
  }
  m.rows.begin.push_back(2 * static_cast<int>(n));
  by_pointers(t);
  by_views(t);
  by_own_objects(t);
  t.solve(dynamic().set_size(4).depends(
      columns{m.rows.begin.data(), m.rows.index.data(), m.rows.value.data(), &m}, 0.1));
  check("columns", t);
  t.solve(dynamic().set_size(4).depends([&m](int64_t a, int64_t b) {
    const std::span<const float> value(m.rows.value);
    const auto s = [](int64_t j) { return static_cast<std::size_t>(j); };
    return a == b ? kernel(value.subspan(s(2 * a), 2), value.subspan(s(2 * b), 2)) : 0.0;
  }, 0.1));
  check("a kernel", t);
  std::printf(wrong == 0 ? "ok\n" : "wrong\n");
  return wrong;
}
