// Loops that write a map: the flag 32768 tells where a slice takes about as long as the body, so that a plan
// does not pay while the map is empty.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

struct game {
  std::string white, black;
  double result;
};
struct player {
  double rating = 1500;
  int games = 0;
};

static double expect(const player& a, const player& b) {
  return 1 / (1 + std::pow(10, (b.rating - a.rating) / 400));
}
static void play(player& a, player& b, double result) {
  const double e = expect(a, b);
  a.rating += 8 * (result - e);
  b.rating -= 8 * (result - e);
  auto played = [](player& p) { p.games = std::max(p.games, 0) + 1; };
  played(a);
  played(b);
}
static double roots(int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += std::sqrt(k);
  return sum;
}
static std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> found;
  for (const char c : text) found.emplace_back(1, c);
  return found;
}

int main() {
  std::vector<game> games;
  for (int i = 0; i < 600; ++i) games.push_back({std::to_string(i % 17), std::to_string(i % 13 + 100), 0.5});
  const auto n = static_cast<int64_t>(games.size());
  stradsap::dmap<std::string, player> players;
  stradsap::async_for("straight", n, [&](int64_t i) {
    player &a = players[games[i].white], &b = players[games[i].black];
    play(a, b, games[i].result);
  });
  stradsap::dmap<std::string, std::vector<int64_t>> lists;
  stradsap::async_for("rounds name elements", n, [&](int64_t i) {
    for (int k = 0; k < games[i].white[0]; k += 20) {
      std::string key = games[i].white;
      for (int c = 0; c < 3; ++c) key += std::to_string(c + k);
      lists[key].push_back(i);
    }
  });
  stradsap::dmap<int64_t, double> sums;
  stradsap::async_for("a loop in the body alone", n, [&](int64_t i) {
    double& sum = sums[i % 50];
    for (int k = 0; k < 100; ++k) sum = sum / 2 + std::sqrt(k);
  });
  stradsap::async_for("a loop in a function", n, [&](int64_t i) { sums[i % 50] = roots(100) - sums[i % 50]; });
  stradsap::async_for("an algorithm", n, [&](int64_t i) {
    std::vector<int64_t>& list = lists[games[i].black];
    list.push_back(n - i);
    std::sort(list.begin(), list.end());
  });
  stradsap::async_for("a loop before elements", n, [&](int64_t i) {
    for (const std::string& key : parts_of(games[i].black)) lists[key].push_back(i);
  });
  stradsap::dmap<std::string, int64_t> counts;
  stradsap::async_for("only added into", n, [&](int64_t i) { counts[games[i].white] += 1; });
  return players.size() == 30 && counts.size() == 17 && sums.size() == 50 ? 0 : 1;
}
