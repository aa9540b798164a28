// Rare cases: loops without an iteration, all iterations on one element, NaNs, keys at the ends of their
// types, indices out of range, containers that change their size between passes. argv[1] chooses. The output
// is the same for every number of ranks and threads and never contains "wrong".
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <stradsap/stradsap.hpp>

using stradsap::dmap;
using stradsap::dvector;
namespace consistency = stradsap::consistency;

static const stradsap::ConsistencyModel models[] = {consistency::async, consistency::sync(7),
                                                    consistency::ordered};

static void expect(bool right, const char* what) {
  if (!right) std::printf("wrong: %s\n", what);
}
static void print_bits(const char* name, double x) {
  std::printf("%s %016" PRIx64 "\n", name, std::bit_cast<std::uint64_t>(x));
}

/// A loop without an iteration changes nothing; a single iteration acts as if it ran alone.
static void few() {
  for (const auto& model : models) {
    for (const int n : {-5, 0, 1, 2}) {
      dvector<long> X(3), none;
      dmap<int, long> M;
      long sum = 10;
      stradsap::parallel_for(
          n,
          [&X, &none, &M, &sum](int j) {
            X[(j + 1) % 3] += 5;
            if (!none.empty()) none[0] = 1;
            M[j] += 2;
            sum += j + 1;
          },
          model);
      std::printf("%d: %ld %ld %ld keys=%zu sum=%ld\n", n, X[0], X[1], X[2], M.size(), sum);
    }
  }
}

/// Containers without elements, read, written and looped over.
static void empty() {
  for (const auto& model : models) {
    dvector<double> none;
    dmap<std::string, double> nobody;
    dvector<long> X(50);
    long found = 0;
    stradsap::parallel_for(
        none.size(), [&none, &X](std::size_t j) { X[j] += static_cast<long>(none[j]); }, model);
    stradsap::parallel_for(
        X.size(),
        [&none, &nobody, &X, &found](std::size_t j) {
          X[X.size() - 1 - j] += static_cast<long>(none.size());
          found += nobody.contains("x") ? 1 : 0;
        },
        model);
    long sum = 0;
    for (const long x : std::as_const(X)) sum += x;
    std::printf("sum=%ld found=%ld\n", sum, found);
  }
  dvector<long> X;
  try {
    stradsap::async_for(X.size() - 1, [&X](std::size_t j) { X[j] = 1; });  // below zero
    std::printf("wrong: 2^64 - 1 iterations\n");
  } catch (const stradsap::error& e) {
    std::printf("%s\n", e.what());
  }
}

/// All on one element: one block, so async equals program order. A second loop also touches one key in each
/// iteration.
static void hot() {
  constexpr long n = 5000;
  for (const auto& model : {consistency::async, consistency::ordered}) {
    dvector<std::uint64_t> X(100);
    std::uint64_t wanted = 0;
    for (int pass = 0; pass < 2; ++pass) {
      stradsap::parallel_for(
          n, [&X](long j) { X[j - j + 3] = X[3] * 5 + static_cast<std::uint64_t>(j); }, model);
      for (long j = 0; j < n; ++j) wanted = wanted * 5 + static_cast<std::uint64_t>(j);
    }
    expect(std::as_const(X)[3] == wanted, "all on one element");
    dmap<int, std::uint64_t> M;
    stradsap::parallel_for(
        n,
        [&X, &M](long j) {
          X[j * 31 % 100] += M[0];
          M[0] = M[0] * 3 + 1;
        },
        model);
    std::uint64_t hash = 0;
    for (const std::uint64_t x : std::as_const(X)) hash = hash * 31 + x;
    std::printf("%016" PRIx64 " %016" PRIx64 "\n", hash, M.at(0));
  }
}

/// NaNs and infinities keep their bits on every path and keep their places.
static void nan() {
  const double odd = std::bit_cast<double>(std::uint64_t{0x7ff8000000abcdef});
  for (const auto& model : models) {
    dvector<double> X(200, 1.0);
    X[3] = odd;
    X[4] = std::numeric_limits<double>::infinity();
    X[5] = -0.0;
    double sum = 0, top = 0;
    stradsap::parallel_for(
        1000,
        [&X](long j) {
          double& x = X[j * 7 % 200];
          x = x * 0.5 + 1;
        },
        model);
    stradsap::parallel_for(
        200,
        [&X, &sum, &top](long j) {
          sum += X[j];
          if (j != 3) top = std::max(top, X[j]);
        },
        model);
    expect(std::isnan(sum), "a sum with a NaN");
    long other = 0;
    for (const double x : std::as_const(X)) other += std::isfinite(x) ? 0 : 1;
    print_bits("nan", std::as_const(X)[3]);
    std::printf("top=%g not finite=%ld\n", top, other);
  }
}

