// Rows at drawn places that the loop changes: references, pointers, chosen subscripts. The inspector needs
// the draws, and neither reads nor changes the rows.
#include <stradsap/stradsap.hpp>

#include <array>
#include <cstdint>
#include <cstdio>

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

/// By `main`, one after the other, or by the loop.
static void run(bool by_main, const auto& body) {
  if (!by_main) return parallel_for(n, body, consistency::ordered);
  for (int j = 0; j < n; ++j) body(j);
}

/// A word, its neighbour, and rows that are drawn against it.
static dvector<row> by_reference(bool by_main) {
  dvector<row> in(rows, row{1, 2, 3, 4}), out(rows, row{4, 3, 2, 1});
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
  run(by_main, body);
  return in;
}

/// The draws go on after a place that nothing else needs, and restart by a number that was drawn.
static dvector<row> restarted(bool by_main) {
  dvector<row> in(rows, row{1, 2, 3, 4}), out(rows, row{4, 3, 2, 1});
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
  run(by_main, body);
  return in;
}

/// Flat rows by pointers.
static dvector<double> by_pointer(bool by_main) {
  dvector<double> in(rows * width, 1);
  const auto body = [&in](int j) {
    generator draw{static_cast<std::uint64_t>(j)};
    for (int k = 0; k < samples; ++k) {
      double* b = &in[draw(rows) * width];
      for (int d = 0; d < width; ++d) b[d] = (b[d] + j) / 2;
    }
  };
  run(by_main, body);
  return in;
}

static void compare(const char* name, auto make) {
  const auto plain = make(true), ours = make(false);
  bool same = plain.size() == ours.size();
  for (std::size_t i = 0; i < plain.size(); ++i) same = same && plain[i] == ours[i];
  check(name, same);
}

int main() {
  compare("by_reference", by_reference);
  compare("restarted", restarted);
  compare("by_pointer", by_pointer);

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
