// PageRank as a class that owns its links and ranks, one thread, standard containers.
//
// Options, data and output are those of examples/pagerank/sequential.cpp.

#define main sequential_main
#include "../../examples/pagerank/sequential.cpp"
#undef main

#include <vector>

/// Pages, with the links to a page next to each other (compressed sparse rows).
class Web {
 public:
  explicit Web(const Options& options);

  /// Gives each page a new rank. Returns the sum of all changes.
  double pass() { return gather(divide()); }

 private:
  double divide();
  double gather(double dangling);
  double shares_of_links(int page) const;

  int n;
  std::vector<int64_t> indptr;
  std::vector<int> source;  // of each link
  std::vector<int> degree;  // links from a page
  std::vector<double> rank;
  std::vector<double> share;  // of a rank, for each link
};

Web::Web(const Options& options) : n(options.pages), indptr(n + 1), degree(n), rank(n, 1.0 / n), share(n) {
  std::vector<std::vector<int>> in_links(n);
  make_links(in_links, degree, options.links);
  for (int page = 0; page < n; ++page) indptr[page + 1] = indptr[page] + in_links[page].size();
  source.resize(indptr[n]);
  for (int page = 0; page < n; ++page)
    std::copy(in_links[page].begin(), in_links[page].end(), &source[indptr[page]]);
}

/// Divides ranks by numbers of links. Returns the ranks of pages without links.
double Web::divide() {
  double dangling = 0;
  for (int page = 0; page < n; ++page) {
    if (degree[page] == 0) {
      dangling += rank[page];
    } else {
      share[page] = rank[page] / degree[page];
    }
  }
  return dangling;
}

double Web::gather(double dangling) {
  double change = 0;
  for (int page = 0; page < n; ++page) {
    const double next = (1 - damping) / n + damping * (dangling / n + shares_of_links(page));
    change += std::abs(next - rank[page]);
    rank[page] = next;
  }
  return change;
}

double Web::shares_of_links(int page) const {
  double sum = 0;
  for (int64_t p = indptr[page]; p < indptr[page + 1]; ++p) sum += share[source[p]];
  return sum;
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  Web web(options);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    const double change = web.pass();
    std::printf("pass=%d seconds=%.6f change=%.6g\n", pass, seconds_now() - start, change);
  }
}
