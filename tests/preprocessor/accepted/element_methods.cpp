// Member functions of elements. The analysis knows their reach beyond their object, for every form of
// call. Changes to the object alone need nothing. Each loop's result is that of the sequential program.
#include <stradsap/stradsap.hpp>

#include <array>
#include <complex>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

using namespace stradsap;

template <class Derived> struct linked {
  Derived* me() { return static_cast<Derived*>(this); }
  Derived& self() { return *static_cast<Derived*>(this); }
};

struct tagged {
  int tag = 0;
  void mark(int c) { tag += c; }
};

struct cell : tagged, linked<cell> {
  int w = 0;
  float x = 0, y = 0, z = 0;
  std::array<int, 4> parts{};
  int raw[4] = {};

  void add_next(int c) { this[1].w += c; }
  void add_both(int c) {
    add_next(c);
    this->add_next(1);
  }
  cell* next() { return this + 1; }
  cell* own() { return this; }
  cell& here() { return *this; }
  cell& operator[](int k) { return this[k]; }
  cell* operator->() { return this + 1; }
  cell& operator*() { return this[2]; }
  cell& operator++() {
    this[1].w++;
    return *this;
  }
  operator cell*() { return this; }
  int operator()(int k) const { return this[k].w; }
  int behind() const { return (this + 1)->w; }
  void by_lambda(int c) {
    auto f = [this, c] { this[3].w += c; };
    f();
  }
  template <class F> void with(F f) { f(*this); }
  void both(cell& other) { (&other)[1].w += w % 2 + 1; }

  cell& plus(int c) {
    w += c;
    return *this;
  }
  cell& operator+=(const cell& other) {
    if (this == &other) return *this;
    w += other.w % 3 + 1;
    return *this;
  }
  float& at(int axis) { return (&x)[axis]; }
  float length() const { return std::accumulate(&x, &x + 3, 0.0f); }
  int* begin() { return raw; }
  int* end() { return raw + 4; }
  void rotate(int times) {
    if (times == 0) return;
    std::swap(raw[0], raw[1]);
    rotate(times - 1);
  }
  void set(int c) {
    mark(c);
    parts[1] += c;
    parts.at(2) += parts[1];
    for (int& part : parts) part += 1;
    std::for_each(std::begin(raw), std::end(raw), [&](int& r) { r += c; });
  }
};

static int failures = 0;

static constexpr int64_t n = 3000;
static constexpr int rows = 50, dim = 12;

static void check(const char* what, const dvector<cell>& m, uint64_t wanted) {
  uint64_t hash = 1;
  for (const cell& c : m) {
    hash = hash * 31 + static_cast<uint64_t>(c.w * 7 + c.tag);
    hash = hash * 31 + static_cast<uint64_t>(c.x + c.y * 3 + c.z * 5);
    for (const int part : c.parts) hash = hash * 31 + static_cast<uint64_t>(part);
    for (const int part : c.raw) hash = hash * 31 + static_cast<uint64_t>(part);
  }
  if (hash == wanted) return;
  std::printf("%s: 0x%016llx\n", what, static_cast<unsigned long long>(hash));
  ++failures;
}

static std::vector<int> picked(int step) {
  std::vector<int> all(n);
  for (int64_t j = 0; j < n; ++j) all[j] = static_cast<int>(j * step % rows);
  return all;
}

static void neighbours() {
  const std::vector<int> pick = picked(7919);
  dvector<cell> m(rows * dim);
  parallel_for(n, [&pick, &m](int64_t j) { m[pick[j] * dim].add_next(static_cast<int>(j)); }, consistency::async);
  check("this[1]", m, 0xe1986c7a54805da5);
  parallel_for(n, [&pick, &m](int64_t j) {
    m[pick[j] * dim].add_both(2);
    m[pick[j] * dim + 3].by_lambda(1);
  }, consistency::async);
  check("through a function and a lambda", m, 0x0b2ab3923f95e785);
  parallel_for(n, [&pick, &m](int64_t j) {
    cell* p = &m[pick[j] * dim];
    p->add_next(1);
    p[4].add_next(2);
    (p + 7)->next()->next()->w += 3;
  }, consistency::async);
  check("through pointers", m, 0xc661b25d39eab155);
  parallel_for(n, [&pick, &m](int64_t j) {
    void (cell::*f)(int) = &cell::add_next;
    (m[pick[j] * dim].*f)(3);
    (&m[pick[j] * dim]->*f)(1);
    std::invoke(&cell::add_next, m[pick[j] * dim + 5], 1);
    std::mem_fn(&cell::add_next)(m[pick[j] * dim + 6], 1);
  }, consistency::async);
  check("pointers to members", m, 0x43977cc237786d25);
  parallel_for(n, [&pick, &m](int64_t j) {
    m[pick[j] * dim].with([](cell& c) { (&c)[2].w += 1; });
    m[pick[j] * dim + 1].both(m[pick[j] * dim + 4]);
  }, consistency::ordered);
  check("their objects passed on", m, 0x1f4d7db21ee74915);
}

