// Rows at drawn places that the loop changes: references, pointers, chosen subscripts. The inspector needs
// the draws, and neither reads nor changes the rows.
#include <stradsap/stradsap.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace stradsap;

static constexpr int n = 400, rows = 90, width = 4, samples = 3;
using row = std::array<double, width>;
static int failures = 0;

static void check(const char* name, bool is_right) {
  std::printf("%s %s\n", name, is_right ? "ok" : "WRONG");
  failures += is_right ? 0 : 1;
}

/// A generator by hand, so that the plain program draws the same.
struct generator {
  std::uint64_t state;
  int operator()(int end) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<int>((state >> 33) % end);
  }
};

template <class T> static void run(std::vector<T>&, const auto& body) {
  for (int j = 0; j < n; ++j) body(j);
}
template <class T> static void run(dvector<T>&, const auto& body) {
  parallel_for(n, body, consistency::ordered);
}

/// A word, its neighbour, and rows that are drawn against it.
template <class Rows> static Rows by_reference(Rows in) {
  Rows out(rows, row{4, 3, 2, 1});
  const auto body = [&in, &out](int j) {
    generator draw{static_cast<std::uint64_t>(j)};
    row& a = in[j % rows];
    row change{};
    for (int k = 0; k <= samples; ++k) {
      row& b = out[k == 0 ? j * 7 % rows : draw(rows)];
      double dot = 0;
      for (int d = 0; d < width; ++d) dot += a[d] * b[d];
      for (int d = 0; d < width; ++d) {
        change[d] += dot * b[d] / 100;
        b[d] = (b[d] + dot * a[d]) / 2;
      }
    }
    for (int d = 0; d < width; ++d) a[d] = (a[d] + change[d]) / 2;
  };
  run(in, body);
  return in;
}

/// The draws go on after a place that nothing else needs, and restart by a number that was drawn.
template <class Rows> static Rows restarted(Rows in) {
  Rows out(rows, row{4, 3, 2, 1});
  const auto body = [&in, &out](int j) {
    generator draw{static_cast<std::uint64_t>(j)};
    auto& b = out[draw(rows)];
    const row old = in[draw(rows)];
    const int again = draw(7);
    draw = generator{static_cast<std::uint64_t>(again)};
    auto& c = in[draw(rows)];
    b[0] += old[1];
    c[0] = (c[0] + b[0]) / 2;
  };
  run(in, body);
  return in;
}

/// Flat rows by pointers.
template <class Numbers> static Numbers by_pointer(Numbers in) {
  const auto body = [&in](int j) {
    generator draw{static_cast<std::uint64_t>(j)};
    for (int k = 0; k < samples; ++k) {
      double* b = &in[draw(rows) * width];
      for (int d = 0; d < width; ++d) b[d] = (b[d] + j) / 2;
    }
  };
  run(in, body);
  return in;
}

static bool are_same(const auto& plain, const auto& ours) {
  bool same = plain.size() == ours.size();
  for (std::size_t i = 0; i < plain.size(); ++i) same = same && plain[i] == ours[i];
  return same;
}

int main() {
  const std::vector<row> plain(rows, row{1, 2, 3, 4});
  const dvector<row> ours(rows, row{1, 2, 3, 4});
  check("by_reference", are_same(by_reference(plain), by_reference(ours)));
  check("restarted", are_same(restarted(plain), restarted(ours)));
  check("by_pointer", are_same(by_pointer(std::vector<double>(rows * width, 1)),
                               by_pointer(dvector<double>(rows * width, 1))));

  dvector<row> drawn(rows);
  async_for(n, [&](int j) {
    auto draw = stradsap::random(j);
    for (int k = 0; k < samples; ++k) {
      row& b = drawn[draw() % rows];
      for (int d = 0; d < width; ++d) b[d] += d;
    }
  });
  double sum = 0;
  for (int i = 0; i < rows; ++i) sum += drawn[i][1] + drawn[i][2] + drawn[i][3];
  check("random", sum == 6.0 * samples * n);
  return failures == 0 ? 0 : 1;
}
