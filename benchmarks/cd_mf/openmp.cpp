// cd_mf by hand with OpenMP: threads own ranges of users and items, with a barrier between the two sides.
//
// OMP_NUM_THREADS sets the number of threads. Options and output are those of the sequential original. The
// line `plan_seconds=` adds the time of cutting the ranges, which pass 0 includes.

#include <omp.h>

#include <memory>

#include "part.hpp"

/// Each thread makes its own part, so it is the first to touch the part's memory.
template <int K> using Parts = std::vector<std::unique_ptr<Part<K>>>;

template <int K>
static void run_pass(Parts<K>& parts, int inner, float reg, part_vector<Term>& u, part_vector<Term>& v) {
#pragma omp parallel num_threads(parts.size())
  {
    Part<K>& part = *parts[omp_get_thread_num()];
    for (int k = 0; k < K; ++k) {
      for (int t = 0; t < inner; ++t) {
        part.solve_users(k, t == 0, reg, u.data(), v.data());
#pragma omp barrier
        part.solve_items(k, t == 0, t + 1 == inner, reg, u.data(), v.data());
#pragma omp barrier
      }
    }
  }
}

/// The rows of all parts, by id.
template <int K, class Get> static std::vector<Factor<K>> collect(const Parts<K>& parts, Get get) {
  std::vector<Factor<K>> all;
  for (const auto& part : parts) {
    const auto& rows = get(*part);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

template <int K> static void train_parts(const Options& options) {
  const Input input = read_input(options);
  const double start_plan = seconds_now();
  const int threads = omp_get_max_threads();
  const std::vector<Range> users = cut(input.ratings, &Rating::user, input.users, threads);
  const std::vector<Range> items = cut(input.ratings, &Rating::item, input.items, threads);
  const double plan_seconds = seconds_now() - start_plan;
  std::printf("plan_seconds=%.6f\n", plan_seconds);

  part_vector<Term> u(input.users), v(input.items);
  std::fill(u.begin(), u.end(), Term{});
  std::fill(v.begin(), v.end(), Term{});
  Parts<K> parts(threads);
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    parts[t] = std::make_unique<Part<K>>(input.ratings, users[t], items[t], options.seed);
    parts[t]->begin(v.data());
  }
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    const double start = seconds_now();
    run_pass<K>(parts, options.inner, options.reg, u, v);
    const double seconds = seconds_now() - start + (iteration == 0 ? plan_seconds : 0);
    const auto Q = collect<K>(parts, [](const Part<K>& part) -> const auto& { return part.Q(); });
    double train_loss = 0, test_loss = 0;
    for (const auto& part : parts) {
      train_loss += part->train_error(u.data(), v.data());
      test_loss += part->test_error(input.test, Q);
    }
    print_pass(iteration, seconds, train_loss / static_cast<double>(input.ratings.size()), test_loss,
               static_cast<int64_t>(input.test.size()));
  }
  if (!options.hash) return;
  print_hash(collect<K>(parts, [](const Part<K>& part) -> const auto& { return part.P(); }),
             collect<K>(parts, [](const Part<K>& part) -> const auto& { return part.Q(); }));
}

int main(int argc, char** argv) {
  try {
    const Options options = parse_options(argc, argv);
    dispatch(options.rank, [&options]<int K>() { train_parts<K>(options); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
