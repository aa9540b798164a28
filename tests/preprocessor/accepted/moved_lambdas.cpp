// Captured lambdas that were moved into others, and one body that several threads start.
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::dvector;

template <class F, class G> static auto compose(F f, G g) {
  return [f = std::move(f), g = std::move(g)](int64_t i) { return f(g(i)); };
}

int main() {
  const std::string text = "a text that does not fit into a small buffer";
  std::vector<int> step{1, 2, 3};
  dvector<long> X(40), Y(40);
  auto letter = [text](int64_t i) { return static_cast<int64_t>(text[i % text.size()]); };
  auto next = [step](int64_t i) { return i + step[i % 3]; };
  const auto both = compose(letter, next);
  const auto moved = [inner = std::move(letter), next = std::move(next)](int64_t i) { return inner(next(i)) + 1; };
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::async_for(40, [&both, &moved, &X](int64_t j) { X[j] += both(j) + moved(j); });
  }
  for (int64_t j = 0; j < 40; ++j) {
    const long one = text[(j + step[j % 3]) % text.size()];
    if (std::as_const(X)[j] != 2 * (2 * one + 1)) return 1;
  }

  const auto old = [&Y](int64_t i) { return Y[i]; };
  const auto same = [&Y](int64_t i) { return Y[i]; };
  const auto body = [&old, &same, &X, &Y](int64_t j) { X[j] += same(j) - old(j); Y[j] += 1; };
  const auto rounds = [&body] { for (int r = 0; r < 5000; ++r) stradsap::async_for(2, body); };
#ifdef STRADSAP_INSTRUMENTED
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(rounds);
  for (std::thread& one : threads) one.join();
#else  // loops of a plain build do not wait for each other
  for (int t = 0; t < 4; ++t) rounds();
#endif
  long sum = 0;
  for (const long x : std::as_const(X)) sum += x;
  std::printf("%ld %ld\n", sum, std::as_const(Y)[1]);
  return 0;
}
