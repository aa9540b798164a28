// Changes of a `sync` loop's shards that pass through pointers, rows, references, parameters and members: stores
// count as the last value, and comparisons keep the least or the greatest.
#include <stradsap/stradsap.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

using namespace stradsap;

static constexpr int n = 3200, size = 64;
static int failures = 0;
static void check(const char* what, bool right) {
  std::printf("%s %s\n", what, right ? "ok" : "WRONG");
  failures += right ? 0 : 1;
}
static bool all_are(const dvector<int>& x, int wanted) {
  return std::all_of(x.begin(), x.end(), [wanted](int one) { return one == wanted; });
}
static int value_of(int64_t j) { return static_cast<int>(j * 7919 % 10007); }
static int least_of(int64_t k) {
  int found = 1 << 30;
  for (int64_t j = k; j < n; j += size) found = std::min(found, value_of(j));
  return found;
}
static int greatest_of(int64_t k) {
  int found = -1;
  for (int64_t j = k; j < n; j += size) found = std::max(found, value_of(j));
  return found;
}
static bool are_least(const dvector<int>& x) {
  for (int k = 0; k < size; ++k) if (x[k] != least_of(k)) return false;
  return true;
}
static void mark(int& one) { one = 1; }
static void mark_row(int* row, int d) { for (int k = 0; k < d; ++k) row[k] = 1; }
static void lower(int& best, int candidate) { if (candidate < best) best = candidate; }

struct cell {
  int state = 0;
  int visits = 0;
  std::array<int, 2> ends{};
  void visit(int at) { state = 1; ends[0] = at; }
};

static void stores() {
  dvector<int> row(size), address(size), view(size), given(size), given_row(size), lambda(size);
  sync_for(n, 0, [&](int64_t j) { int* r = &row[j % 8 * 8]; for (int k = 0; k < 8; ++k) r[k] = 1; });
  sync_for(n, 0, [&](int64_t j) { int* p = &address[j % size]; *p = 1; });
  sync_for(n, 0, [&](int64_t j) { std::span<int> s(&view[j % 8 * 8], 8); for (std::size_t k = 0; k < s.size(); ++k) s[k] = 1; });
  sync_for(n, 0, [&](int64_t j) { mark(given[j % size]); });
  sync_for(n, 0, [&](int64_t j) { mark_row(&given_row[j % 8 * 8], 8); });
  sync_for(n, 0, [&](int64_t j) { const auto set = [&](int64_t k) { lambda[k] = 1; }; set(j % size); });
  check("stores", all_are(row, 1) && all_are(address, 1) && all_are(view, 1) && all_are(given, 1) &&
                      all_are(given_row, 1) && all_are(lambda, 1));
}

static void stores_in_parts() {
  dvector<cell> cells(size), visited(size);
  dvector<std::vector<int>> rows(8, std::vector<int>(8));
  sync_for(n, 0, [&](int64_t j) { cells[j % size].state = 1; if (j % 3 == 0) cells[j % size].ends[1] = 5; });
  sync_for(n, 0, [&](int64_t j) { visited[j % size].visit(9); });
  sync_for(n, 0, [&](int64_t j) { rows[j % 8][j / 8 % 8] = 3; });
  bool right = true;
  for (const cell& one : std::as_const(cells)) right = right && one.state == 1 && one.ends[1] == 5;
  for (const cell& one : std::as_const(visited)) right = right && one.state == 1 && one.ends[0] == 9;
  for (const std::vector<int>& one : std::as_const(rows)) for (const int x : one) right = right && x == 3;
  check("parts", right);
}

