// Tables of constants: constexpr arrays, static constexpr in bodies, class constants, const vectors at namespace level.
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

constexpr std::array<int, 4> kWeights{1, 3, 3, 1};
static const std::vector<double> kDecay{1.0, 0.5, 0.25};
constexpr const char* kNames[] = {"zero", "one", "two"};

struct Config {
  static constexpr int kStride = 3;
  static const int kLimit;
  enum { kModulus = 17 };
};
const int Config::kLimit = 9;

constexpr auto kSquares = [] {
  std::array<int, 10> squares{};
  for (int i = 0; i < 10; ++i) squares[i] = i * i;
  return squares;
}();

static double score(int64_t j) {
  static constexpr std::string_view vowels = "aeiou";
  double sum = kWeights[static_cast<size_t>(j) % kWeights.size()] * kDecay[static_cast<size_t>(j) % 3];
  for (const char c : std::string_view(kNames[j % 3])) sum += vowels.find(c) != std::string_view::npos ? 10 : 0;
  return sum + kSquares[static_cast<size_t>(j) % 10];
}

int main() {
  constexpr int n = 300;
  constexpr double kBias = 0.125;
  stradsap::dvector<double> scores(n);
  stradsap::dvector<long> hits(Config::kModulus);
  stradsap::async_for(n, [&scores, &hits](int64_t j) {
    static constexpr long kHit[] = {1, 2};
    scores[j] = score(j) + kBias;
    const int64_t at = j * Config::kStride % Config::kModulus;
    if (at < Config::kLimit) hits[at] += kHit[j % 2];
  });
  long wanted[Config::kModulus] = {};
  for (int64_t j = 0; j < n; ++j) {
    if (std::as_const(scores)[j] != score(j) + kBias) return 1;
    if (j * 3 % 17 < 9) wanted[j * 3 % 17] += j % 2 + 1;
  }
  for (int i = 0; i < 17; ++i) {
    if (std::as_const(hits)[i] != wanted[i]) return 2;
  }
  return 0;
}
