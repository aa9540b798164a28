// Subscripts in inner loops that are checked once before the loop, and others that cannot be.
#include <stradsap/stradsap.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../compared.hpp"

using namespace stradsap;

static constexpr int n = 60, width = 6;

/// Runs the same text over vectors and over containers.
template <class Case> static void compare(const char* name, int d) {
  std::vector<int> plain_out(n * width), plain_in = compared::filled<std::vector<int>>(n * width + 8);
  for (int j = 0; j < n; ++j) Case::run(j, d, plain_out, plain_in);
  dvector<int> out(n * width), in = compared::filled<dvector<int>>(n * width + 8);
  async_for(n, [d, &out, &in](int j) { Case::run(j, d, out, in); });
  bool same = true;
  for (std::size_t i = 0; i < plain_out.size(); ++i) same = same && out[i] == plain_out[i];
  compared::check(name, same);
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

struct steady_elements {
  static void run(int j, int d, auto& out, const auto& in) {
    const int found[] = {3, 1, 4};
    for (int f : found) out[j * d + 1] += in[j] * f + in[f];
    int k = 0;
    while (k < in[j + 1] && k < d) out[j * d + k++] += in[j];
    for (int f : found) {
      if (f == 3) break;
      out[9 * n * d] += f;
    }
  }
};
struct loops_without_rounds {
  static void run(int j, int d, auto& out, const auto& in) {
    const std::vector<int> none;
    for (int f : none) out[j * d + f] += in[9 * n * d];
    for (std::size_t k = none.size(); k-- > 0;) out[j * d] += in[9 * n * d];
    while (d < 0) out[j * d] += in[9 * n * d];
    out[j * d] = in[j];
  }
};

struct word_at {
  int word = 0, topic = 0;
};

/// The rows' numbers are members of elements that the loop writes, outside the inner loop or in it.
static void rows_by_members() {
  std::vector<word_at> plain_words(n);
  std::vector<int> plain(n * width + width), ends(n + 1);
  for (int j = 0; j <= n; ++j) ends[j] = j * 3;
  dvector<word_at> words(n);
  dvector<int> out(n * width + width), first(ends.begin(), ends.end());
  for (int j = 0; j < n; ++j) words[j].word = plain_words[j].word = j * 7 % n;
  const auto body = [](int j, auto& all, auto& sums, auto& bounds) {
    word_at& one = all[j];
    for (int k = 0; k < width; ++k) sums[one.word * width + k] += k;
    one.topic = one.word;
    one.word = j;
    for (int k = 0; k < width - 1; ++k) {
      sums[one.word * width + k] += 1;
      if (k == 1) ++one.word;
    }
    word_at& same = one;
    for (int k = 0; k < 3; ++k) {
      sums[one.word * width + k] += 2;
      same.word = j;
    }
    for (int k = bounds[j]; k < bounds[j + 1]; ++k) sums[k] += k;
  };
  for (int j = 0; j < n; ++j) body(j, plain_words, plain, ends);
  async_for(n, [&words, &out, &first](int j) {
    word_at& one = words[j];
    for (int k = 0; k < width; ++k) out[one.word * width + k] += k;
    one.topic = one.word;
    one.word = j;
    for (int k = 0; k < width - 1; ++k) {
      out[one.word * width + k] += 1;
      if (k == 1) ++one.word;
    }
    word_at& same = one;
    for (int k = 0; k < 3; ++k) {
      out[one.word * width + k] += 2;
      same.word = j;
    }
    for (int k = first[j]; k < first[j + 1]; ++k) out[k] += k;
  });
  bool same = true;
  for (std::size_t i = 0; i < plain.size(); ++i) same = same && out[i] == plain[i];
  compared::check("rows by members", same);
}

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
  compared::check("a subscript that the loop changes", same);
}

template <class Body> static void throws(const char* name, const Body& body) {
  bool caught = false;
  try {
    body();
  } catch (const loop_error& e) {
    caught = e.code() == errc::out_of_range && e.iteration() == n - 1;
  }
  compared::check(name, caught);
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
  throws("reads one beyond", [&] {
    async_for(n, [&in, &total, d](int j) {
      const int twice[] = {1, 2};
      for (int f : twice) total[j] += f * in[(j + 1) * d - 1];
    });
  });
  throws("ends beyond", [&] {
    async_for(n, [&in, &total, d](int j) {
      for (int k = 0; k < in[(j + 1) * d - 1]; ++k) total[j] += k;
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
  compare<steady_elements>("steady elements", width);
  compare<loops_without_rounds>("loops without rounds", width);
  rows_by_members();
  changing_subscripts();
  beyond();
  return compared::failures;
}
