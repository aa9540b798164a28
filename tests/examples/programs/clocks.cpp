// Loops under consistency::stale: the reads of each call, beside the promise and a plain program that does as
// promised.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "shared_progress.hpp"

namespace {

using namespace stradsap;

constexpr int64_t accumulators = 16;

uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// ---- the clocks that a read contains ----

constexpr int64_t each = 4;  // iterations of an accumulator
constexpr int64_t n = accumulators * each;

/// The iterations of accumulator `other` that iteration j sees in clock `clock`, counted from `drained`, the
/// clock at which the program had last read.
int64_t promised(int64_t bound, int64_t clock, int64_t drained, int64_t other, int64_t j) {
  if (other == j / each) return clock * each + j % each;
  return each * std::max(drained, clock - bound);
}

/// The program reads after each `every` calls.
void reads(int64_t bound, int64_t every) {
  dvector<int64_t> counts(accumulators);
  dvector<int64_t> wrong(n);
  int64_t wrong_totals = 0;
  int64_t drained = 0;
  for (int64_t clock = 0; clock < 24; ++clock) {
    parallel_for(
        n,
        [&counts, &wrong, bound, clock, drained](int64_t j) {
          for (int64_t a = 0; a < accumulators; ++a)
            wrong[j] += counts[a] == promised(bound, clock, drained, a, j) ? 0 : 1;
          ++counts[j / each];
        },
        consistency::stale(bound));
    if ((clock + 1) % every != 0) continue;
    drained = clock + 1;
    for (int64_t a = 0; a < accumulators; ++a)
      wrong_totals += std::as_const(counts)[a] == each * drained ? 0 : 1;
  }
  int64_t sum = 0, all_wrong = 0;
  for (const int64_t one : std::as_const(counts)) sum += one;
  for (const int64_t one : std::as_const(wrong)) all_wrong += one;
  std::printf("wrong=%ld %ld sum=%ld\n", long(all_wrong), long(wrong_totals), long(sum));
}

// ---- free-running calls ----

constexpr int64_t calls = 24;
constexpr int64_t apart = 24;  // elements with changes lie in chunks of their own, or with one other

/// The elements that an iteration of a free-running call sees.
struct seen_freely {
  std::array<int64_t, accumulators> counts{};
  std::array<int64_t, calls> marks{};  // of calls
};

/// Whether it sees whole calls, equally many of all others: as many as the bound promises, or more.
bool sees_whole_calls(const seen_freely& seen, int64_t bound, int64_t clock, int64_t j) {
  const int64_t others = seen.counts[static_cast<std::size_t>((j / each + 1) % accumulators)];
  bool right =
      others % each == 0 && others >= each * std::max<int64_t>(0, clock - bound) && others <= each * clock;
  for (int64_t a = 0; a < accumulators; ++a) {
    const int64_t expected = a == j / each ? clock * each + j % each : others;
    right = right && seen.counts[static_cast<std::size_t>(a)] == expected;
  }
  for (int64_t c = 0; c < calls && j >= each; ++c)
    right = right && seen.marks[static_cast<std::size_t>(c)] == (each * c < others ? 1 : 0);
  return right;
}

/// With a budget: of each other accumulator at least the promised calls, and no part of one.
bool sees_promised_calls(const seen_freely& seen, int64_t bound, int64_t clock, int64_t j) {
  bool right = true;
  for (int64_t a = 0; a < accumulators; ++a) {
    const int64_t one = seen.counts[static_cast<std::size_t>(a)];
    if (a == j / each) right = right && one == clock * each + j % each;
    right = right && one >= each * std::max<int64_t>(0, clock - bound);
    right = right && (a == j / each || (one % each == 0 && one <= each * clock));
  }
  for (int64_t c = 0; c < calls && j >= each; ++c) {
    const int64_t one = seen.marks[static_cast<std::size_t>(c)];
    right = right && (c < clock - bound ? one == 1 : c < clock || one == 0);
  }
  return right;
}

void read_freely(dvector<int64_t>& counts, dvector<int64_t>& marks, dvector<int64_t>& right,
                 dvector<int64_t>& fresh, int64_t bound, bool has_budget, int64_t clock, int64_t j) {
  seen_freely seen;
  for (int64_t a = 0; a < accumulators; ++a) seen.counts[static_cast<std::size_t>(a)] = counts[a * apart];
  for (int64_t c = 0; c < calls && j >= each; ++c)  // the first accumulator meets each mark only once
    seen.marks[static_cast<std::size_t>(c)] = marks[c * apart];
  const bool is_right =
      has_budget ? sees_promised_calls(seen, bound, clock, j) : sees_whole_calls(seen, bound, clock, j);
  right[j] += is_right ? 1 : 0;
  fresh[j] += counts[(j / each + 1) % accumulators * apart] == each * clock ? 1 : 0;
  ++counts[j / each * apart];
  if (j == 0) marks[clock * apart] = 1;
}

/// Calls with a budget of bytes, unless it is 0.
ConsistencyModel free_model(int64_t bound, int64_t budget) {
  if (budget == 0) return consistency::stale({.bound = bound, .free_running = true});
  return consistency::stale({.bound = bound, .free_running = true, .budget = budget});
}

/// `in_step`: all ranks end a call before the next one.
void free_reads(int64_t bound, bool in_step, int64_t budget) {
  dvector<int64_t> counts(accumulators * apart), marks(calls * apart), right(n), fresh(n);
  const ConsistencyModel model = free_model(bound, budget);
  const bool has_budget = budget != 0;
  for (int64_t clock = 0; clock < calls; ++clock) {
    if (in_step) {
      int64_t ended = 0;
      parallel_for(
          n,
          [&counts, &marks, &right, &fresh, &ended, bound, has_budget, clock](int64_t j) {
            read_freely(counts, marks, right, fresh, bound, has_budget, clock, j);
            ++ended;
          },
          model);
    } else {
      parallel_for(
          n,
          [&counts, &marks, &right, &fresh, bound, has_budget, clock](int64_t j) {
            read_freely(counts, marks, right, fresh, bound, has_budget, clock, j);
          },
          model);
    }
  }
  int64_t sum = 0, all_right = 0, all_fresh = 0;
  for (const int64_t one : std::as_const(counts)) sum += one;
  for (const int64_t one : std::as_const(right)) all_right += one;
  for (const int64_t one : std::as_const(fresh)) all_fresh += one;
  std::printf("right=%ld sum=%ld fresh=%ld\n", long(all_right), long(sum), long(all_fresh));
}

/// Each accumulator takes large steps at one element and small ones at others. All ranks end a call before
/// the next one. Counts the reads that see all calls of another accumulator.
void steps(int64_t bound, int64_t budget) {
  constexpr int64_t apart_floats = 64;  // elements with changes lie in chunks of their own
  constexpr int64_t others = 8;
  constexpr float tiny = 0.0078125f;
  dvector<float> large(accumulators * apart_floats, 1.0f), small(others * accumulators * apart_floats, 1.0f);
  const ConsistencyModel model = free_model(bound, budget);
  int64_t seen_large = 0, seen_small = 0;
  for (int64_t clock = 0; clock < calls; ++clock) {
    parallel_for(
        n,
        [&large, &small, &seen_large, &seen_small, clock](int64_t j) {
          const int64_t other = (j / each + accumulators / 2) % accumulators * apart_floats;
          seen_large += large[other] == 1 + static_cast<float>(clock) ? 1 : 0;
          seen_small += small[others * other] == 1 + tiny * static_cast<float>(clock) ? 1 : 0;
          if (j % each != 0) return;
          large[j / each * apart_floats] += 1;
          for (int64_t k = 0; k < others; ++k) small[(j / each * others + k) * apart_floats] += tiny;
        },
        model);
  }
  double sum = 0;
  for (const float one : std::as_const(large)) sum += one - 1;
  for (const float one : std::as_const(small)) sum += one - 1;
  std::printf("large=%ld small=%ld sum=%g\n", long(seen_large), long(seen_small), sum);
}

// ---- any body, beside a plain program ----

struct trial {
  int64_t n;
  int64_t size;
  int64_t bound;
  uint64_t seed;
};

/// A step that depends on old values, so that each missed change shows.
int64_t step(int64_t x, int64_t other, int64_t j, uint64_t seed) {
  return (3 * x + other + static_cast<int64_t>(mixed(static_cast<uint64_t>(j) + seed) % 64)) % 1000003;
}
int64_t place(int64_t j, int64_t clock, uint64_t seed, int64_t size) {
  return static_cast<int64_t>(mixed(static_cast<uint64_t>(j * 131 + clock) + seed) %
                              static_cast<uint64_t>(size));
}

/// The rule, for one container of whole numbers.
class plain_program {
 public:
  explicit plain_program(const trial& of)
      : of_(of), folds_(1, std::vector<int64_t>(static_cast<std::size_t>(of.size), 1)) {}

