// The main function of the rivals by MPI that read ratings: a fault of any rank ends all of them once.
//
// Include it after the original and ratings.hpp. It uses their options and input.

#pragma once

#include <utility>

#include "mpi.hpp"

/// Whether any rank found a fault. The first such rank prints its fault.
inline bool any_fault(const std::string& fault) {
  int first = fault.empty() ? mpi_size() : mpi_rank();
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == mpi_rank()) std::fprintf(stderr, "%s\n", fault.c_str());
  return first < mpi_size();
}

/// The body of main: reads the input on every rank and calls train.template operator()<K>(options, input).
template <class Train> int run_ranks(int argc, char** argv, Train train) {
  MPI_Init(&argc, &argv);
  Options options;
  Input input;
  std::string fault;
  try {
    options = parse_options(argc, argv);
    dispatch(options.rank, []<int K>() {});  // refuses an unknown rank before anything is read
    input = read_input(options);
  } catch (const std::exception& error) {
    fault = error.what();
  }
  if (any_fault(fault)) {
    MPI_Finalize();
    return 2;
  }
  try {
    dispatch(options.rank, [&]<int K>() { train.template operator()<K>(options, std::move(input)); });
  } catch (const std::exception& error) {  // on one rank alone: the others would wait
    std::fprintf(stderr, "rank %d: %s\n", mpi_rank(), error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return 0;
}
