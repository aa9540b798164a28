// Label propagation by hand with MPI: a rank has a range of nodes and the labels of all. It sends the labels
// of a slice of its nodes when it has them, so that the others' are at most a few slices old.
//
// Options and output are those of the sequential original.

#include "part.hpp"

#include "../mpi.hpp"

constexpr int slices = 4;  // of a pass

static void train(const Options& options) {
  const int n = options.nodes, ranks = mpi_size();
  const Graph graph = make_graph(options);
  const int64_t max_degree = max_degree_of(graph);
  const std::vector<int> begin = cut(graph, ranks * slices);  // rank r has the slices from r * slices on
  std::vector<int> label(n);
  std::iota(label.begin(), label.end(), 0);
  Part part(graph, max_degree);

  for (int pass = 0; pass < options.passes; ++pass) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = seconds_now();
    for (int slice = 0; slice < slices; ++slice) {
      std::vector<int> first, count;
      for (int rank = 0; rank < ranks; ++rank) {
        first.push_back(begin[rank * slices + slice]);
        count.push_back(begin[rank * slices + slice + 1] - first.back());
      }
      part.propagate(label.data(), first[mpi_rank()], first[mpi_rank()] + count[mpi_rank()]);
      MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, label.data(), count.data(), first.data(), MPI_INT,
                     MPI_COMM_WORLD);
    }
    part.count(label.data(), begin[mpi_rank() * slices], begin[(mpi_rank() + 1) * slices]);
    MPI_Allreduce(MPI_IN_PLACE, part.histogram.data(), static_cast<int>(part.histogram.size()), MPI_INT64_T,
                  MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, part.volume.data(), n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    const double seconds = seconds_now() - start;
    if (mpi_rank() == 0) {
      std::printf("pass=%d seconds=%.6f modularity=%.6g\n", pass, seconds,
                  modularity(part.histogram, part.volume, static_cast<double>(graph.neighbour.size())));
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  train(parse_options(argc, argv));
  MPI_Finalize();
  return 0;
}