  void call(int64_t clock) {
    const std::size_t c = changes_.size();
    const std::size_t unseen = std::min(c, static_cast<std::size_t>(of_.bound));
    std::vector<std::vector<int64_t>> all;
    for (std::size_t a = 0; a < accumulators; ++a) {
      std::vector<int64_t> own = folds_[c - unseen];
      for (std::size_t q = c - unseen; q < c; ++q) add(own, changes_[q][a]);
      const std::vector<int64_t> start = own;
      const auto end_of = [&](std::size_t k) { return static_cast<int64_t>(k) * of_.n / accumulators; };
      for (int64_t j = end_of(a); j < end_of(a + 1); ++j) {
        int64_t& x = own[static_cast<std::size_t>(place(j, clock, of_.seed, of_.size))];
        x = step(x, own[static_cast<std::size_t>(j % of_.size)], j, of_.seed);
      }
      for (std::size_t k = 0; k < own.size(); ++k) own[k] -= start[k];
      all.push_back(own);
    }
    std::vector<int64_t> fold = folds_.back();
    for (const std::vector<int64_t>& one : all) add(fold, one);
    folds_.push_back(fold);
    changes_.push_back(all);
  }
  /// All calls are folded, and the next one begins with the result.
  [[nodiscard]] std::vector<int64_t>& drained() {
    folds_.erase(folds_.begin(), folds_.end() - 1);
    changes_.clear();
    return folds_.front();
  }