template <class Key> static void ends_of(const char* name, Key least, Key most) {
  for (const auto& model : models) {
    dmap<Key, long> M;
    stradsap::parallel_for(
        600,
        [least, most, &M](long j) {
          const Key near = static_cast<Key>(j / 2 % 5);
          M[j % 2 == 0 ? static_cast<Key>(least + near) : static_cast<Key>(most - near)] += j;
        },
        model);
    long sum = 0;
    for (const auto& [key, value] : std::as_const(M)) sum = sum * 31 + value * static_cast<long>(key % 1000);
    expect(M.contains(least) && M.contains(most) && M.size() == 10, name);
    std::printf("%s %ld\n", name, sum);
  }
}

/// Keys at the ends of their types, and odd keys.
static void keys() {
  ends_of<std::int8_t>("int8", INT8_MIN, INT8_MAX);
  ends_of<std::uint8_t>("uint8", 0, UINT8_MAX);
  ends_of<std::int64_t>("int64", INT64_MIN, INT64_MAX);
  ends_of<std::uint64_t>("uint64", 0, UINT64_MAX);
  dmap<std::string, long> words;
  dmap<double, long> reals;
  dmap<bool, long> flags;
  const std::string with_zero("a\0b", 3);
  stradsap::async_for(300, [with_zero, &words, &reals, &flags](long j) {
    words[j % 3 == 0 ? "" : j % 3 == 1 ? with_zero : std::string(1000, 'x')] += 1;
    reals[j % 2 == 0 ? 0.0 : -0.0] += 1;
    flags[j % 2 == 0] += 1;
  });
  expect(words.size() == 3 && words.at("") == 100 && words.at(with_zero) == 100, "text keys");
  expect(reals.size() == 1 && reals.at(0.0) == 300, "zeros are one key");
  expect(flags.size() == 2 && flags.at(true) == 150, "both flags");
}

/// A key that does not equal itself.
static void odd_key() {
  dmap<double, long> reals;
  try {
    const double odd = std::numeric_limits<double>::quiet_NaN();
    stradsap::async_for(10, [odd, &reals](long) { reals[odd] += 1; });
    std::printf("wrong: a NaN is a key\n");
  } catch (const stradsap::loop_error&) {
    std::printf("a NaN is no key\n");
  }
}

/// The first index out of range, under each consistency model. The containers stay usable.
static void range(bool caught) {
  for (const auto& model : models) {
    dvector<long> X(1000);
    const dvector<long>& to_read = X;
    for (const long index : {1000L, -1L, INT64_MAX, INT64_MIN}) {
      try {
        stradsap::parallel_for(  // out of range
            1000, [index, &X](long j) { X[j == 400 ? index : j * 3 % 1000] += 1; }, model);
        std::printf("wrong: no error\n");
      } catch (const stradsap::loop_error& e) {
        if (!caught) throw;
        std::printf("code=%d iteration=%lld\n", static_cast<int>(e.code()),
                    static_cast<long long>(e.iteration()));
        std::fprintf(stderr, "%s\n", e.what());
      }
    }
    long sum = 0;
    X.assign(1000, 2);
    stradsap::parallel_for(1000, [&to_read, &sum](long j) { sum += to_read[999 - j]; }, model);
    std::printf("sum=%ld\n", sum);
  }
}

/// Sizes change between passes: an old plan would miss elements or name elements that are gone.
static void sizes() {
  for (const auto& model : models) {
    dvector<std::uint64_t> X(100), Y(100);
    dmap<long, std::uint64_t> M;
    for (const std::size_t size : {100u, 1000u, 30u, 0u, 2000u, 1u}) {
      X.resize(size);
      Y.resize(size);
      std::uint64_t sum = 0;
      stradsap::parallel_for(
          3 * size,
          [size, &X, &Y, &M, &sum](std::size_t j) {
            std::uint64_t& x = X[j * 7919 % size];
            x = x * 3 + Y[j % size] + j;
            M[static_cast<long>(j % 50)] += x;
            sum += j;
          },
          model);
      stradsap::parallel_for(Y.size(), [&X, &Y](std::size_t j) { Y[j] += X[j]; }, model);
      std::uint64_t hash = 0;
      for (const std::uint64_t x : std::as_const(Y)) hash = hash * 31 + x;
      for (const auto& [key, x] : std::as_const(M)) hash = hash * 31 + x;
      expect(sum == 3 * size * (3 * size - (size > 0 ? 1 : 0)) / 2, "each iteration once");
      std::printf("%zu %016" PRIx64 " keys=%zu\n", size, hash, M.size());
      if (size == 1000) M.erase(7);
    }
  }
}

template <class Loop> static void expect_error(const Loop& loop) {
  try {
    loop();
    std::printf("wrong: no error\n");
  } catch (const stradsap::error& e) {
    std::printf("%s\n", e.what());
  }
}

