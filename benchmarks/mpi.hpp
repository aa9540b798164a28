// MPI for the rivals: its C interface, ranks, and sums over all ranks.

#pragma once

#define OMPI_SKIP_MPICXX  // the C interface only: the deprecated C++ one has warnings
#include <mpi.h>

#include <vector>

inline int mpi_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int mpi_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

inline double sum_over_ranks(double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return x;
}

inline double max_over_ranks(double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return x;
}

/// A model of which each rank has a copy. Ranks train their copies apart and add up their changes now and
/// then.
class SharedModel {
 public:
  explicit SharedModel(std::vector<float>& model) : model_(model), before_(model), change_(model.size()) {}

  /// Gives each copy the changes of all ranks since the last call.
  void add_changes() {
    add_changes([](size_t) { return 1.0f; });
  }

  /// The same, with each sum of changes multiplied by scale(element).
  void add_changes(const auto& scale) {
    const size_t n = model_.size();
    float *model = model_.data(), *before = before_.data(), *change = change_.data();
    for (size_t i = 0; i < n; ++i) change[i] = model[i] - before[i];
    MPI_Allreduce(MPI_IN_PLACE, change, static_cast<int>(n), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    for (size_t i = 0; i < n; ++i) model[i] = before[i] += scale(i) * change[i];
  }

 private:
  std::vector<float>& model_;
  std::vector<float> before_, change_;
};
