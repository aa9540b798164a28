// Subscripts in inner loops that are checked once before the loop, and others that cannot be.
#include <stradsap/stradsap.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace stradsap;

static constexpr int n = 60, width = 6;
static int failures = 0;

static void check(const char* name, bool is_right) {
  std::printf("%s %s\n", name, is_right ? "ok" : "WRONG");
  failures += is_right ? 0 : 1;
}

template <class C> static C filled() {
  C made(n * width + 8);
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<int>(i * 7 % 11);
  return made;
}

/// Runs the same text over vectors and over containers.
template <class Case> static void compare(const char* name, int d) {
  std::vector<int> plain_out(n * width), plain_in = filled<std::vector<int>>();
  for (int j = 0; j < n; ++j) Case::run(j, d, plain_out, plain_in);
  dvector<int> out(n * width), in = filled<dvector<int>>();
  async_for(n, [d, &out, &in](int j) { Case::run(j, d, out, in); });
  bool same = true;
  for (std::size_t i = 0; i < plain_out.size(); ++i) same = same && out[i] == plain_out[i];
  check(name, same);
}

struct rows {
  static void run(int j, int d, auto& out, const auto& in) {
    for (int k = 0; k < d; ++k) out[j * d + k] += in[j * d + k] * in[j];
  }
};
struct through_the_bound {
  static void run(int j, int d, auto& out, const auto& in) {
    for (int k = 1; k <= d - 1; ++k) out[k + j * d - 1] += in[j * d + (k - 1)];
  }
};
struct other_types {
  static void run(int j, int d, auto& out, const auto& in) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(d); ++k) out[j * d + k] = in[k];
    for (std::int64_t k = 2; k < d; ++k) out[j * d + k] += in[static_cast<std::size_t>(k)];
    for (unsigned char k = 0; k < d; k++) out[j * d + k] -= in[k + 1];
  }
};
struct from_a_negative_index {
  static void run(int j, int d, auto& out, const auto& in) {
    for (int k = -2; k < 2; ++k) out[j * d + 2 + k] = in[j + 2 + k];
  }
};
struct no_rounds {
  static void run(int j, int d, auto& out, const auto& in) {
    for (int k = d; k < d; ++k) out[j * d + k] = in[9 * n * d + k];
    for (unsigned k = 3; k < 2; ++k) out[j * d + k] = in[9 * n * d + k];
    out[j * d] = j;
  }
};
struct a_number_set_before {
  static void run(int j, int d, auto& out, const auto& in) {
    int best = 0;
    for (int c = 0; c < 4; ++c) {
      if (in[c] > in[best]) best = c;
    }
    for (int k = 0; k < d; ++k) out[j * d + k] += in[best * d + k];
    best = 1;
    for (int k = 0; k < d; ++k) out[j * d + k] += in[best * d + k];
  }
};
struct a_number_that_the_loop_changes {
  static void run(int j, int d, auto& out, const auto& in) {
    int at = 0;
    for (int k = 0; k < d; ++k) {
      out[j * d + k] = in[at + k];
      at += 2;
    }
    int& same = at;
    for (int k = 0; k < 2; ++k) {
      out[j * d + k] += in[at + k];
      same = 3;
    }
  }
};
struct unsigned_numbers_that_wrap {
  static void run(int j, int d, auto& out, const auto& in) {
    const unsigned back = 0u - 2u;
    for (unsigned k = 2; k < 6; ++k) out[j * d + k - 2] = in[back + k];
    for (unsigned k = 0; k < 4; ++k) out[j * d + k] += in[back + k + 2];
  }
};
struct a_bound_that_the_loop_changes {
  static void run(int j, int d, auto& out, const auto& in) {
    int end = 2;
    for (int k = 0; k < end; ++k) {
      out[j * d + k] = in[k];
      if (end < d) ++end;
    }
  }
};
struct conditions {
  static void run(int j, int d, auto& out, const auto& in) {
    for (int k = 0; k < 400; ++k) {
      if (k < d) out[j * d + k] = in[k];
      const int one = k < d && in[j * d + k] > 3 ? in[k + 1] : 0;
      if (k < d) out[j * d + k] += one;
    }
  }
};
struct jumps {
  static void run(int j, int d, auto& out, const auto& in) {
    for (int k = 0; k < 9 * n * d; ++k) {
      if (k == d) break;
      out[j * d + k] = in[k];
    }
    for (int k = 0; k < 9 * n * d; ++k) {
      if (k >= d) continue;
      out[j * d + k] += in[k];
    }
    for (int k = 0; k < 9 * n * d; ++k) {
      if (k >= d) return;
      out[j * d + k] += in[k];
    }
  }
};
struct branches_around_loops {
  static void run(int j, int d, auto& out, const auto& in) {
    if (j % 2 == 0)
      for (int k = 0; k < d; ++k) out[j * d + k] = in[k];
    else
      for (int k = 0; k < d; ++k) out[j * d + k] = in[k] + 1;
    switch (j % 3) {
      case 0:
        for (int k = 0; k < d; ++k) out[j * d + k] += in[k];
        break;
      default:
        for (int k = 0; k < d; ++k) out[j * d + k] -= in[k];
    }
  }
};
struct a_pragma {
  static void run(int j, int d, auto& out, const auto& in) {
#pragma GCC ivdep
    for (int k = 0; k < d; ++k) out[j * d + k] = in[k];
  }
};
struct nested_loops {
  static void run(int j, int d, auto& out, const auto& in) {
    for (int a = 0; a < 2; ++a) {
      for (int k = 0; k < d; ++k) {
        out[j * d + k] += in[a] * in[a * d + k];
        for (int b = 0; b < 2; ++b) out[j * d + k] += in[b + k] - in[k];
      }
    }
  }
};

