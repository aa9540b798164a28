// Sets of the dynamic scheduler by depends_on_accesses(): by_accesses serial SET SHARDS DEPTH DRAWS LOGS, or
// by_accesses KIND.
// `serial`: each update reads and writes elements of a grid around its own one. The sums are in an order, so
// any other sequence of two updates with a common element has other results.
#include <stradsap/stradsap.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

using namespace stradsap;
using consistency::approximate;
using consistency::async;

constexpr int64_t width = 64, height = 48, n = width * height, modulus = 1000003;

/// The k-th of five elements around j. One in sixteen rows of the grid has a far one.
static int64_t place(int64_t j, int64_t k) {
  constexpr int64_t steps[] = {0, 1, n - 1, width, n - width};
  return (j + steps[k] + (k == 4 && j / width % 16 == 7 ? j * j : 0)) % n;
}

static int64_t mixed(int64_t sum, int64_t value) { return (sum * 31 + value) % modulus; }

/// The update of the sequential program.
static void update(auto& X, auto& grid, int64_t j) {
  int64_t sum = j;
  for (int64_t k = 0; k < 5; ++k) sum = mixed(sum, grid[place(j, k)]);
  X[j] = mixed(sum, X[j]) + 1;
  for (int64_t k = 0; k < 5; ++k) grid[place(j, k)] = mixed(grid[place(j, k)], X[j]);
}

static uint64_t hash_of(const auto& all) {
  uint64_t hash = 0;
  for (const auto one : all) {
    uint64_t bits = 0;
    std::memcpy(&bits, &one, sizeof one);
    hash = (hash ^ bits) * 0x100000001b3U;
  }
  return hash;
}

/// The updates that bodies have logged, repeated one after the other.
static bool is_serial(int log, const auto& X, const auto& grid) {
  std::vector<int64_t> ran(4 * n), own(n), other(n);
  const auto size = static_cast<ssize_t>(ran.size() * sizeof ran[0]);
  if (pread(log, ran.data(), static_cast<size_t>(size), 0) != size) return false;
  for (int64_t i = 0; i < n; ++i) other[i] = i;
  for (const int64_t j : ran) update(own, other, j);
  return hash_of(own) == hash_of(X) && hash_of(other) == hash_of(grid);
}

static void run_serial(int64_t set, int64_t shards, int64_t depth, bool draws, bool logs) {
  const int log = logs ? fileno(std::tmpfile()) : -1;
  if (logs) (void)fcntl(log, F_SETFL, O_APPEND);
  dvector<int64_t> X(n), grid(n), count(4);
  for (int64_t i = 0; i < n; ++i) grid[i] = i;
  schedule::dynamic_schedule how = schedule::dynamic().passes(4).depends_on_accesses().pipeline_depth(depth);
  if (set != 0) how = shards == 0 ? how.set_size(set) : how.set_size(set, shards);
  if (draws) how = how.priority([](int64_t j) { return 1 + j % 5; });
  const auto body = [&, log](int64_t j) {
    int64_t sum = j;
    for (int64_t k = 0; k < 5; ++k) sum = mixed(sum, grid[place(j, k)]);
    if (log >= 0) (void)sched_yield();  // to an update on another thread
    X[j] = mixed(sum, X[j]) + 1;
    for (int64_t k = 0; k < 5; ++k) grid[place(j, k)] = mixed(grid[place(j, k)], X[j]);
    count[j % 4] += 1;  // of many iterations, and no dependence
    if (log >= 0) (void)!write(log, &j, sizeof j);
  };
  parallel_for(n, body, async, how, access(pure(write, sched_yield)));
  int64_t counted = 0;
  for (const int64_t one : count) counted += one;
  const char* order = !logs ? "" : is_serial(log, X, grid) ? " serial" : " not serial";
  std::printf("counted=%ld bits=%016lx%016lx%s\n", static_cast<long>(counted),
              static_cast<unsigned long>(hash_of(X)), static_cast<unsigned long>(hash_of(grid)), order);
}

