// PageRank of a random web, on StradsAP.
//
// A pass gives each page the ranks of the pages that link to it, each divided by its number of links, and
// spreads the ranks of pages without links over all pages.
// Page, Brin, Motwani, Winograd: The PageRank Citation Ranking, Stanford 1999.
//
//   stradsap-cc -std=c++20 -O3 -march=native pagerank.cpp -o pagerank
//   ./pagerank --pages 500000 --links 20 --passes 10

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include <stradsap/stradsap.hpp>

constexpr double damping = 0.85;

struct Options {
  int pages = 500000, links = 20, passes = 10;  // links: a page's mean number of links
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--pages") == 0) options.pages = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--links") == 0) options.links = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
  }
  return options;
}

/// Links to pages of different popularity. Some pages have no links.
static void make_links(auto& in_links, auto& out_degree, int mean) {
  std::mt19937 random(1);
  const int n = static_cast<int>(out_degree.size());
  std::vector<int> by_popularity(n);
  std::iota(by_popularity.begin(), by_popularity.end(), 0);
  std::shuffle(by_popularity.begin(), by_popularity.end(), random);
  std::geometric_distribution<int> number_of_links(1.0 / (mean + 1));
  std::uniform_real_distribution<double> uniform;
  for (int page = 0; page < n; ++page) {
    out_degree[page] = number_of_links(random);
    for (int link = 0; link < out_degree[page]; ++link) {
      const double place = uniform(random);
      in_links[by_popularity[static_cast<int>(n * place * place * place)]].push_back(page);
    }
  }
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int n = options.pages;
  stradsap::dvector<std::vector<int>> in_links(n);
  stradsap::dvector<int> out_degree(n);
  make_links(in_links, out_degree, options.links);
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
      for (int source : in_links[page]) sum += share[source];
      const double next = (1 - damping) / n + damping * sum;
      change += std::abs(next - rank[page]);
      rank[page] = next;
    });
    std::printf("pass=%d seconds=%.6f change=%.6g\n", pass, seconds_now() - start, change);
    stradsap::report("change", change);
  }
  return 0;
}
