// References to elements inside objects: tuples of references, std::ref, structs,
// parameters of lambdas that the library calls. The analysis knows the reach of an address
// taken through such a reference. Each loop's result is that of the sequential program.
#include <stradsap/stradsap.hpp>

#include <cstdio>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

using namespace stradsap;

struct view {
  int& first;
  int k = 1;
};

class cursor {
 public:
  explicit cursor(int& first) : first_(first) {}
  int* begin() { return &first_; }
  void add(int c) { first_ += c; }

 private:
  int& first_;
};

static int failures = 0;

static constexpr int64_t n = 3000;
static constexpr int rows = 50;

static void check(const char* what, const dvector<int>& m, uint64_t wanted) {
  uint64_t hash = 1;
  for (const int x : m) hash = hash * 31 + static_cast<uint64_t>(x);
  if (hash == wanted) return;
  std::printf("%s: 0x%016llx\n", what, static_cast<unsigned long long>(hash));
  ++failures;
}

static std::pair<int, int> both(int64_t j) { return {static_cast<int>(j), static_cast<int>(j) / 2}; }

static std::vector<int> picked() {
  std::vector<int> all(n);
  for (int64_t j = 0; j < n; ++j) all[j] = static_cast<int>(j * 7919 % rows);
  return all;
}

static void addresses(int dim) {
  const std::vector<int> pick = picked();
  dvector<int> m(rows * dim);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    auto t = std::tie(m[pick[j] * dim], m[pick[j] * dim + 3]);
    int* p = &std::get<0>(t);
    for (int k = 0; k < dim; ++k) p[k] += k;
    std::get<1>(t) += 2;
  }, consistency::async);
  check("std::tie", m, 0xb8ab5ce8a0fa42c1);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    view v{m[pick[j] * dim]};
    int* p = &v.first;
    for (int k = 0; k < dim; ++k) p[k] += k * v.k;
  }, consistency::async);
  check("a struct", m, 0x569915b94d56ed11);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    auto r = std::ref(m[pick[j] * dim]);
    int* p = &r.get();
    for (int k = 0; k < dim; ++k) p[k] += k;
    int& same = r;
    (&same)[1] += 3;
  }, consistency::async);
  check("std::ref", m, 0xa2291d0bbe280a89);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    cursor c(m[pick[j] * dim]);
    for (int k = 0; k < 5; ++k) c.begin()[2] += k;
    c.add(4);
  }, consistency::async);
  check("a class", m, 0x76222a8688a9bc79);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    auto [x, y] = std::tie(m[pick[j] * dim], m[pick[j] * dim + 1]);
    x += 1;
    (&y)[3] += 1;
    std::pair<int&, int&> p(m[pick[j] * dim + 6], m[pick[j] * dim + 7]);
    p.first += 1;
    p.second += 2;
  }, consistency::async);
  check("parts of a tuple", m, 0xd02624192271f3c1);
  parallel_for(n, [dim, &pick, &m](int64_t j) {
    std::apply([](auto&... x) { ((&x)[2]++, ...); }, std::tie(m[pick[j] * dim], m[pick[j] * dim + 4]));
    std::invoke([](int& x) { (&x)[7]++; }, m[pick[j] * dim]);
  }, consistency::async);
  check("parameters of lambdas", m, 0xec4c9594b6fad809);
}

static void read_elsewhere() {
  dvector<int> m(4000), sums(4000);
  parallel_for(m.size(), [&m](int64_t j) { m[j] = static_cast<int>(j * 3 % 101); }, consistency::async);
  parallel_for(m.size() - 5, [&m, &sums](int64_t j) {
    struct {
      const int& r;
    } s{m[j]};
    sums[j] += (&s.r)[2] + (&std::cref(m[j]).get())[1];
  }, consistency::async);
  check("read behind elements that an aligned loop wrote", sums, 0x63e3565dc0e95b18);
}

static void values() {
  const std::vector<int> pick = picked();
  dvector<int> m(rows), q(rows);
  parallel_for(n, [&pick, &m, &q](int64_t j) {
    std::tie(m[pick[j]], q[pick[j]]) = both(j);
    if (std::tie(m[pick[j]], q[pick[j]]) < std::make_tuple(7, 8)) m[pick[j]] += 1;
    std::tie(m[pick[j]], std::ignore) = both(j + 1);
    view v{q[pick[j]]};
    v.first += 1;
    auto swapped = std::forward_as_tuple(m[pick[j]], q[pick[j]]);
    std::swap(std::get<0>(swapped), std::get<1>(swapped));
  }, consistency::ordered);
  check("values", m, 0xda4dc8fbd174ecc1);
  check("other values", q, 0xd02bc7ae730e3dba);
}

int main() {
  addresses(12);
  read_elsewhere();
  values();
  return failures;
}
