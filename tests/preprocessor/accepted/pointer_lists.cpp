// Lists of pointers to elements that a range-for goes through, and captured sets of bits.
#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "../compared.hpp"

using namespace stradsap;

struct player {
  double rating = 1500;
  int games = 0;
  std::array<int, 4> won{};
};

constexpr int64_t n = 200;

template <class Players> static bool same(const Players& players, const std::vector<player>& wanted) {
  bool all = true;
  for (int64_t i = 0; i < n; ++i) {
    all = all && players[i].games == wanted[i].games && players[i].won == wanted[i].won;
    all = all && players[i].rating == wanted[i].rating;
  }
  return all;
}

/// One text for vectors and containers.
static void meet(int64_t i, player& one, player& other) {
  for (player* p : {&one, &other}) ++p->games;
  for (auto* p : {&one}) p->won[i % 4] += 1;
}

int main() {
  dvector<player> players(n);
  std::vector<player> wanted(n);
  for (int64_t i = 0; i + 1 < n; ++i) {
    meet(i, wanted[i], wanted[i + 1]);
    for (player* p : {&wanted[i], &wanted[i * 7 % n]}) p->rating = p->rating / 2 + 10;
  }
  parallel_for(n - 1, [&](int64_t i) {
    meet(i, players[i], players[i + 1]);
    for (player* p : {&players[i], &players[i * 7 % n]}) p->rating = p->rating / 2 + 10;
  }, consistency::ordered);
  compared::check("elements", same(players, wanted));

  dmap<std::string, player> by_name;
  async_for(n, [&](int64_t i) {
    player &one = by_name[std::string(1, static_cast<char>('a' + i % 5))], &other = by_name["z"];
    for (player* const& p : {&one, &other}) p->games += 1;
  });
  compared::check("entries", by_name["a"].games == n / 5 && by_name["z"].games == n);

  std::vector<float> wanted_rows(n * 3);
  dvector<float> flat(n * 3);
  for (int64_t i = 0; i < n; ++i) {
    for (float* row : {&wanted_rows[i * 3], &wanted_rows[(n - 1 - i) * 3]}) {
      for (int k = 0; k < 3; ++k) row[k] += static_cast<float>(i * k);
    }
  }
  parallel_for(n, [&](int64_t i) {
    for (float* row : {&flat[i * 3], &flat[(n - 1 - i) * 3]}) {
      for (int k = 0; k < 3; ++k) row[k] = row[k] + static_cast<float>(i * k);
    }
  }, consistency::ordered);
  bool right = true;
  for (int64_t i = 0; i < n * 3; ++i) right = right && flat[i] == wanted_rows[i];
  compared::check("rows", right);

  std::bitset<64> even;
  for (std::size_t i = 0; i < 64; i += 2) even[i] = true;
  dvector<int> counts(n);
  async_for(n, [&](int64_t j) { counts[j] = (even[j % 64] ? 1 : 0) + static_cast<int>(even.count()); });
  compared::check("bits", counts[0] == 33 && counts[1] == 32 && counts[64] == 33);
  return compared::failures;
}
