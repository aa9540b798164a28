// Communities of a graph by label propagation, on StradsAP.
//
// A pass gives each node the label that most of its neighbours have. Then it counts, for each node, the
// neighbours with its own label; the histogram of these degrees gives the modularity of the communities.
// Raghavan, Albert, Kumara: Near linear time algorithm to detect community structures, Physical Review E,
// 2007.
//
//   stradsap-cc -std=c++20 -O3 -march=native label_propagation.cpp -o label_propagation
//   ./label_propagation --nodes 100000 --degree 16 --passes 10
//   ./label_propagation --data edges.txt --passes 10

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Options {
  std::string data;  // lines `from to`; empty: a graph is generated
  int nodes = 100000, degree = 16, communities = 500, passes = 10;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--nodes") == 0) options.nodes = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--degree") == 0) options.degree = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--communities") == 0) options.communities = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
  }
  return options;
}

/// The neighbours of node v are neighbour[first[v]] to neighbour[first[v + 1] - 1].
struct Graph {
  std::vector<int64_t> first;
  std::vector<int> neighbour;
};

/// One row of neighbours behind the other.
static Graph join(const std::vector<std::vector<int>>& neighbours) {
  Graph graph{{0}, {}};
  for (const auto& row : neighbours) {
    graph.neighbour.insert(graph.neighbour.end(), row.begin(), row.end());
    graph.first.push_back(static_cast<int64_t>(graph.neighbour.size()));
  }
  return graph;
}

struct Edge {
  int from, to;
};

/// Communities of different sizes with popular members; one edge of four leads anywhere.
static Graph make_graph(const Options& options) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;
  const int n = options.nodes;
  std::vector<std::vector<int>> members(options.communities), neighbours(n);
  std::vector<int> community(n);
  for (int v = 0; v < n; ++v) {
    const double place = uniform(random);
    community[v] = static_cast<int>(options.communities * place * place);
    members[community[v]].push_back(v);
  }
  for (int64_t edge = 0; edge < int64_t{n} * options.degree / 2; ++edge) {
    const int v = static_cast<int>(random() % n);
    const auto& friends = members[community[v]];
    const double place = uniform(random);
    const int w =
        random() % 4 == 0 ? random() % n : friends[static_cast<size_t>(friends.size() * place * place)];
    if (v == w) continue;
    neighbours[v].push_back(w);
    neighbours[w].push_back(v);
  }
  return join(neighbours);
}

/// Of edges, the fraction inside communities, less that of a random graph with the same degrees.
static double modularity(const auto& histogram, const auto& volume, double ends) {
  double inside = 0, expected = 0;
  for (size_t degree = 0; degree < histogram.size(); ++degree) inside += degree * histogram[degree] / ends;
  for (const int64_t v : volume) expected += (v / ends) * (v / ends);
  return inside - expected;
}

/// A line `from to`, from 0.
static Edge parse_edge(std::string_view line) {
  Edge edge{};
  if (std::sscanf(std::string(line).c_str(), "%d %d", &edge.from, &edge.to) != 2 || edge.from < 0 ||
      edge.to < 0)
    throw std::runtime_error("expected two nodes, from and to: " + std::string(line));
  return edge;
}

/// Edges, which lead both ways and begin after lines of comments.
static Graph read_graph(const std::string& path) {
  const auto edges = stradsap::read_text<Edge>(path, parse_edge, {.comment = "#"});
  int nodes = 0;
  for (const Edge& edge : edges) nodes = std::max({nodes, edge.from + 1, edge.to + 1});
  std::vector<std::vector<int>> neighbours(nodes);
  for (const Edge& edge : edges) {
    if (edge.from == edge.to) continue;
    neighbours[edge.from].push_back(edge.to);
    neighbours[edge.to].push_back(edge.from);
  }
  return join(neighbours);
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  const Options options = parse_options(argc, argv);
  const Graph graph = options.data.empty() ? make_graph(options) : read_graph(options.data);
  const int n = static_cast<int>(graph.first.size()) - 1;
  int64_t max_degree = 0;
  for (int v = 0; v < n; ++v) max_degree = std::max(max_degree, graph.first[v + 1] - graph.first[v]);
  stradsap::dvector<int> label(n);
  std::iota(label.begin(), label.end(), 0);
  stradsap::dvector<int64_t> histogram(max_degree + 1);
  stradsap::dvector<int64_t> volume(n);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    stradsap::async_for(n, [&](int v) {
      std::vector<int> votes;
      for (int64_t e = graph.first[v]; e < graph.first[v + 1]; ++e)
        votes.push_back(label[graph.neighbour[e]]);
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
    });

    histogram.assign(max_degree + 1, 0);
    volume.assign(n, 0);
    stradsap::async_for(n, [&](int v) {
      int degree = 0;
      for (int64_t e = graph.first[v]; e < graph.first[v + 1]; ++e)
        degree += label[graph.neighbour[e]] == label[v];
      ++histogram[degree];
      volume[label[v]] += graph.first[v + 1] - graph.first[v];
    });
    const double seconds = seconds_now() - start;
    const double quality = modularity(histogram, volume, static_cast<double>(graph.neighbour.size()));
    std::printf("pass=%d seconds=%.6f modularity=%.6g\n", pass, seconds, quality);
    stradsap::report("modularity", quality);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
