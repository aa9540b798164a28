// PageRank with all links in one array (compressed sparse rows), on StradsAP.
//
// Options, data and output are those of examples/pagerank/sequential.cpp.

#define main sequential_main
#include "../../examples/pagerank/sequential.cpp"
#undef main

#include <vector>

#include <stradsap/stradsap.hpp>

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int n = options.pages;
  std::vector<std::vector<int>> in_links(n);
  stradsap::dvector<int> out_degree(n);
  make_links(in_links, out_degree, options.links);
  stradsap::dvector<int64_t> first(n + 1);
  for (int page = 0; page < n; ++page) first[page + 1] = first[page] + in_links[page].size();
  stradsap::dvector<int> source(first[n]);
  for (int page = 0; page < n; ++page)
    std::copy(in_links[page].begin(), in_links[page].end(), &source[first[page]]);
  stradsap::dvector<double> rank(n, 1.0 / n);
  stradsap::dvector<double> share(n);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    double dangling = 0;
    stradsap::async_for(n, [&](int page) {
      if (out_degree[page] == 0) {
        dangling += rank[page];
      } else {
        share[page] = rank[page] / out_degree[page];
      }
    });
    double change = 0;
    stradsap::async_for(n, [&](int page) {
      double sum = dangling / n;
      for (int64_t p = first[page]; p < first[page + 1]; ++p) sum += share[source[p]];
      const double next = (1 - damping) / n + damping * sum;
      change += std::abs(next - rank[page]);
      rank[page] = next;
    });
    std::printf("pass=%d seconds=%.6f change=%.6g\n", pass, seconds_now() - start, change);
  }
}
