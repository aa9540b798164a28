// PageRank of a random web, on StradsAP.
//
// A pass gives each page the ranks of the pages that link to it, each divided by its number of links, and
// spreads the ranks of pages without links over all pages.
// Page, Brin, Motwani, Winograd: The PageRank Citation Ranking, Stanford 1999.
//
//   stradsap-cc -std=c++20 -O3 -march=native pagerank.cpp -o pagerank
//   ./pagerank --pages 500000 --links 20 --passes 10
//   ./pagerank --data links.txt --passes 10

#include <algorithm>
#include <chrono>
#include <cmath>
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

constexpr double damping = 0.85;

struct Options {
  // Lines `from to`; empty: links are generated.
  std::string data;
  int pages = 500000, links = 20, passes = 10;  // links: a page's mean number of links
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--pages") == 0) options.pages = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--links") == 0) options.links = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
  }
  return options;
}

struct Link {
  int from, to;
};

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

/// A line `from to`, from 0.
static Link parse_link(std::string_view line) {
  Link link{};
  if (std::sscanf(std::string(line).c_str(), "%d %d", &link.from, &link.to) != 2 || link.from < 0 ||
      link.to < 0)
    throw std::runtime_error("expected two pages, from and to: " + std::string(line));
  return link;
}

/// Links, which begin after lines of comments.
static void read_links(auto& in_links, auto& out_degree, const std::string& path) {
  const auto links = stradsap::read_text<Link>(path, parse_link, {.comment = "#"});
  int pages = 0;
  for (const Link& link : links) pages = std::max({pages, link.from + 1, link.to + 1});
  in_links.resize(pages);
  out_degree.resize(pages);
  for (const Link& link : links) {
    in_links[link.to].push_back(link.from);
    ++out_degree[link.from];
  }
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  const Options options = parse_options(argc, argv);
  stradsap::dvector<std::vector<int>> in_links;
  stradsap::dvector<int> out_degree;
  if (options.data.empty()) {
    in_links.resize(options.pages);
    out_degree.resize(options.pages);
    make_links(in_links, out_degree, options.links);
  } else {
    read_links(in_links, out_degree, options.data);
  }
  const int n = static_cast<int>(out_degree.size());
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
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
