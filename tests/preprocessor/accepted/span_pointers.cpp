// Pointers from spans: iterations hold the elements that the text shows behind them, also outside of the span.
#include <stradsap/stradsap.hpp>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

using namespace stradsap;

static constexpr int n = 60, width = 4, size = n * width + 20;
static int failures = 0;

/// Each of the n iterations j has added 1 at begin + width * j + offset, for each offset, and nothing else.
static void check(const char* what, dvector<int>& m, int begin, std::initializer_list<int> offsets) {
  std::vector<int> wanted(size);
  for (int j = 0; j < n; ++j) {
    for (const int offset : offsets) wanted[begin + width * j + offset] += 1;
  }
  const bool same = std::equal(wanted.begin(), wanted.end(), std::as_const(m).begin());
  std::printf("%s %s\n", what, same ? "ok" : "WRONG");
  failures += same ? 0 : 1;
  std::fill(m.begin(), m.end(), 0);
}

static void add_one(int* p, int count) {
  for (int k = 0; k < count; ++k) p[k] += 1;
}
static void add_behind(std::span<int> row, int by) { int* p = row.data();
  for (std::size_t k = 0; k < row.size(); ++k) p[k + 3] += by; }
static std::span<int> middle(std::span<int> row) { return row.subspan(1, 2); }
template <std::size_t N> static int* first_of(std::span<int, N> row) { return &row.front(); }
struct holder {
  int* p;
};

/// Runs first: if its pointer was the first of a check build, clang++ 19 took the constant for captured.
static void generic(dvector<int>& m) {
  constexpr int local = 4;
  async_for(n, [&m](auto j) {
    auto* p = &m[(j % n) * local];
    for (int k = 0; k < local; ++k) p[k] += 1;
  });
  check("a generic body", m, 0, {0, 1, 2, 3});
}

static void inside(dvector<int>& m, int d) {
  async_for(n, [&m, d](int j) {
    int* p = m.span(width * j, d).data();
    for (int k = 0; k < d; ++k) p[k] += 1;
  });
  check("data", m, 0, {0, 1, 2, 3});
  async_for(n, [&m, d](int j) {
    std::span row(&m[width * j], d);
    for (int& x : row) x += 1;
    row[row[0] % d] += 1;
    *row.begin() -= 1;
    row.back() += 0;
  });
  check("elements", m, 0, {1, 1, 2, 3});
  async_for(n, [&m, d](int j) {
    auto row = m.span(width * j, d);
    const holder kept{row.data()};
    kept.p[1] += 1;
  });
  check("an object holds it", m, 0, {1});
}

static void outside(dvector<int>& m, int d) {
  async_for(n, [&m](int j) { m.span(width * j, 2).data()[9] += 1; });
  check("behind", m, 0, {9});
  async_for(n, [&m](int j) { std::span(&m[width * j], 2).data()[9] += 1; });
  check("behind, of a pointer", m, 0, {9});
  async_for(n, [&m](int j) { std::span<int, 4>(&m[width * j], 4).data()[9] += 1; });
  check("behind, of a fixed size", m, 0, {9});
  async_for(n, [&m, d](int j) {
    auto row = m.span(8 + width * j, d);
    int* p = &row[1] - 4;
    p[0] += 1;
    p[8] += 1;
  });
  check("both sides", m, 8, {-3, 5});
  async_for(n, [&m, d](int j) {
    for (int& x : m.span(width * j, d)) (&x)[1] += 1;
  });
  check("of a loop's reference", m, 0, {1, 2, 3, 4});
  async_for(n, [&m](int j) { add_one(m.span(width * j, 2).subspan(1).data(), 3); });
  check("a part, in a helper", m, 0, {1, 2, 3});
  async_for(n, [&m](int j) {
    auto row = m.span(width * j, 4);
    row.first(1).data()[1] += 1;
    row.last(2).data()[2] += 1;
    row.first<2>().data()[2] += 1;
    row.subspan<3, 1>().data()[3] += 1;
  });
  check("parts", m, 0, {1, 4, 2, 6});
}

static void in_helpers(dvector<int>& m) {
  async_for(n, [&m](int j) { add_behind(m.span(width * j, 3), 1); });
  check("a helper that takes a span", m, 0, {3, 4, 5});
  async_for(n, [&m](int j) { middle(m.span(width * j, 3)).data()[4] += 1; });
  check("a helper that returns a span", m, 0, {5});
  async_for(n, [&m](int j) { first_of(m.span(width * j, 3))[7] += 1; });
  check("a helper that returns a pointer", m, 0, {7});
}