/// Of elements with memory of their own, and by a `for` over their entries.
static void operators_on_rows() {
  using row = std::vector<int>;
  dvector<row> bits(8, row(8)), most(8, row(8)), turned(8, row(8)), all(8, row(8, 7)), marked(8, row(8));
  dvector<std::array<int, 4>> ones(size);
  dvector<row> late(8, row(8), consistency::stale(1));
  sync_for(n, 0, [&](int64_t j) { for (int& one : bits[j % 8]) one |= 1 << j % 3; });
  sync_for(n, 0, [&](int64_t j) { for (int c = 0; c < 8; ++c) most[j % 8][c] = std::max(most[j % 8][c], value_of(j)); });
  sync_for(n, 0, [&](int64_t j) { turned[j % 8][j / 8 % 8] ^= value_of(j); });
  sync_for(n, 0, [&](int64_t j) { all[j % 8][j / 8 % 8] &= j % 64 == 5 ? 5 : 7; });
  sync_for(n, 0, [&](int64_t j) { row& r = marked[j % 8]; for (int& one : r) one = 4; });
  sync_for(n, 0, [&](int64_t j) { for (auto& one : ones[j % size]) one = 1; });
  for (int pass = 0; pass < 3; ++pass) async_for(n, [&](int64_t j) { late[j % 8][j / 8 % 8] |= 2; });
  bool right = true;
  for (int k = 0; k < 8; ++k) {
    int highest = 0;
    for (int j = k; j < n; j += 8) highest = std::max(highest, value_of(j));
    for (int c = 0; c < 8; ++c) {
      int turns = 0;
      for (int j = k + 8 * c; j < n; j += 64) turns ^= value_of(j);
      right = right && std::as_const(bits)[k][c] == 7 && std::as_const(most)[k][c] == highest && std::as_const(turned)[k][c] == turns;
      right = right && std::as_const(all)[k][c] == (k == 5 && c == 0 ? 5 : 7) && std::as_const(marked)[k][c] == 4;
      right = right && std::as_const(late)[k][c] == 2;
    }
  }
  for (const auto& four : std::as_const(ones)) for (const int one : four) right = right && one == 1;
  check("rows", right);
}

static void labels() {
  dvector<int> label(2 * size);
  for (int k = 0; k < size; ++k) label[k] = 100 + k;
  sync_for(n, 0, [&](int64_t j) { label[size + j % size] = label[j % size]; });
  bool right = true;
  for (int k = 0; k < size; ++k) right = right && std::as_const(label)[size + k] == 100 + k;
  check("labels", right);
}

static void entries() {
  dmap<int, int> seen, low, flags;
  for (int k = 0; k < size; ++k) seen[k] = 0, low[k] = 1 << 30, flags[k] = 0;
  sync_for(n, 0, [&](int64_t j) { auto& one = seen[static_cast<int>(j % size)]; one = 1; });
  sync_for(n, 0, [&](int64_t j) { auto& one = low[static_cast<int>(j % size)]; const int v = value_of(j); if (v < one) one = v; });
  sync_for(n, 0, [&](int64_t j) { int& one = flags[static_cast<int>(j % size)]; one |= 1 << j / size % 3; });
  bool right = true;
  for (int k = 0; k < size; ++k)
    right = right && std::as_const(seen).at(k) == 1 && std::as_const(low).at(k) == least_of(k) && std::as_const(flags).at(k) == 7;
  check("entries", right);
}