/// A lasso with a few entries a column, of which the elements of `residual` tell by how much updates are
/// lost.
static void run_lasso(const char* kind) {
  constexpr int64_t columns = 4000, rows = 8000, entries = 6;
  const bool yields = std::strcmp(kind, "lasso-limit") == 0;
  const bool fails = std::strcmp(kind, "lasso-throws") == 0;
  std::vector<int64_t> row(columns * entries);
  std::vector<double> value(columns * entries), target(rows);
  for (int64_t k = 0; k < columns * entries; ++k) {
    row[k] = (k % entries * 1361 + k / entries * 6007) % rows;  // all six differ, so each update descends
    value[k] = 0.2 + static_cast<double>(k * 7919 % 101) / 101;
  }
  for (int64_t i = 0; i < rows; ++i) target[i] = static_cast<double>(i * 6007 % 997) / 997 - 0.3;
  dvector<double> beta(columns), residual(rows);
  for (int64_t i = 0; i < rows; ++i) residual[i] = target[i];
  constexpr double lambda = 0.3;
  int64_t updates = 0;
  schedule::dynamic_schedule how = schedule::dynamic().depends_on_accesses().set_size(64).until(1e-10);
  if (yields) how = how.updates(12345);
  const auto body = [&, fails, yields](int64_t j) {
    double slope = 0, norm2 = 0;
    for (int64_t k = j * entries; k < (j + 1) * entries; ++k) {
      slope += value[k] * residual[row[k]];
      norm2 += value[k] * value[k];
    }
    if (fails && j == 3333) throw std::domain_error("column 3333");
    const double free = slope + norm2 * beta[j], size = std::max(std::abs(free) - lambda, 0.0) / norm2;
    const double now = free < 0 ? -size : size;
    for (int64_t k = j * entries; k < (j + 1) * entries; ++k) {
      const double before = residual[row[k]];
      if (yields) (void)sched_yield();  // to an update on another thread
      residual[row[k]] = before - value[k] * (now - beta[j]);
    }
    beta[j] = now;
    updates += 1;
  };
  parallel_for(columns, body, async, how, access(pure(sched_yield)));  // lasso
  std::vector<double> exact = target;
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t k = j * entries; k < (j + 1) * entries; ++k) exact[row[k]] -= value[k] * beta[j];
  }
  double drift = 0, violation = 0;
  for (int64_t i = 0; i < rows; ++i) drift = std::max(drift, std::abs(exact[i] - residual[i]));
  for (int64_t j = 0; j < columns; ++j) {
    double slope = 0;
    for (int64_t k = j * entries; k < (j + 1) * entries; ++k) slope += value[k] * exact[row[k]];
    const double b = beta[j];
    const double off = b == 0 ? std::abs(slope) - lambda : std::abs(slope - (b < 0 ? -lambda : lambda));
    violation = std::max(violation, off);
  }
  std::printf("updates=%ld violation=%.2e drift=%.2e\n", static_cast<long>(updates), violation, drift);
}

/// A fixed point of averages: each update writes its own element alone, and reads four others.
static void run_averages() {
  constexpr int64_t all = 1000;
  dvector<double> X(all, 1);
  int64_t updates = 0;
  const auto body = [&](int64_t j) {
    double sum = static_cast<double>(j) / all;
    for (int64_t k = 1; k < 5; ++k) sum += X[(j * 7 + k * 31) % all];
    X[j] = sum / 6;
    updates += 1;
  };
  parallel_for(all, body, async, schedule::dynamic().depends_on_accesses().set_size(64).until(1e-9));
  double off = 0;
  for (int64_t j = 0; j < all; ++j) {
    double sum = static_cast<double>(j) / all;
    for (int64_t k = 1; k < 5; ++k) sum += X[(j * 7 + k * 31) % all];
    off = std::max(off, std::abs(X[j] - sum / 6));
  }
  std::printf("solved=%d updates=%ld bits=%016lx\n", off < 1e-8 ? 1 : 0, static_cast<long>(updates),
              static_cast<unsigned long>(hash_of(X)));
}

static const auto sets = schedule::dynamic().passes(3).set_size(16).depends_on_accesses();

static bool is(const char* kind, const char* name) { return std::strcmp(kind, name) == 0; }

/// Elements that cannot be found before the loop, or that too many iterations touch.
static void run_alone(const char* kind, dvector<int64_t>& X, dvector<int64_t>& all) {
  const auto size = static_cast<int64_t>(X.size());
  dmap<int64_t, int64_t> counts;
  for (int64_t k = 0; k < 8; ++k) counts[k] = 0;
  const auto chosen = [&](int64_t j) {
    X[j] = (X[j] * 7 + 1) % 50;
    all[X[j]] = all[X[j]] * 3 + 1;
  };
  const auto chained = [&](int64_t j) {
    X[j] += 1;
    all[all[j] % 50] = j;
  };
  const auto keyed = [&](int64_t j) {
    X[j] += 1;
    counts[j % 8] = counts[j % 8] * 2 + 1;
  };
  const auto shared = [&](int64_t j) {
    X[j] += 1;
    all[7] = all[7] * 3 + X[j];
  };
  const auto few = [&](int64_t j) {
    X[j] += 1;
    all[j / 2] = all[j / 2] * 3 + X[j];
  };
  if (is(kind, "chosen")) parallel_for(size, chosen, async, sets);
  if (is(kind, "chained")) parallel_for(size, chained, async, sets);
  if (is(kind, "keyed")) parallel_for(size, keyed, async, sets);
  if (is(kind, "shared")) parallel_for(size, shared, async, sets);
  dvector<std::array<int64_t, 8>> rows(size);
  const auto of_few = [&](int64_t j) {
    X[j] += 1;
    rows[j / 2][j % 8] += rows[j / 2 + 1][0] + X[j];
  };
  if (is(kind, "short"))
    parallel_for(size, of_few, async, schedule::dynamic().passes(3).depends_on_accesses());
  if (is(kind, "few")) parallel_for(size, few, async, schedule::dynamic().passes(3).depends_on_accesses());
}