static void iterators(dvector<int>& m) {
  async_for(n, [&m](int j) {
    auto row = m.span(width * j, 3);
    auto at = row.begin();
    std::to_address(at)[6] += 1;
    int* p = &*at;
    p[3] += 1;
  });
  check("an iterator", m, 0, {6, 3});
  async_for(n, [&m](int j) {
    auto row = m.span(width * j, 3);
    for (auto at = row.begin(); at != row.end(); ++at) *(&*at + 5) += 1;
  });
  check("an iterator that steps", m, 0, {5, 6, 7});
  async_for(n, [&m](int j) {
    auto row = m.span(width * j, 2);
    std::for_each(row.begin(), row.end(), [](int& x) { (&x)[4] += 1; });
  });
  check("a lambda that an algorithm calls", m, 0, {4, 5});
  async_for(n, [&m](int j) {
    std::for_each(&m[width * j], &m[width * j] + 2, [](int& x) { *(&x + 4) += 1; });
  });
  check("the same, of pointers", m, 0, {4, 5});
  async_for(n, [&m](int j) {
    const auto all = m.span(width * j, 8);
    const auto row = j % 2 == 0 ? all.first(4) : all.subspan(0, 3);
    row.data()[5] += 1;
  });
  check("a choice", m, 0, {5});
  async_for(n, [&m](int j) { m.span(width * j, 0).data()[2] += 1; });
  check("of no elements", m, 0, {2});
}

struct row_of {
  std::span<int> s;
  int* behind() const { return s.data() + 4; }
};
struct row_made {
  std::span<int> s;
  explicit row_made(std::span<int> from) : s(from) {}
};

static void in_objects(dvector<int>& m) {
  async_for(n, [&m](int j) {
    const row_of row{m.span(width * j, 2)};
    int* p = row.s.data();
    p[6] += 1;
    row.behind()[1] += 1;
  });
  check("a struct", m, 0, {6, 5});
  async_for(n, [&m](int j) {
    const row_made row(m.span(width * j, 2));
    (&row.s[1])[6] += 1;
  });
  check("a class", m, 0, {7});
  async_for(n, [&m](int j) {
    const auto both = std::pair(m.span(width * j, 2), j);
    const auto [row, number] = both;
    both.first.data()[5] += 1;
    row.data()[6] += number < 0 ? 0 : 1;
  });
  check("a pair", m, 0, {5, 6});
  async_for(n, [&m](int j) {
    auto row = m.span(width * j, 3);
    (&*row.rbegin())[4] += 1;
  });
  check("a reverse iterator", m, 0, {6});
}

static void moved(dvector<int>& m) {
  async_for(n, [&m](int j) {
    int* p = &m[0];
    p += width * j, p += 2;
    if (j >= 0) p[1] += 1;
  });
  check("a pointer that has moved", m, 0, {3});
  async_for(n, [&m](int j) {
    int* p = &m[width * j];
    switch (j % 2) {
      case 0:
        p[0] += 1;
        p += 2;
        break;
      default:
        p[0] += 1;
    }
    if (j % 2 == 0) --p;
    p[1] += 1;
    if (j % 2 == 0) p[1] -= 1, p[0] += 1;
  });
  check("a pointer that some move", m, 0, {0, 1});
}

/// A function of unknown text gets an object and the object's own pointer, which moves on each time.
static void given_with_itself(dvector<int>& m) {
  async_for(n, [&m](int j) {
    const holder row{m.span(width * j, width).data()};
    const int* from = m.span(width * j, width).data();
    if (std::includes(from, from + 2, row.p + 2, row.p + 4)) row.p[3] += 1;
  });
  check("an object's pointer beside it", m, 0, {3});
  async_for(n, [&m](int j) {
    const int ones[] = {1, 1};
    int* p = m.span(width * j, 1).data();
    int* begin = std::copy_backward(ones, ones + 2, p + 5);
    begin[-1] += 1;
  });
  check("copied backward", m, 0, {2, 3, 4});
}

int main() {
  dvector<int> m(size);
  generic(m);
  inside(m, width);
  outside(m, width);
  in_helpers(m);
  iterators(m);
  in_objects(m);
  moved(m);
  given_with_itself(m);
  return failures;
}