static void least() {
  constexpr int far = 1 << 30;
  dvector<int> wider(size, far), flagged(size, far), copied(size, far), unset(size, -1), guarded(size, far), given(size, far);
  dvector<uint32_t> unsigned_(size, far);
  bool changed = false;
  sync_for(n, 0, [&](int64_t j) { const int64_t v = value_of(j); if (v < wider[j % size]) wider[j % size] = v; });
  sync_for(n, 0, [&](int64_t j) { const int v = value_of(j); if (v < flagged[j % size]) { flagged[j % size] = v; changed = true; } });
  sync_for(n, 0, [&](int64_t j) { const int old = copied[j % size]; if (value_of(j) < old) copied[j % size] = value_of(j); });
  sync_for(n, 0, [&](int64_t j) { const int v = value_of(j); if (unset[j % size] == -1 || v < unset[j % size]) unset[j % size] = v; });
  sync_for(n, 0, [&](int64_t j) { const int v = value_of(j); if (j % 5 == 9 || v >= guarded[j % size]) return; guarded[j % size] = v; });
  sync_for(n, 0, [&](int64_t j) { lower(given[j % size], value_of(j)); });
  sync_for(n, 0, [&](int64_t j) { const int v = value_of(j); if (v < static_cast<int>(unsigned_[j % size])) unsigned_[j % size] = v; });
  bool right = changed;
  for (int k = 0; k < size; ++k) right = right && std::as_const(unsigned_)[k] == static_cast<uint32_t>(least_of(k));
  check("least", right && are_least(wider) && are_least(flagged) && are_least(copied) && are_least(unset) &&
                     are_least(guarded) && are_least(given));
}

/// The element, the candidate and the comparison under other names.
static void least_by_other_names() {
  constexpr int far = 1 << 30;
  dvector<int> kept(size, far), named(size, far), referred(size, far), repeated(size, far), first(size, -1), both(size, -1);
  dvector<std::pair<int, int>> pairs(size, {far, 0});
  dvector<int> reached(size);
  sync_for(n, 0, [&](int64_t j) { const int old = kept[j % size]; kept[j % size] = std::min(old, value_of(j)); });
  sync_for(n, 0, [&](int64_t j) { const bool better = value_of(j) < named[j % size]; if (better) named[j % size] = value_of(j); });
  sync_for(n, 0, [&](int64_t j) {
    const int& old = referred[j % size];
    const int v = value_of(j);
    if (v < old) {
      referred[j % size] = v;
      reached[j % size] = 1;
    }
  });
  sync_for(n, 0, [&](int64_t j) { while (value_of(j) < repeated[j % size]) repeated[j % size] = value_of(j); });
  sync_for(n, 0, [&](int64_t j) {
    int& x = first[j % size];
    if (x < 0) x = value_of(j);
    else x = std::min(x, value_of(j));
  });
  sync_for(n, 0, [&](int64_t j) { both[j % size] = both[j % size] < 0 || value_of(j) < both[j % size] ? value_of(j) : both[j % size]; });
  sync_for(n, 0, [&](int64_t j) { pairs[j % size].first = std::min(pairs[j % size].first, value_of(j)); });
  bool right = all_are(reached, 1);
  for (int k = 0; k < size; ++k) right = right && std::as_const(pairs)[k].first == least_of(k);
  check("names", right && are_least(kept) && are_least(named) && are_least(referred) && are_least(repeated) && are_least(first) && are_least(both));
}

/// Stores that keep the value of an element that has one, bits of elements that the body reads, members by references.
static void kept_values() {
  dvector<int> level(size, -1), turned(size, -1), seen(size), bits(size), joined(size);
  dvector<cell> cells(size), others(size);
  level[0] = 0;
  sync_for(n, 0, [&](int64_t j) { if (level[j % size] < 0) level[j % size] = level[0] + 3; });
  sync_for(n, 0, [&](int64_t j) { turned[j % size] = turned[j % size] < 0 ? 3 : turned[j % size]; });
  sync_for(n, 0, [&](int64_t j) { seen[j % size] = seen[j % size] || j >= 0; });
  sync_for(n, 0, [&](int64_t j) { const int bit = 1 << j / size % 4; if (bits[j % size] & bit) return; bits[j % size] |= bit; });
  sync_for(n, 0, [&](int64_t j) { joined[j % size] |= joined[0] | 1 << j / size % 4; });
  sync_for(n, 0, [&](int64_t j) { int& end = cells[j % size].ends[j / size % 2]; end = 8; });
  sync_for(n, 0, [&](int64_t j) { for (int& end : others[j % size].ends) end = std::max(end, value_of(j)); });
  bool right = std::as_const(level)[0] == 0;
  for (int k = 0; k < size; ++k) {
    right = right && (k == 0 || std::as_const(level)[k] == 3) && std::as_const(turned)[k] == 3 && std::as_const(seen)[k] == 1;
    right = right && std::as_const(bits)[k] == 15 && std::as_const(joined)[k] == 15;
    right = right && std::as_const(cells)[k].ends[1] == 8 && std::as_const(others)[k].ends[1] == greatest_of(k);
  }
  check("kept", right);
}

