// Loops with uneven work: rows of very unequal length, and a slow rank.
// Iterations that move to another rank or executor change no bit.
//
//   uneven rows|sums|blocks|waves|shards
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

/// Work without a result.
static void spin(std::size_t steps) {
  [[maybe_unused]] volatile std::size_t sink = 0;
  for (std::size_t step = 0; step < steps; ++step) sink = step;
}

/// Time without work: it passes on a busy machine, too.
static void wait_now_and_then(std::int64_t iteration, std::int64_t every) {
  constexpr int milliseconds = 1;
  if (iteration % every == 0) poll(nullptr, 0, milliseconds);
}

static bool is_slow_rank() {
  static const char* const rank = std::getenv("STRADSAP_RANK");
  return rank != nullptr && rank[0] == '1';
}

/// Rank 1, if there is one; else the threads beside main's.
static bool is_slow_thread() {
  static const char* const ranks = std::getenv("STRADSAP_WORLD_SIZE");
  if (ranks != nullptr && ranks[0] != '1') return is_slow_rank();
  thread_local const bool is_main = gettid() == getpid();
  return !is_main;
}

static std::uint64_t hash_of(const stradsap::dvector<double>& x) {
  std::uint64_t hash = 0;
  for (const double value : x) hash = hash * 31 + stradsap::abi::hash_bytes(&value, sizeof value);
  return hash;
}

/// The longest rows come first: the first eighth of them has almost all the work.
static void run_rows(bool sums_fractions) {
  constexpr int n = 1000;
  stradsap::dvector<std::vector<double>> rows(n);
  stradsap::dvector<double> total(n);
  for (std::size_t i = 0; i < n; ++i) rows[i].assign(1 + 20000 / (i + 1), 1.0 / static_cast<double>(i + 3));
  for (int pass = 0; pass < 24; ++pass) {
    std::int64_t count = 0;
    double sum = 0;
    const auto body = [](decltype(rows)& rows, decltype(total)& total, std::int64_t& count, auto&... sum) {
      return [&rows, &total, &count, &sum...](std::int64_t i) {
        for (double& x : rows[i]) {
          x = x * 0.99 + 0.001;
          total[i] += x;
          ++count;
        }
        spin(8 * rows[i].size());
        ((sum += total[i]), ...);
      };
    };
    using test::aligned, test::container, test::reads, test::writes;
    if (sums_fractions) {
      stradsap::parallel_for(
          n,
          test::loop<1, 0>("uneven.cpp:1", body, container < reads | writes | aligned > (rows),
                           container < reads | writes | aligned > (total), test::sum(count), test::sum(sum)),
          stradsap::consistency::async);
    } else {
      stradsap::parallel_for(
          n,
          test::loop<2, 0>("uneven.cpp:2", body, container < reads | writes | aligned > (rows),
                           container < reads | writes | aligned > (total), test::sum(count)),
          stradsap::consistency::async);
    }
    std::printf("count=%lld sum=%a\n", static_cast<long long>(count), sum);
  }
  std::printf("bits=%016llx\n", static_cast<unsigned long long>(hash_of(total)));
}

struct sample {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::string passes;
  static constexpr auto stradsap_members_() {
    return stradsap::abi::stradsap_members<sample>(stradsap::abi::bases<>(), &sample::a, &sample::b,
                                                   &sample::passes);
  }
};