 private:
  static void add(std::vector<int64_t>& to, const std::vector<int64_t>& change) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += change[k];
  }

  const trial of_;
  std::vector<std::vector<int64_t>> folds_;                 // of the first clocks, from none on
  std::vector<std::vector<std::vector<int64_t>>> changes_;  // by clock and accumulator
};

/// The next step of the program after a call.
enum class between { nothing, read, write, another_loop };

between choice_of(uint64_t draw) {
  if (draw % 8 < 5) return between::nothing;
  return static_cast<between>(draw / 8 % 3 + 1);
}

int64_t run_trial(const trial& of, uint64_t& hash) {
  dvector<int64_t> x(static_cast<std::size_t>(of.size), 1);
  dvector<int64_t> calls(static_cast<std::size_t>(std::max<int64_t>(1, of.n)));
  if (of.seed % 2 == 0) async_for(of.n, [&calls](int64_t j) { calls[j] = 0; });  // cuts it elsewhere
  plain_program twin(of);
  int64_t wrong = 0;
  for (int64_t clock = 0; clock < 20; ++clock) {
    parallel_for(
        of.n,
        [&x, &calls, clock, of](int64_t j) {
          int64_t& one = x[place(j, clock, of.seed, of.size)];
          one = step(one, x[j % of.size], j, of.seed);
          ++calls[j];
        },
        consistency::stale({.bound = of.bound}));
    twin.call(clock);
    const between what = choice_of(mixed(of.seed + 77 * static_cast<uint64_t>(clock)));
    if (what == between::nothing) continue;
    std::vector<int64_t>& expected = twin.drained();
    if (what == between::read) {
      for (int64_t k = 0; k < of.size; ++k)
        wrong += std::as_const(x)[k] == expected[static_cast<std::size_t>(k)] ? 0 : 1;
    } else if (what == between::write) {
      x[clock % of.size] += 5;
      expected[static_cast<std::size_t>(clock % of.size)] += 5;
    } else {
      async_for(of.size, [&x](int64_t k) { x[k] += k; });
      for (int64_t k = 0; k < of.size; ++k) expected[static_cast<std::size_t>(k)] += k;
    }
  }
  const std::vector<int64_t>& expected = twin.drained();
  for (int64_t k = 0; k < of.size; ++k) {
    wrong += std::as_const(x)[k] == expected[static_cast<std::size_t>(k)] ? 0 : 1;
    hash = mixed(hash + static_cast<uint64_t>(std::as_const(x)[k]));
  }
  for (int64_t j = 0; j < of.n; ++j) wrong += calls[j] == 20 ? 0 : 1;
  return wrong;
}