static void greatest() {
  dvector<int> index(size, -1), row(size, -1);
  dvector<cell> cells(size);
  sync_for(n, 0, [&](int64_t j) { if (j > index[j % size]) index[j % size] = j; });
  sync_for(n, 0, [&](int64_t j) { int* r = &row[j % 8 * 8]; for (int k = 0; k < 8; ++k) if (k == j / 8 % 8 && value_of(j) > r[k]) r[k] = value_of(j); });
  sync_for(n, 0, [&](int64_t j) { const int v = value_of(j); if (v > cells[j % size].visits) cells[j % size].visits = v; });
  bool right = true;
  for (int k = 0; k < size; ++k) {
    int wanted = -1;
    for (int j = 0; j < n; ++j) if (j % 8 * 8 + j / 8 % 8 == k) wanted = std::max(wanted, value_of(j));
    right = right && std::as_const(index)[k] == n - size + k && std::as_const(row)[k] == wanted;
    right = right && std::as_const(cells)[k].visits == greatest_of(k);
  }
  check("greatest", right);
}

/// Asynchronous loops over entries that they read and change: no copies, since they do not only add.
static void read_entries() {
  using four = std::array<int, 4>;
  dvector<four> x(size, {1, 2, 3, 4});
  dvector<std::vector<std::pair<int, int>>> pairs(8, {{1, 2}, {3, 4}});
  four wanted{1, 2, 3, 4};
  for (int pass = 0; pass < n / size; ++pass) {
    int sum = 0;
    for (const int one : wanted) sum += one;
    for (int& one : wanted) one += sum % 3 + 1;
  }
  async_for(n, [&](int64_t j) {
    int sum = 0;
    for (const int one : x[j % size]) sum += one;
    for (int& one : x[j % size]) one += sum % 3 + 1;
  });
  async_for(n, [&](int64_t j) {
    for (auto& [a, b] : pairs[j % 8]) {
      b = (a + b) % 1009;
      a += 1;
    }
  });
  int a = 1, b = 2;
  for (int pass = 0; pass < n / 8; ++pass) b = (a + b) % 1009, a += 1;
  bool right = true;
  for (const four& one : std::as_const(x)) right = right && one == wanted;
  for (const auto& list : std::as_const(pairs)) right = right && list[0] == std::pair(a, b);
  check("read entries", right);
}

/// In copies of accumulators too.
static void stale() {
  dvector<int> seen(size, 0, consistency::stale(1)), low(size, 1 << 30, consistency::stale(1));
  dvector<cell> cells(size, cell(), consistency::stale(0));
  for (int pass = 0; pass < 4; ++pass) {
    async_for(n, [&](int64_t j) { int* r = &seen[j % 8 * 8]; for (int k = 0; k < 8; ++k) r[k] = 1; });
    async_for(n, [&](int64_t j) { const int64_t v = value_of(j); if (v < low[j % size]) low[j % size] = v; });
    async_for(n, [&](int64_t j) { cells[j % size].state = 2; });
  }
  bool right = true;
  for (const cell& one : std::as_const(cells)) right = right && one.state == 2;
  check("stale", right && all_are(seen, 1) && are_least(low));
}

int main() {
  stores();
  stores_in_parts();
  operators_on_rows();
  labels();
  entries();
  least();
  least_by_other_names();
  kept_values();
  greatest();
  read_entries();
  stale();
  return failures;
}
