// Shared by the test programs that add: elements, places of which one is hot, fractions, and a comparison of
// results.
#pragma once

#include <array>
#include <cmath>

#include "tests/support/program.hpp"

using stradsap::abi::accumulates;
using stradsap::abi::operator_shift;

constexpr unsigned adds = test::reads | test::writes | accumulates;
constexpr std::uint64_t bins = 40;

struct cluster {
  std::array<double, 3> sum{};
  long count = 0;
  int label = 7;  // no body touches it
  static constexpr auto stradsap_members_() {
    return stradsap::abi::stradsap_members<cluster>(stradsap::abi::bases<>(), &cluster::sum, &cluster::count,
                                                    &cluster::label);
  }
};

inline std::uint64_t place(std::int64_t j, std::uint64_t k = 1) {
  const auto i = static_cast<std::uint64_t>(j);
  return i % 3 == 0 ? 0 : test::draw(k, i, bins);  // the first is hot
}
inline double fraction(std::int64_t j) { return 0.1 * static_cast<double>(j % 1000) - 7; }

/// Compares with the plain program; the bits of fractions are printed.
struct comparison {
  long wrong = 0;
  std::uint64_t bits = 0;
  void whole(long a, long b) { wrong += a == b ? 0 : 1; }
  void real(double a, double b) {
    wrong += std::abs(a - b) <= 1e-9 * (1 + std::abs(b)) ? 0 : 1;
    bits = bits * 1099511628211u + stradsap::abi::hash_bytes(&a, sizeof a);
  }
  void print(const char* what) const {
    std::printf("%s wrong=%ld bits=%016llx\n", what, wrong, static_cast<unsigned long long>(bits));
  }
};