void trials(uint64_t seed) {
  int64_t wrong = 0;
  uint64_t hash = 0;
  for (uint64_t k = 0; k < 24; ++k) {
    const uint64_t draw = mixed(seed * 1000 + k);
    const trial of{.n = static_cast<int64_t>(1 + draw % (k % 3 == 0 ? 20 : 700)),
                   .size = static_cast<int64_t>(1 + draw / 1024 % (k % 4 == 0 ? 20000 : 90)),
                   .bound = static_cast<int64_t>(draw >> 40) % 5,
                   .seed = draw};
    wrong += run_trial(of, hash);
  }
  std::printf("wrong=%ld %016lx\n", long(wrong), static_cast<unsigned long>(hash));
}

// ---- merges, and types without differences ----

void kinds() {
  constexpr int64_t rows = 300;
  uint64_t hash = 0;
  for (const merge::rule& how :
       {merge::rule(merge::sum), merge::rule(merge::mean), merge::rule(merge::adaptive)}) {
    dvector<float> w(rows, 1.0f);
    dvector<std::vector<long>> lists(40, std::vector<long>(2));
    for (int64_t clock = 0; clock < 12; ++clock) {
      parallel_for(
          2000,
          [&w, clock](int64_t j) {
            float& one = w[place(j, clock, 3, rows)];
            one += 0.01f * (static_cast<float>(j % 7) - one);
          },
          consistency::stale({.bound = 2, .merge = how}));
      parallel_for(
          1000, [&lists, clock](int64_t j) { lists[place(j, clock, 5, 40)][j % 2] += j % 5; },
          consistency::stale(1));
    }
    for (const float one : std::as_const(w)) hash = mixed(hash + static_cast<uint64_t>(1e6 * double(one)));
    long sum = 0;
    for (const std::vector<long>& one : std::as_const(lists)) sum += one[0] + one[1];
    std::printf("sum=%ld ", sum);
  }
  std::printf("%016lx\n", static_cast<unsigned long>(hash));
}

// ---- two loops over one container, a sum, and the ends of containers ----

void two_loops() {
  dvector<int64_t> x(accumulators);
  int64_t wrong = 0;
  dvector<int64_t> faults(n);
  for (int64_t call = 0; call < 6; ++call) {
    parallel_for(
        n,
        [&x, &faults, call](int64_t j) {
          const int64_t other = (j / each + 1) % accumulators;
          faults[j] += x[other] == 2 * each * call ? 0 : 1;
          ++x[j / each];
        },
        consistency::stale(3));
    parallel_for(
        n,
        [&x, &faults, call](int64_t j) {
          const int64_t other = (j / each + 1) % accumulators;
          faults[j] += x[other] == 2 * each * call + each ? 0 : 1;
          ++x[j / each];
        },
        consistency::stale(3));
  }
  for (const int64_t one : std::as_const(faults)) wrong += one;
  std::printf("wrong=%ld x=%ld\n", long(wrong), long(std::as_const(x)[3]));
}

