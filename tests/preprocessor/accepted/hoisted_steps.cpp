// Subscripts that are multiples of an inner loop's index: columns, reversed rows. One check before the loop
// stands for all rounds.
#include <stradsap/stradsap.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "../compared.hpp"

using namespace stradsap;

static constexpr int n = 60, width = 6;

/// Runs the same text over vectors and over containers.
template <class Case> static void compare(const char* name, int d) {
  std::vector<int> plain_out(n * width), plain_in = compared::filled<std::vector<int>>(n * width);
  for (int j = 0; j < n; ++j) Case::run(j, d, plain_out, plain_in);
  dvector<int> out(n * width), in = compared::filled<dvector<int>>(n * width);
  async_for(n, [d, &out, &in](int j) { Case::run(j, d, out, in); });
  bool same = true;
  for (std::size_t i = 0; i < plain_out.size(); ++i) same = same && out[i] == plain_out[i];
  compared::check(name, same);
}

struct columns {
  static void run(int j, int d, auto& out, const auto& in) {
    for (int k = 0; k < d; ++k) out[j * d] += in[k * d + j % d] * k;
    for (int k = 1; k < n; ++k) out[j * d + 1] += in[d * (k - 1) + 2];
  }
};
struct columns_that_are_written {
  static void run(int j, int d, auto& out, const auto& in) {
    for (int k = 0; k < d; ++k) out[k * n + j] += in[j];
  }
};
struct reversed {
  static void run(int j, int d, auto& out, const auto& in) {
    for (int k = 0; k < d; ++k) out[j * d + k] = in[j * d + d - 1 - k];
    for (int k = 0; k < d; ++k) out[j * d + d - 1 - k] += in[(d - 1 - k) * d];
    for (std::size_t k = 0; k < 4; ++k) out[j * d] += in[std::size_t(9) - 2 * k];
  }
};
struct factors_of_other_types {
  static void run(int j, int d, auto& out, const auto& in) {
    for (std::size_t k = 0; k < 4; ++k) out[j * d + k] = in[k * std::size_t(d) * 2];
    for (long k = 2; k < 5; ++k) out[j * d] += in[d * (k + 1) + j];
    for (unsigned char k = 0; k < d; k++) out[j * d] -= in[(k + 1) * d];
    const int down = -d;
    for (int k = 0; k < d; ++k) out[j * d + 1] += in[d * d + k * down];
  }
};
struct a_factor_from_a_table {
  static void run(int j, int d, auto& out, const auto& in) {
    const int table[] = {2, 3, 5};
    const int* t = &table[j % 2];
    for (int k = 0; k < d; ++k) out[j * d + k] += in[k * t[1] + t[0]];
    for (int k = 0; k < 2; ++k) out[j * d] += in[k * in[j]];
  }
};
struct one_round_and_none {
  static void run(int j, int d, auto& out, const auto& in) {
    const long most = 1l << 62;
    for (int k = 0; k < 1; ++k) out[j * d] += in[k * most + 3];
    for (int k = d; k < d; ++k) out[j * d] += in[k * 9 * n * d];
    for (int k = 0; k < d; ++k) out[j * d + k] += in[k * 0];
  }
};
struct factors_that_the_loop_changes {
  static void run(int j, int d, auto& out, const auto& in) {
    int by = 1;
    for (int k = 0; k < 4; ++k) {
      out[j * d + k] += in[k * by];
      ++by;
    }
    for (int k = 0; k < d; ++k) out[j * d + k] += in[k * k];
  }
};
struct unsigned_numbers_that_wrap {
  static void run(int j, int d, auto& out, const auto& in) {
    const unsigned by = 1u << 31;
    for (unsigned k = 0; k < 4; ++k) out[j * d + k] = in[k * by * 2 + k];
  }
};
struct narrow_numbers_that_wrap {
  static void run(int j, int d, auto& out, const auto& in) {
    for (signed char k = -20; k < 20; ++k) out[j * d] += in[static_cast<unsigned char>(k)] * k;
    for (unsigned char k = 100; k < 140; ++k) out[j * d + 1] += in[static_cast<signed char>(k) + 128] * k;
    for (short k = 0; k < 40; ++k) out[j * d + 2] += in[static_cast<unsigned short>(k)] * k;
  }
};
static void stop_at(int k, int d) {
  if (k == d) throw k;
}
struct calls_that_throw {
  static void run(int j, int d, auto& out, const auto& in) {
    try {
      for (int k = 0; k < 400; ++k) {
        stop_at(k, d);
        out[j * d] += in[k * d];
      }
    } catch (int) {
    }
  }
};
struct numbers_that_casts_change {
  static void run(int j, int d, auto& out, const auto& in) {
    for (int k = 0; k < d; ++k) {
      out[j * d + k] += in[j * d];
      const_cast<int&>(in[j * d]) += 1;
    }
  }
};
struct conditions {
  static void run(int j, int d, auto& out, const auto& in) {
    for (int k = 0; k < 400; ++k) {
      if (k < d) out[j * d] += in[k * d];
    }
  }
};

/// Whether the last iteration throws, and names the element.
template <class Body> static void throws(const char* name, const char* element, const Body& body) {
  bool caught = false;
  try {
    body();
  } catch (const loop_error& e) {
    caught = e.code() == errc::out_of_range && e.iteration() == n - 1 &&
             std::string(e.what()).find(element) != std::string::npos;
    if (!caught) std::printf("%s\n", e.what());
  }
  compared::check(name, caught);
}

static void beyond() {
  const int d = width;
  const dvector<int> in(n * d - 1);
  dvector<int> out(n * d - 1), total(n);
  throws("reads beyond", "365", [&] {
    async_for(n, [&in, &total, d](int j) {
      const int by = j == n - 1 ? 7 : 1;
      for (int k = 0; k < d; ++k) total[j] += in[j * d - 11 + 11 / by + k * by];
    });
  });
  throws("adds beyond", "359", [&] {
    async_for(n, [&out, d](int j) {
      for (int k = 0; k < d; ++k) out[k * n + j] += k;
    });
  });
  throws("begins beyond", "361", [&] {
    async_for(n, [&in, &total, d](int j) {
      for (int k = 0; k < d; ++k) total[j] += in[(j == n - 1 ? 361 : 20) - 2 * k];
    });
  });
  throws("before the first", "-1", [&] {
    async_for(n, [&in, &total, d](int j) {
      for (int k = 0; k < d; ++k) total[j] += in[(j == n - 1 ? 7 : 20) - 2 * k];
    });
  });
}

int main() {
  compare<columns>("columns", width);
  compare<columns_that_are_written>("columns that are written", width);
  compare<reversed>("reversed", width);
  compare<factors_of_other_types>("factors of other types", width);
  compare<a_factor_from_a_table>("a factor from a table", width);
  compare<one_round_and_none>("one round and none", width);
  compare<factors_that_the_loop_changes>("factors that the loop changes", width);
  compare<unsigned_numbers_that_wrap>("unsigned numbers that wrap", width);
  compare<narrow_numbers_that_wrap>("narrow numbers that wrap", width);
  compare<calls_that_throw>("calls that throw", width);
  compare<numbers_that_casts_change>("numbers that casts change", width);
  compare<conditions>("conditions", width);
  beyond();
  return compared::failures;
}
