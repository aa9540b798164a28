// Synchronous loops over elements of 1, 2, 3 and 6 bytes: shares of ranks end between any two of them. Each
// element is written once, so the result is that of the plain loop.
#include <array>
#include <vector>

#include "tests/support/program.hpp"

namespace {

void become(auto& x, long to) { x = static_cast<std::remove_reference_t<decltype(x)>>(to); }
template <class T, std::size_t N> void become(std::array<T, N>& x, long to) {
  for (std::size_t k = 0; k < N; ++k) become(x[k], to + static_cast<long>(k));
}

template <std::uint64_t Id, class T> long wrong_of(long n) {
  stradsap::dvector<T> a(static_cast<std::size_t>(n));
  stradsap::dvector<long> p(static_cast<std::size_t>(n));
  for (long i = 0; i < n; ++i) p[i] = (i * 7 + 3) % n;
  stradsap::sync_for(n, 0,
                     test::loop<Id, 0>(
                         "small_elements.cpp:1",
                         [](decltype(a)& a, decltype(p)& p) {
                           return [&a, &p](std::int64_t j) { become(a[std::as_const(p)[j]], j % 100 + 1); };
                         },
                         test::container < test::writes | stradsap::abi::replaces > (a),
                         test::container < test::reads | test::aligned > (p)));
  long wrong = 0;
  for (long j = 0; j < n; ++j) {
    T expected{};
    become(expected, j % 100 + 1);
    wrong += std::as_const(a)[std::as_const(p)[j]] == expected ? 0 : 1;
  }
  return wrong;
}

}  // namespace

int main() {
  stradsap::abi::enter_main();
  long wrong = 0;
  for (const long n : {200, 999, 1000, 1501, 4096}) {
    wrong += wrong_of<1, signed char>(n) + wrong_of<2, short>(n) + wrong_of<3, std::array<char, 3>>(n) +
             wrong_of<4, std::array<short, 3>>(n) + wrong_of<5, float>(n);
  }
  std::printf("wrong=%ld\n", wrong);
}