void sums() {
  dvector<int64_t> x(accumulators);
  std::string line;
  for (int64_t clock = 0; clock < 5; ++clock) {
    int64_t seen = 0;
    parallel_for(
        n,
        [&x, &seen](int64_t j) {
          seen += x[0];
          ++x[j / each];
        },
        consistency::stale(1));
    line += std::to_string(seen) + " ";
  }
  std::printf("seen=%s\n", line.c_str());
}

/// A container may end, grow or move while calls are to be folded.
void ends() {
  dvector<int64_t> kept(1);
  for (int64_t pass = 0; pass < 3; ++pass) {
    dvector<int64_t> x(accumulators + static_cast<std::size_t>(pass));
    for (int64_t clock = 0; clock < 4; ++clock)
      parallel_for(n, [&x](int64_t j) { ++x[j / each]; }, consistency::stale(2));
    if (pass == 1) x.resize(40);
    if (pass == 2) {
      dvector<int64_t> moved = std::move(x);
      kept = moved;
    }
  }
  std::printf("kept=%ld of %zu\n", long(std::as_const(kept)[15]), kept.size());
}

// ---- exceptions ----

/// An iteration of clock 3 throws. Each line is a call that returns; the program looks after `look` calls.
void throwing(int64_t bound, int64_t look, bool is_free, int64_t budget = 0) {
  dvector<int64_t> x(accumulators);
  std::string line;
  try {
    for (int64_t clock = 0; clock < 12; ++clock) {
      parallel_for(
          n,
          [&x, clock](int64_t j) {
            if (clock == 3 && j % 40 == 23) throw error(errc::body, "too far");
            ++x[j / each];
          },
          is_free ? free_model(bound, budget) : consistency::stale(bound));
      line += std::to_string(clock) + " ";
      if (clock + 1 == look) line += "look " + std::to_string(std::as_const(x)[0]) + " ";
    }
  } catch (const loop_error& e) {
    line += "caught " + std::to_string(e.iteration()) + " of " + e.location() + "; ";
  }
  int64_t sum = 0;
  for (const int64_t one : std::as_const(x)) sum += one;
  parallel_for(n, [&x](int64_t j) { ++x[j / each]; }, consistency::stale(bound));
  std::printf("%s%ld %ld\n", line.c_str(), long(sum), long(std::as_const(x)[15]));
}

/// Nobody waits for the call that fails.
void unseen() {
  dvector<int64_t> x(accumulators);
  for (int64_t clock = 0; clock < 3; ++clock) {
    parallel_for(
        n,
        [&x, clock](int64_t j) {
          if (clock == 2 && j == 5) throw error(errc::body, "too far");
          ++x[j / each];
        },
        consistency::stale(4));
  }
  std::printf("at the end\n");
  std::fflush(stdout);
}

template <class Work> void try_to(const char* what, const Work& work) {
  try {
    work();
    std::printf("%s: nothing\n", what);
  } catch (const error& e) {
    std::printf("%s: %s\n", what, e.what());
  }
}

