// sgd_mf by hand with OpenMP: threads own user strata, item strata go round, with a barrier between rounds.
//
// OMP_NUM_THREADS sets the number of threads. Options and output are those of the sequential original. The
// line `plan_seconds=` adds the time of renumbering and bucketing, which pass 0 includes.

#include <omp.h>

#include <utility>

#include "strata.hpp"

/// All ratings in block order. Block (a, b) of G x G has [begin[a * G + b], begin[a * G + b + 1]).
struct Blocks {
  int groups = 0;
  std::vector<size_t> begin;
  huge_vector<Rating> storage;  // empty for one block, which has the input's ratings
  const Rating* ratings = nullptr;
};

/// The groups of both sides, made side by side.
struct Groupings {
  Grouping users, items;

  Groupings(const Input& input, int groups) {
#pragma omp parallel sections
    {
#pragma omp section
      users = group_rows(input.ratings, &Rating::user, input.users, groups);
#pragma omp section
      items = group_rows(input.ratings, &Rating::item, input.items, groups);
    }
  }
};

/// A stable counting sort by block. Each thread counts, then places, its own part of the file. The result of
/// one group refers to the ratings, which must stay.
static Blocks bucket(const std::vector<Rating>& ratings, const Grouping& users, const Grouping& items,
                     int groups) {
  if (groups == 1) return {groups, {0, ratings.size()}, {}, ratings.data()};
  const size_t num_blocks = static_cast<size_t>(groups) * groups;
  Blocks blocks{groups, std::vector<size_t>(num_blocks + 1, 0), huge_vector<Rating>(ratings.size()), nullptr};
  const int threads = omp_get_max_threads();
  std::vector<std::vector<size_t>> counts(threads);
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    const size_t first = ratings.size() * t / threads, last = ratings.size() * (t + 1) / threads;
    const auto block_of = [&](const Rating& r) {
      return static_cast<size_t>(users.place[r.user].group) * groups + items.place[r.item].group;
    };
    std::vector<size_t> next(num_blocks + 8, 0);  // of this thread alone, on cache lines of its own
    for (size_t j = first; j < last; ++j) ++next[block_of(ratings[j])];
    counts[t] = next;
#pragma omp barrier
#pragma omp single
    for (size_t b = 0, at = 0; b < num_blocks; ++b) {
      for (int other = 0; other < threads; ++other) at += std::exchange(counts[other][b], at);
      blocks.begin[b + 1] = at;
    }
    next = counts[t];
    for (size_t j = first; j < last; ++j) {
      const Rating& r = ratings[j];
      blocks.storage[next[block_of(r)]++] = {users.place[r.user].row, items.place[r.item].row, r.value};
    }
  }
  blocks.ratings = blocks.storage.data();
  return blocks;
}

/// One thread's stratum of a round: share x share blocks. It goes through the item groups back and forth, so
/// that one stays in the cache.
template <int K>
static double run_stratum(const Blocks& blocks, int first_user_group, int first_item_group, int share,
                          Factor<K>* P, Factor<K>* Q, float rate, float reg) {
  double loss = 0;
  for (int a = 0; a < share; ++a) {
    for (int i = 0; i < share; ++i) {
      const int b = a % 2 == 0 ? i : share - 1 - i;
      const size_t block = static_cast<size_t>(first_user_group + a) * blocks.groups + first_item_group + b;
      const Rating* ratings = blocks.ratings;
      loss += run_block<K>(ratings + blocks.begin[block], ratings + blocks.begin[block + 1], P, Q, rate, reg);
    }
  }
  return loss;
}

template <int K>
static double run_pass(const Blocks& blocks, Factor<K>* P, Factor<K>* Q, float rate, float reg) {
  const int threads = omp_get_max_threads(), share = blocks.groups / threads;
  double loss = 0;
#pragma omp parallel num_threads(threads) reduction(+ : loss)
  {
    const int t = omp_get_thread_num();
    for (int round = 0; round < threads; ++round) {
      loss += run_stratum<K>(blocks, t * share, (t + round) % threads * share, share, P, Q, rate, reg);
#pragma omp barrier
    }
  }
  return loss;
}

template <int K>
static double test_error(const std::vector<Rating>& test, const Grouping& users, const Grouping& items,
                         const huge_vector<Factor<K>>& P, const huge_vector<Factor<K>>& Q) {
  double loss = 0;
#pragma omp parallel for reduction(+ : loss)
  for (size_t j = 0; j < test.size(); ++j) {
    const Rating& r = test[j];
    const float e = r.value - dot(P[users.place[r.user].row], Q[items.place[r.item].row]);
    loss += e * e;
  }
  return loss;
}

template <int K> static void train_strata(const Options& options) {
  const Input input = read_input(options);
  const int64_t model_bytes = (input.users + input.items) * static_cast<int64_t>(sizeof(Factor<K>));
  const double start_plan = seconds_now();
  const int groups = num_groups(omp_get_max_threads(), model_bytes);
  const auto [users, items] = Groupings(input, groups);
  const Blocks blocks = bucket(input.ratings, users, items, groups);
  const double plan_seconds = seconds_now() - start_plan;
  std::printf("plan_seconds=%.6f\n", plan_seconds);

  auto P = make_rows<K>(users, 0, static_cast<int>(input.users), options.seed, 0);
  auto Q = make_rows<K>(items, 0, static_cast<int>(input.items), options.seed, 1);
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    const double start = seconds_now();
    const double loss = run_pass<K>(blocks, P.data(), Q.data(), rate_of(options, epoch), options.reg);
    const double seconds = seconds_now() - start + (epoch == 0 ? plan_seconds : 0);
    print_pass(epoch, seconds, loss / static_cast<double>(input.ratings.size()),
               test_error<K>(input.test, users, items, P, Q), static_cast<int64_t>(input.test.size()));
  }
  if (options.hash) print_hash(in_key_order<K>(P, users), in_key_order<K>(Q, items));
}

int main(int argc, char** argv) {
  try {
    const Options options = parse_options(argc, argv);
    dispatch(options.rank, [&options]<int K>() { train_strata<K>(options); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