/// The subscript of one container comes from another, which the loop writes.
static void changing_subscripts() {
  std::vector<int> plain(n * width), at(n);
  dvector<int> out(n * width), from(n);
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < 4; ++k) {
      plain[j * width + at[j] + k] += 1;
      if (k == 1) at[j] = 2;
    }
  }
  parallel_for(n, [&out, &from](int j) {
    for (int k = 0; k < 4; ++k) {
      out[j * width + from[j] + k] += 1;
      if (k == 1) from[j] = 2;
    }
  }, consistency::ordered);
  bool same = true;
  for (std::size_t i = 0; i < plain.size(); ++i) same = same && out[i] == plain[i];
  check("a subscript that the loop changes", same);
}

template <class Body> static void throws(const char* name, const Body& body) {
  bool caught = false;
  try {
    body();
  } catch (const loop_error& e) {
    caught = e.code() == errc::out_of_range && e.iteration() == n - 1;
  }
  check(name, caught);
}

/// The last iteration leaves the container.
static void beyond() {
  const int d = width;
  const dvector<int> in(n * d - 1);
  dvector<int> out(n * d), total(n);
  throws("reads beyond", [&] {
    async_for(n, [&in, &total, d](int j) {
      for (int k = 0; k < d; ++k) total[j] += in[j * d + k];
    });
  });
  throws("adds beyond", [&] {
    async_for(n, [&out, d](int j) {
      for (int k = 0; k < d; ++k) out[j * d + k + (j == n - 1 ? 1 : 0)] += k;
    });
  });
  throws("before the first", [&] {
    async_for(n, [&in, &total, d](int j) {
      for (int k = 0; k < d; ++k) total[j] += in[k - (j == n - 1 ? 1 : 0)];
    });
  });
}

int main() {
  compare<rows>("rows", width);
  compare<through_the_bound>("through the bound", width);
  compare<other_types>("other types", width);
  compare<from_a_negative_index>("from a negative index", width);
  compare<no_rounds>("no rounds", width);
  compare<a_number_set_before>("a number set before", width);
  compare<a_number_that_the_loop_changes>("a number that the loop changes", width);
  compare<unsigned_numbers_that_wrap>("unsigned numbers that wrap", width);
  compare<a_bound_that_the_loop_changes>("a bound that the loop changes", width);
  compare<conditions>("conditions", width);
  compare<jumps>("jumps", width);
  compare<branches_around_loops>("branches around loops", width);
  compare<a_pragma>("a pragma", width);
  compare<nested_loops>("nested loops", width);
  changing_subscripts();
  beyond();
  return failures;
}
