// Label propagation with a vector of neighbours for each node, one thread, standard containers. The example
// itself has the flat layout.
//
// Options, data and output are those of examples/label_propagation/sequential.cpp.

#define main sequential_main
#include "../../examples/label_propagation/sequential.cpp"
#undef main

#include <vector>

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int n = options.nodes;
  const Graph graph = make_graph(options);
  std::vector<std::vector<int>> neighbours(n);
  size_t max_degree = 0;
  for (int v = 0; v < n; ++v) {
    neighbours[v].assign(graph.neighbour.begin() + graph.first[v],
                         graph.neighbour.begin() + graph.first[v + 1]);
    max_degree = std::max(max_degree, neighbours[v].size());
  }
  std::vector<int> label(n);
  std::iota(label.begin(), label.end(), 0);
  std::vector<int64_t> histogram(max_degree + 1);
  std::vector<int64_t> volume(n);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    for (int v = 0; v < n; ++v) {
      std::vector<int> votes;
      for (int w : neighbours[v]) votes.push_back(label[w]);
      std::sort(votes.begin(), votes.end());
      int best = label[v];
      auto most = std::count(votes.begin(), votes.end(), best);
      for (size_t i = 0, next; i < votes.size(); i = next) {
        for (next = i + 1; next < votes.size() && votes[next] == votes[i];) ++next;
        if (static_cast<int64_t>(next - i) > most) {
          most = next - i;
          best = votes[i];
        }
      }
      label[v] = best;
    }

    histogram.assign(max_degree + 1, 0);
    volume.assign(n, 0);
    for (int v = 0; v < n; ++v) {
      int degree = 0;
      for (int w : neighbours[v]) degree += label[w] == label[v];
      ++histogram[degree];
      volume[label[v]] += neighbours[v].size();
    }
    const double seconds = seconds_now() - start;
    std::printf("pass=%d seconds=%.6f modularity=%.6g\n", pass, seconds,
                modularity(histogram, volume, static_cast<double>(graph.neighbour.size())));
  }
}