void errors() {
  dvector<float> x(accumulators, 1.0f);
  dmap<int64_t, int64_t> map;
  const auto body = [&x](int64_t j) { x[j % 16] *= 3; };
  try_to("round", [&] { parallel_for(n, body, consistency::stale({.bound = 1, .round = 64})); });
  try_to("fewer", [&] { parallel_for(n, body, consistency::stale({.bound = 1, .accumulators = 2})); });
  try_to("free",
         [] { const dvector<float> y(4, 1.0f, consistency::stale({.bound = 1, .free_running = true})); });
  const merge::rule mean = merge::mean, adaptive = merge::adaptive;
  const auto with_budget = [&](int64_t bound, int64_t budget, bool is_free, const merge::rule& how) {
    parallel_for(
        n, body,
        consistency::stale({.bound = bound, .merge = how, .free_running = is_free, .budget = budget}));
  };
  try_to("no bytes", [&] { with_budget(1, 0, true, mean); });
  try_to("negative", [&] { with_budget(1, -1, true, mean); });
  try_to("exact", [&] { with_budget(1, 64, false, mean); });
  try_to("no bound", [&] { with_budget(0, 64, true, mean); });
  try_to("uses", [&] { with_budget(1, 64, true, adaptive); });
  try_to("own uses", [&] {
    dvector<float> y(4, 1.0f, consistency::stale({.merge = adaptive}));
    parallel_for(n, [&y](int64_t j) { y[j % 4] *= 0.5f; }, free_model(1, 64));
  });
  try_to("hottest", [&] { parallel_for(n, body, consistency::stale(1, consistency::hottest(4))); });
  try_to("map", [&] { parallel_for(n, [&map](int64_t j) { map[j % 7] += j; }, consistency::stale(1)); });
  try_to("infinite", [&] {
    for (int64_t clock = 0; clock < 40; ++clock) {
      parallel_for(
          n, [&x](int64_t j) { x[j % 16] *= 30; },
          consistency::stale({.bound = 1, .merge = merge::adaptive}));
    }
  });
  try_to("short", [&] {
    dvector<float> y(n);
    parallel_for(n + 1, [&x, &y](int64_t j) { y[j] = x[(j + 1) % 16] += 1; }, consistency::stale(1));
  });
}

// ---- a rank that waits for others ----

/// The last iteration of clock 1 waits until the first one of clock `awaited` has begun.
void straggler(int64_t bound, int64_t awaited, double seconds, const std::string& path) {
  dvector<int64_t> x(accumulators);
  dvector<int64_t> met(n);
  for (int64_t clock = 0; clock < 12; ++clock) {
    parallel_for(
        n,
        [&x, &met, clock, awaited, seconds, path](int64_t j) {
          if (j == 0) note_step(path, clock);
          if (clock == 1 && j == n - 1) met[j] = meets(path, awaited, seconds) ? 1 : 0;
          ++x[j / each];
        },
        consistency::stale(bound));
  }
  std::printf("met=%ld sum=%ld\n", long(std::as_const(met)[n - 1]), long(std::as_const(x)[15]));
}

/// The last rank dies in clock 3, while the driver goes on.
void dying(int64_t bound, int64_t budget) {
  dvector<int64_t> x(accumulators);
  const ConsistencyModel model = budget == 0 ? consistency::stale(bound) : free_model(bound, budget);
  for (int64_t clock = 0; clock < 1000; ++clock) {
    parallel_for(
        n,
        [&x, clock](int64_t j) {
          if (clock == 3 && j == n - 1) __builtin_trap();
          ++x[j / each];
        },
        model);
  }
  std::printf("sum=%ld\n", long(std::as_const(x)[15]));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argv[1];
  if (kind == "reads") reads(std::stol(argv[2]), std::stol(argv[3]));
  if (kind == "trials") trials(std::stoul(argv[2]));
  if (kind == "kinds") kinds();
  if (kind == "two loops") two_loops();
  if (kind == "sums") sums();
  if (kind == "ends") ends();
  if (kind == "throwing") throwing(std::stol(argv[2]), std::stol(argv[3]), /*is_free=*/false);
  if (kind == "free throwing") {
    const int64_t budget = argc > 4 ? std::stol(argv[4]) : 0;
    throwing(std::stol(argv[2]), std::stol(argv[3]), /*is_free=*/true, budget);
  }
  if (kind == "free reads")
    free_reads(std::stol(argv[2]), std::string(argv[3]) == "in step", argc > 4 ? std::stol(argv[4]) : 0);
  if (kind == "steps") steps(std::stol(argv[2]), std::stol(argv[3]));
  if (kind == "unseen") unseen();
  if (kind == "errors") errors();
  if (kind == "straggler") straggler(std::stol(argv[2]), std::stol(argv[3]), std::stod(argv[4]), argv[5]);
  if (kind == "dying") dying(std::stol(argv[2]), argc > 3 ? std::stol(argv[3]) : 0);
}