/// Rank 1, if there is one, takes many times as long for an iteration.
static void run_blocks() {
  constexpr int n = 20000;
  constexpr int size = 400;
  stradsap::dvector<sample> samples(n);
  for (std::size_t j = 0; j < n; ++j)
    samples[j] = {static_cast<std::uint32_t>(test::draw(1, j, size)),
                  static_cast<std::uint32_t>(test::draw(2, j, size)), ""};
  stradsap::dvector<double> P(size, 1.0);
  stradsap::dvector<double> Q(size, 0.5);
  for (int pass = 0; pass < 16; ++pass) {
    double loss = 0;
    stradsap::parallel_for(
        n,
        test::loop<3, 0>(
            "uneven.cpp:3",
            [](decltype(samples)& samples, decltype(P)& P, decltype(Q)& Q, double& loss) {
              return [&samples, &P, &Q, &loss](std::int64_t j) {
                sample& s = samples[j];
                double& p = P[s.a];
                double& q = Q[s.b];
                loss += p - q;
                p = 0.9 * p + 0.05 * q;
                q = 0.95 * q + 0.04 * p;
                s.passes += "+";
                if (is_slow_rank()) wait_now_and_then(j, 320);
              };
            },
            test::container < test::reads | test::writes | test::aligned | test::steers |
                stradsap::abi::steady,
            "samples", 4, 3 > (samples), test::container < test::reads | test::writes > (P),
            test::container < test::reads | test::writes > (Q), test::sum(loss)),
        stradsap::consistency::async);
    std::printf("loss=%a\n", loss);
  }
  int wrong = 0;
  for (const sample& s : std::as_const(samples)) wrong += s.passes != std::string(16, '+');
  std::printf("wrong=%d bits=%016llx %016llx\n", wrong, static_cast<unsigned long long>(hash_of(P)),
              static_cast<unsigned long long>(hash_of(Q)));
}

/// Iterations that touch six large elements each. They take many times as long on some executors.
static void run_waves() {
  using row = std::array<double, 512>;
  constexpr int n = 3000;
  constexpr std::uint64_t size = 3000;
  stradsap::dvector<row> rows(size);
  stradsap::dvector<double> own(n);
  stradsap::dvector<double> added(50);
  for (int pass = 0; pass < 14; ++pass) {
    double sum = 0;
    stradsap::parallel_for(
        n,
        test::loop<4, stradsap::abi::has_slice>(
            "uneven.cpp:4",
            [](decltype(rows)& rows, decltype(own)& own, decltype(added)& added, double& sum) {
              return [&rows, &own, &added, &sum](std::int64_t j) {
                double seen = 0.3;
                for (std::uint64_t k = 0; k < 6; ++k) {
                  row& r = rows[test::draw(k, static_cast<std::uint64_t>(j), size)];
                  seen = seen * 0.75 + r[k];
                  r[(k + 1) % 6] += seen * 0.125;
                }
                own[j] += seen;
                added[j % 50] += seen;
                sum += seen;
                if (is_slow_thread()) wait_now_and_then(j, 40);
              };
            },
            test::container < test::reads | test::writes > (rows),
            test::container < test::reads | test::writes | test::aligned > (own),
            test::container < test::writes | test::reads | stradsap::abi::accumulates > (added),
            test::sum(sum)),
        stradsap::consistency::async);
    std::printf("sum=%a\n", sum);
  }
  std::uint64_t hash = hash_of(own) * 31 + hash_of(added);
  for (const row& r : std::as_const(rows)) hash = hash * 31 + stradsap::abi::hash_bytes(&r, sizeof r);
  std::printf("bits=%016llx\n", static_cast<unsigned long long>(hash));
}

/// Batches of shards. They take many times as long on some executors.
static void run_shards() {
  constexpr int n = 4000;
  constexpr std::uint64_t size = 64;
  stradsap::dvector<double> x(size, 1.0);
  for (int pass = 0; pass < 14; ++pass) {
    double sum = 0;
    stradsap::sync_for(n, 1500,
                       test::loop<5, 0>(
                           "uneven.cpp:5",
                           [](decltype(x)& x, double& sum) {
                             return [&x, &sum](std::int64_t j) {
                               const std::uint64_t at = test::draw(9, static_cast<std::uint64_t>(j), size);
                               x[at] += 1e-4 * x[(at + 1) % size];
                               sum += x[at];
                               if (is_slow_thread()) wait_now_and_then(j, 40);
                             };
                           },
                           test::container < test::reads | test::writes > (x), test::sum(sum)));
    std::printf("sum=%a\n", sum);
  }
  std::printf("bits=%016llx\n", static_cast<unsigned long long>(hash_of(x)));
}

int main(int, char** argv) {
  stradsap::abi::enter_main();
  const std::string kind = argv[1];
  if (kind == "blocks") {
    run_blocks();
  } else if (kind == "waves") {
    run_waves();
  } else if (kind == "shards") {
    run_shards();
  } else {
    run_rows(kind == "sums");
  }
}