static void returned() {
  const std::vector<int> pick = picked(7919);
  dvector<cell> m(rows * dim);
  parallel_for(n, [&pick, &m](int64_t j) {
    cell* p = m[pick[j] * dim].own();
    for (int k = 0; k < dim; ++k) p[k].w += k;
  }, consistency::async);
  check("return this", m, 0x75e6fea36cdbedf1);
  parallel_for(n, [&pick, &m](int64_t j) {
    cell* p = &m[pick[j] * dim].here().plus(1).here();
    for (int k = 0; k < dim; ++k) p[k].w += k;
  }, consistency::async);
  check("the address of *this", m, 0xfb5616b8ab95aad9);
  parallel_for(n, [&pick, &m](int64_t j) {
    m[pick[j] * dim].next()->next()->w += 2;
    m[pick[j] * dim].self().me()[3].w += 3;
  }, consistency::async);
  check("this + 1, and a class that is its own base's argument", m, 0x4d3d9481c97c8db1);
  parallel_for(n, [&pick, &m](int64_t j) {
    for (int k = 0; k < dim; ++k) m[pick[j] * dim][k].w += k;
    m[pick[j] * dim]->w += 1;
    (*m[pick[j] * dim]).w += 2;
    ++++m[pick[j] * dim];
    cell* p = m[pick[j] * dim];
    p[3].w += 1;
  }, consistency::async);
  check("operators", m, 0xafedf9f856352b71);
}

static void read_elsewhere() {
  dvector<cell> m(4000), sums(4000);
  parallel_for(m.size(), [&m](int64_t j) { m[j].w = static_cast<int>(j * 3 % 101); }, consistency::async);
  parallel_for(m.size() - 5, [&m, &sums](int64_t j) { sums[j].w += m[j].behind() + m[j](4); }, consistency::async);
  check("read behind elements that an aligned loop wrote", sums, 0x4155f6da0559fc60);
}

static void alone() {
  const std::vector<int> pick = picked(7919), other = picked(3571);
  dvector<cell> m(rows * dim);
  parallel_for(n, [&pick, &m](int64_t j) { m[pick[j] * dim].plus(1).plus(static_cast<int>(j)).plus(3); }, consistency::async);
  check("chains", m, 0x12e5a672dea12485);
  parallel_for(n, [&pick, &other, &m](int64_t j) { m[pick[j]] += m[other[j]]; }, consistency::ordered);
  check("operator+=", m, 0x57b22df7afe9c791);
  const int axes = static_cast<int>(pick[0]) + 3;
  parallel_for(n, [axes, &pick, &m](int64_t j) {
    for (int k = 0; k < axes; ++k) m[pick[j]].at(k) += 1;
    m[pick[j] + 1].w += static_cast<int>(m[pick[j]].length()) % 5;
  }, consistency::ordered);
  check("members side by side", m, 0x2dc5e6dca6c205f9);
  parallel_for(n, [&pick, &m](int64_t j) {
    for (int& part : m[pick[j]]) part += 2;
    m[pick[j]].rotate(3);
    m[pick[j]].set(pick[j] % 3);
    m[pick[j]].parts.fill(m[pick[j]].parts.front() % 100);
  }, consistency::ordered);
  check("members and bases", m, 0x094dc550b4bb88fd);
}

static void of_the_library() {
  const std::vector<int> pick = picked(7919);
  dvector<std::complex<double>> waves(rows);
  dvector<std::string> names(rows);
  dvector<std::vector<int>> lists(rows);
  dvector<std::array<int, 3>> points(rows);
  parallel_for(n, [&pick, &waves, &names, &lists, &points](int64_t j) {
    waves[pick[j]] += std::complex<double>(1, 2);
    waves[pick[j]].real(waves[pick[j]].real() + 1);
    names[pick[j]].append(1, 'a').push_back('b');
    names[pick[j]][0] = 'c';
    lists[pick[j]].push_back(static_cast<int>(j));
    lists[pick[j]].back() += 1;
    points[pick[j]][1] += 1;
    points[pick[j]].data()[2] += 2;
    for (int& x : points[pick[j]]) x += 1;
  }, consistency::ordered);
  const std::complex<double> wave = std::as_const(waves)[0];
  const std::array<int, 3> point = std::as_const(points)[0];
  const bool right = wave == std::complex<double>(120, 120) && std::as_const(names)[0].size() == 120 &&
                     std::as_const(lists)[0].size() == 60 && point == std::array<int, 3>{60, 120, 180};
  if (right) return;
  std::puts("elements of the library");
  ++failures;
}

int main() {
  neighbours();
  returned();
  read_elsewhere();
  alone();
  of_the_library();
  return failures;
}
