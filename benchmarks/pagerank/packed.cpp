// pagerank on StradsAP with the loop of the rivals by hand: one loop a pass, and four sums a page.

#include <stradsap/stradsap.hpp>

#include "part.hpp"

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int n = options.pages;
  const Web web(options);
  stradsap::dvector<int64_t> begin(n + 1);
  stradsap::dvector<int> source;
  stradsap::dvector<double> rank(n, 1.0 / n), per_link(n), share(n), next_share(n);
  double dangling = 0;
  for (int page = 0; page < n; ++page) {
    for (const int one : web.in_links[page]) source.push_back(one);
    begin[page + 1] = source.size();
    per_link[page] = web.out_degree[page] == 0 ? 0 : 1.0 / web.out_degree[page];
    share[page] = rank[page] * per_link[page];
    if (per_link[page] == 0) dangling += rank[page];
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    const double base = (1 - damping) / n + damping * dangling / n;
    double next_dangling = 0, change = 0;
    stradsap::async_for(n, [&](int page) {
      double a = 0, b = 0, c = 0, d = 0;
      int64_t link = begin[page];
      for (; begin[page + 1] - link >= 4; link += 4) {
        a += share[source[link]];
        b += share[source[link + 1]];
        c += share[source[link + 2]];
        d += share[source[link + 3]];
      }
      for (; link != begin[page + 1]; ++link) a += share[source[link]];
      const double next = base + damping * ((a + b) + (c + d));
      change += std::abs(next - rank[page]);
      if (per_link[page] == 0) next_dangling += next;
      rank[page] = next;
      next_share[page] = next * per_link[page];
    });
    dangling = next_dangling;
    share.swap(next_share);
    std::printf("pass=%d seconds=%.6f change=%.6g\n", pass, seconds_now() - start, change);
  }
  return 0;
}