static void count(dvector<long>& X, int k) { X[k] += 1; }

/// An iteration number that does not fit the body's parameter, or the copy of it that is the subscript.
static void narrow() {
  dvector<long> X(300);
  const std::int64_t beyond = (std::int64_t{1} << 31) + 1;
  const auto add = [&X](int k) { X[k] += 1; };
  stradsap::async_for(128, [&X](std::int8_t j) { X[j] = 1; });
  expect_error([&X] { stradsap::async_for(129, [&X](std::int8_t j) { X[j] = 1; }); });  // narrow 1
  expect_error([&X, beyond] {
    stradsap::async_for(beyond, [&X](std::int64_t j) {  // narrow 2
      const int k = static_cast<int>(j);
      X[k] += 1;
    });
  });
  expect_error([&X, beyond] {
    stradsap::sync_for(beyond, 64, [&X](std::int64_t j) { count(X, static_cast<int>(j)); });  // narrow 3
  });
  expect_error([&add, beyond] {
    stradsap::async_for(beyond, [&add](std::int64_t j) { add(static_cast<int>(j)); });  // narrow 4
  });
  expect_error([&X, beyond] {
    stradsap::async_for(2 * beyond, [&X](std::int64_t j) { X[static_cast<unsigned>(j)] += 1; });  // narrow 5
  });
  std::printf("%ld %ld\n", X[127], X[128]);
}

static std::uint64_t hash_of(const dvector<double>& X) {
  std::uint64_t hash = 0;
  for (const double x : X) hash = hash * 31 + std::bit_cast<std::uint64_t>(x);
  return hash;
}

/// Iterations name their elements repeatedly, and one names more than the others.
static void repeats() {
  constexpr long n = 40100;
  constexpr long size = 4000;
  dvector<long> place(n + 1);
  dvector<int> times(n);
  for (long j = 0; j <= n; ++j) place[j] = j * 2654435761 % size;
  for (long j = 0; j < n; ++j) times[j] = j == 3 ? 7 : 6;
  dvector<double> X(size, 1.0), Y(size, 1.0);
  stradsap::async_for(n, [&place, &times, &X, &Y](long j) {
    for (int k = 0; k < times[j]; ++k) X[place[j + k / 6]] += static_cast<double>(j) * 1e-3;
    Y[place[j] / 7] = Y[place[j] / 7] * 0.9 + X[place[j]];
  });
  std::printf("%016" PRIx64 " %016" PRIx64 "\n", hash_of(X), hash_of(Y));
}

/// Many groups, cut for a loop that touches one element, while another loop touches eight.
static void finely_cut() {
  constexpr long n = 270000;
  constexpr long size = 20000;
  dvector<double> X(size, 1.0);
  stradsap::async_for(n, [&X](long j) { X[j * 7919 % size] += 1; });
  stradsap::async_for(5000, [&X](long j) {
    X[j * 7 % size] = X[j * 11 % size] + X[j * 13 % size] + X[j * 17 % size] + X[j * 19 % size] +
                      X[j * 23 % size] + X[j * 29 % size] + X[j * 31 % size] * 0.5;
  });
  std::printf("%016" PRIx64 "\n", hash_of(X));
}

/// A child of fork() has no threads and no ranks: its loops are errors, and the parent's go on.
static void in_a_child() {
  dvector<long> x(100);
  std::fflush(stdout);
  const pid_t child = fork();
  try {
    stradsap::async_for(100, [&](std::int64_t i) { x[i] += i; });
  } catch (const stradsap::error& e) {
    std::printf("child: %s\n", e.what());
  }
  std::fflush(stdout);
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  std::printf("parent: %ld\n", x[99]);
}

static void child_reads() {
  dvector<long> x(1000000);
  stradsap::async_for(1000000, [&](std::int64_t i) { x[i] += 1; });
  std::fflush(stdout);
  const pid_t child = fork();
  if (child != 0) return void(waitpid(child, nullptr, 0));
  try {
    std::printf("child: %ld\n", std::accumulate(x.begin(), x.end(), 0L));
  } catch (const stradsap::error& e) {
    std::printf("child: %s\n", e.what());
  }
  std::fflush(stdout);
  _exit(0);
}

int main(int, char** argv) {
  const std::string kind = argv[1];
  if (kind == "few") few();
  if (kind == "empty") empty();
  if (kind == "hot") hot();
  if (kind == "nan") nan();
  if (kind == "keys") keys();
  if (kind == "odd_key") odd_key();
  if (kind == "range") range(true);
  if (kind == "uncaught") range(false);
  if (kind == "sizes") sizes();
  if (kind == "narrow") narrow();
  if (kind == "repeats") repeats();
  if (kind == "finely_cut") finely_cut();
  if (kind == "in_a_child") in_a_child();
  if (kind == "child_reads") child_reads();
  std::printf("done\n");
}