/// Elements of other kinds.
static void run_others(const char* kind, dvector<int64_t>& X, dvector<int64_t>& all) {
  const auto size = static_cast<int64_t>(X.size());
  dvector<std::vector<int64_t>> lists(size);
  const auto owning = [&](int64_t j) {
    X[j] += 1;
    std::vector<int64_t>& list = lists[(j + 1) % size];
    list.push_back(X[j]);
    lists[j].push_back(static_cast<int64_t>(list.size()));
  };
  if (is(kind, "owning")) parallel_for(size, owning, async, sets);
  dvector<int64_t> rows(4 * size);
  const auto of_rows = [&](int64_t j) {
    const int64_t next = (j + 1) % size;
    for (int64_t k = 0; k < 4; ++k) rows[4 * next + k] = rows[4 * next + k] * 3 + rows[4 * j + k] + j;
    X[j] += rows[4 * j];
  };
  if (is(kind, "rows")) parallel_for(size, of_rows, async, sets);
  const auto least = [&](int64_t j) {
    X[j] += 1;
    all[j * 7 % 30] = std::min(all[j * 7 % 30], 100 - X[j] * j);
  };
  if (is(kind, "least")) parallel_for(size, least, async, sets);
  const auto conditional = [&](int64_t j) {  // its inspector omits the condition
    X[j] += 1;
    if (X[j] * j % 3 == 0) all[j * 7 % 30] = all[j * 7 % 30] * 5 + j;
  };
  if (is(kind, "conditional")) parallel_for(size, conditional, async, sets);
  uint64_t hash = hash_of(rows);
  for (const std::vector<int64_t>& list : lists) hash ^= hash_of(list) * 31 + hash;
  std::printf("others=%016lx ", static_cast<unsigned long>(hash));
}

static void make_mistake(const char* kind, dvector<int64_t>& X) {
  const auto none = [](int64_t, int64_t) { return 0; };
  if (is(kind, "both")) {
    parallel_for(X.size(), [&X](int64_t j) { X[j] += 1; }, approximate, sets.depends(none));  // both
  }
  if (is(kind, "over")) (void)schedule::dynamic().passes(3).depends_on_accesses().over(10);
  if (is(kind, "throws")) {
    const auto body = [&X](int64_t j) {
      if (j == 70 && X[j] > 1) throw std::domain_error("above one");
      X[j] += 1;
    };
    parallel_for(X.size(), body, async, sets);  // throws
  }
}

/// Body 700 throws before its first write. All writes of each other body stay, or none of them.
template <class How> static void run_halves(const How& how, ConsistencyModel model) {
  constexpr int64_t n = 1000;
  dvector<int64_t> X(n), count(1);
  dvector<std::array<int64_t, 16>> places(n);
  try {
    parallel_for(
        n,
        [&](int64_t j) {
          if (j == 700) throw std::domain_error("no body 700");
          std::array<int64_t, 16>& place = places[j * 7919 % n / 2];  // of two iterations
          place[1] = place[0] + 1;
          place[0] = place[1];
          count[0] += 1;
          X[j] += 1;
        },
        model, how);
  } catch (const error& failure) {
    std::puts(failure.what());
  }
  int64_t updates = 0, written = 0;
  for (int64_t j = 0; j < n; ++j) {
    updates += X[j];
    written += places[j][0];
  }
  std::printf("updates=%ld written=%ld counted=%ld\n", static_cast<long>(updates), static_cast<long>(written),
              static_cast<long>(count[0]));
}

int main(int argc, char** argv) {
  try {
    if (is(argv[1], "halves")) {
      run_halves(schedule::dynamic().passes(2).depends_on_accesses().set_size(64), async);
      return 0;
    }
    if (is(argv[1], "halves-apart")) {
      run_halves(schedule::dynamic().passes(2).set_size(64), approximate);
      return 0;
    }
    if (argc == 7) {
      run_serial(std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4]), std::atoi(argv[5]) != 0,
                 std::atoi(argv[6]) != 0);
      return 0;
    }
    while (std::strcmp(argv[1], "endless") == 0) {
      run_serial(/*set=*/512, 0, 0, /*draws=*/false, /*logs=*/false);
      std::fflush(stdout);
    }
    if (std::strncmp(argv[1], "lasso", 5) == 0) {
      run_lasso(argv[1]);
      return 0;
    }
    if (std::strcmp(argv[1], "averages") == 0) {
      run_averages();
      return 0;
    }
    dvector<int64_t> X(100, 1), all(100, 1);
    make_mistake(argv[1], X);
    run_alone(argv[1], X, all);
    run_others(argv[1], X, all);
    std::printf("bits=%016lx%016lx\n", static_cast<unsigned long>(hash_of(X)),
                static_cast<unsigned long>(hash_of(all)));
  } catch (const error& failure) {
    std::printf("%d: %s\n", static_cast<int>(failure.code()), failure.what());
  }
  return 0;
}
