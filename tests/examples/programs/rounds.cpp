// Lengths of the rounds of containers that are consistency::stale: those that the runtime chooses, and those
// that the program names, of which some are too long for sums of fractions.
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include <stradsap/stradsap.hpp>

namespace {

using namespace stradsap;
using consistency::stale;

constexpr int64_t n = 32000;

/// Accumulators of the first round start from zero, and add different numbers. So the first iteration of the
/// second round alone sees neither zero nor the value that the one before it left.
template <class T> int64_t length_of_round(const ConsistencyModel& model, int64_t size) {
  dvector<T> x(size, model);
  dvector<T> seen(n);
  const auto added = [](int64_t j) { return static_cast<T>(1 + j / 64 % 2); };
  async_for(n, [&](int64_t j) {
    seen[j] = x[(j * j - j * j) % size];
    x[(j * j - j * j) % size] += static_cast<T>(1 + j / 64 % 2);
  });
  for (int64_t j = 1; j < n; ++j) {
    if (seen[j] != 0 && seen[j] != seen[j - 1] + added(j - 1)) return j;
  }
  return n;
}

/// Small steps towards 5 in each iteration. A third of them touch one element.
template <class T> void steps(int64_t count, const ConsistencyModel& model, bool reads = true) {
  dvector<T> w(3, model);
  dvector<int> at(3);
  for (int k = 0; k < 3; ++k) at[k] = k;
  try {
    if (reads)
      async_for(count, [&](int64_t j) { w[at[j % 3]] += static_cast<T>(1e-5 * double(5 - w[at[j % 3]])); });
    if (!reads) async_for(count, [&](int64_t j) { w[at[j % 3]] += static_cast<T>(1e-5); });
    std::printf("done\n");
  } catch (const error& failure) {
    std::printf("%s\n", failure.what());
  }
}

void lengths() {
  const merge::rule mean = merge::mean;
  std::printf("%ld ", static_cast<long>(length_of_round<float>(stale(0), 3)));
  std::printf("%ld ", static_cast<long>(length_of_round<double>(stale({.merge = mean}), 3)));
  std::printf("%ld ", static_cast<long>(length_of_round<float>(stale(0), 32 * n)));
  std::printf("%ld\n", static_cast<long>(length_of_round<int>(stale(0), 3)));
}

template <class T> void print(const char* what, const dvector<T>& x) {
  std::printf(" %s=%g,%g", what, double(x[0]), double(x[1]));
}

/// Folds by operators other than sums, and a value that is only replaced.
void fold(int64_t j, int call, dvector<double>& products, dvector<double>& least, dvector<long>& flags,
          dvector<unsigned>& odd, dvector<long>& last) {
  if (j % 1600 == 3) products[j / 2 % 2] *= 2;
  if (double(j % 977 + call) < least[j % 2]) least[j % 2] = double(j % 977 + call);
  flags[j % 2] |= j & 0xff;
  odd[j % 2] ^= unsigned(j / 3);
  last[j / 4 % 2] = 5 + j / 4 % 2 + call;
}

/// The same folds in a loop that also cuts a container, and in one that does not.
void operators(const ConsistencyModel& of_containers, const ConsistencyModel& of_loop, bool cuts) {
  dvector<double> products(2, 1.0, of_containers), least(2, 1e9, of_containers);
  dvector<long> flags(2, of_containers), last(2, of_containers);
  dvector<unsigned> odd(2, of_containers);
  dvector<float> cut(4000, 1.0f);
  for (int call = 0; call < 2; ++call) {
    if (cuts) {
      parallel_for(
          n,
          [&](int64_t j) {
            fold(j, call, products, least, flags, odd, last);
            float& one = cut[static_cast<int64_t>(static_cast<uint64_t>(j) * 2654435761u >> 7) % 4000];
            one = 0.5f * one + 1;
          },
          of_loop);
    } else {
      parallel_for(n, [&](int64_t j) { fold(j, call, products, least, flags, odd, last); }, of_loop);
    }
  }
  print("products", products);
  print("least", least);
  print("flags", flags);
  print("odd", odd);
  print("last", last);
  std::printf("\n");
}

}  // namespace

int main(int, char** argv) {
  const std::string kind = argv[1];
  const merge::rule adaptive = merge::adaptive, mean = merge::mean;
  if (kind == "lengths") lengths();
  if (kind == "operators") {
    const auto ordered = consistency::ordered, async = consistency::async;
    const ConsistencyModel free = stale({.bound = 2, .free_running = true});
    const ConsistencyModel few = stale({.bound = 3, .free_running = true, .budget = 8});
    operators(async, ordered, false);
    for (const int64_t bound : {0, 1})
      operators(stale({.bound = bound, .round = 1600}, consistency::hottest(1)), async, true);
    for (const bool cuts : {false, true}) {
      for (const int64_t bound : {0, 1, 3}) operators(stale({.bound = bound, .round = 1600}), async, cuts);
      for (const ConsistencyModel& model : {stale(0), stale(2), free, few}) operators(async, model, cuts);
    }
  }
  if (kind == "long") steps<float>(n, stale({.round = n}));
  if (kind == "late") steps<double>(n, stale({.bound = 2, .round = 1000}));
  if (kind == "two and late") steps<double>(n, stale({.bound = 1, .round = n, .accumulators = 2}));
  if (kind == "too long") steps<float>(20 * n, stale({.round = 20 * n}));
  if (kind == "hottest") {
    steps<float>(20 * n, stale({.round = 20 * n}, consistency::hottest(1)));
  }
  if (kind != "silent") return 0;
  steps<float>(n, stale(0));
  steps<float>(n, stale({.round = 2500}));
  steps<float>(n, stale({.round = n, .merge = adaptive}));
  steps<float>(n, stale({.round = n, .merge = mean}));
  steps<float>(n, stale({.round = n, .merge = merge::by_uses(1e6)}));
  steps<float>(n, stale({.round = n, .accumulators = 2}));
  steps<float>(n, stale({.round = n}), /*reads=*/false);
  steps<long>(n, stale({.round = n}));
}
