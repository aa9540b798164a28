// cd_mf by hand with MPI: ranks own ranges of users and items, and send the terms of a side to all ranks
// after its turn.
//
// Options and output are those of the sequential original. The line `plan_seconds=` adds the time of cutting
// the ranges, which pass 0 includes.

#include <utility>

#include "part.hpp"

#include "../ranks.hpp"

/// Exchanges each rank's range of an array with all ranks. An element is a number of floats.
class Exchange {
 public:
  Exchange(const std::vector<Range>& ranges, size_t element_bytes) {
    for (const Range& range : ranges) {
      counts_.push_back(static_cast<int>(range.size()));
      offsets_.push_back(static_cast<int>(range.first));
    }
    MPI_Type_contiguous(static_cast<int>(element_bytes / sizeof(float)), MPI_FLOAT, &type_);
    MPI_Type_commit(&type_);
  }
  Exchange(const Exchange&) = delete;
  ~Exchange() { MPI_Type_free(&type_); }

  void in_place(void* all) const {
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts_.data(), offsets_.data(), type_,
                   MPI_COMM_WORLD);
  }

  template <class Row> std::vector<Row> gather(const part_vector<Row>& mine) const {
    std::vector<Row> all(offsets_.back() + counts_.back());
    MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), type_, all.data(), counts_.data(),
                   offsets_.data(), type_, MPI_COMM_WORLD);
    return all;
  }

 private:
  std::vector<int> counts_, offsets_;
  MPI_Datatype type_{};
};

/// A rank's part, with the terms of all users and items.
template <int K> class Solver {
 public:
  Solver(const Input& input, const std::vector<Range>& users, const std::vector<Range>& items, uint64_t seed)
      : part_(input.ratings, users[mpi_rank()], items[mpi_rank()], seed),
        user_terms_(users, sizeof(Term)),
        item_terms_(items, sizeof(Term)),
        user_rows_(users, sizeof(Factor<K>)),
        item_rows_(items, sizeof(Factor<K>)),
        u_(input.users),
        v_(input.items) {
    std::fill(u_.begin(), u_.end(), Term{});
    std::fill(v_.begin(), v_.end(), Term{});
    part_.begin(v_.data());
    item_terms_.in_place(v_.data());
  }

  void run_pass(int inner, float reg) {
    for (int k = 0; k < K; ++k) {
      for (int t = 0; t < inner; ++t) {
        part_.solve_users(k, t == 0, reg, u_.data(), v_.data());
        user_terms_.in_place(u_.data());
        part_.solve_items(k, t == 0, t + 1 == inner, reg, u_.data(), v_.data());
        item_terms_.in_place(v_.data());
      }
    }
  }

  double train_error() const { return sum_over_ranks(part_.train_error(u_.data(), v_.data())); }
  double test_error(const std::vector<Rating>& test) const {
    return sum_over_ranks(part_.test_error(test, Q()));
  }

  /// The rows of all ranks.
  std::vector<Factor<K>> P() const { return user_rows_.gather(part_.P()); }
  std::vector<Factor<K>> Q() const { return item_rows_.gather(part_.Q()); }

 private:
  Part<K> part_;
  Exchange user_terms_, item_terms_, user_rows_, item_rows_;
  part_vector<Term> u_, v_;
};

template <int K> static void train_parts(const Options& options, Input input) {
  const double num_ratings = static_cast<double>(input.ratings.size());
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_plan = seconds_now();
  const std::vector<Range> users = cut(input.ratings, &Rating::user, input.users, mpi_size());
  const std::vector<Range> items = cut(input.ratings, &Rating::item, input.items, mpi_size());
  const double plan_seconds = max_over_ranks(seconds_now() - start_plan);
  if (mpi_rank() == 0) std::printf("plan_seconds=%.6f\n", plan_seconds);

  Solver<K> solver(input, users, items, options.seed);
  std::vector<Rating>().swap(input.ratings);
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    solver.run_pass(options.inner, options.reg);
    const double seconds = seconds_now() - start + (iteration == 0 ? plan_seconds : 0);
    const double train_loss = solver.train_error(), test_loss = solver.test_error(input.test);
    if (mpi_rank() == 0)
      print_pass(iteration, seconds, train_loss / num_ratings, test_loss,
                 static_cast<int64_t>(input.test.size()));
  }
  if (!options.hash) return;
  const auto P = solver.P(), Q = solver.Q();
  if (mpi_rank() == 0) print_hash(P, Q);
}

int main(int argc, char** argv) {
  return run_ranks(argc, argv, []<int K>(const Options& options, Input input) {
    train_parts<K>(options, std::move(input));
  });
}
