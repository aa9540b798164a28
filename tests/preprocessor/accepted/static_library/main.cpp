// Loops in a static library: registered there, run from here, beside a loop with functions of the same names.
#include <cstdint>
#include <utility>

#include <stradsap/stradsap.hpp>

#include "library/ranker.hpp"

static double score_of(int links) { return 10.0 * links; }

int main() {
  const int n = 600, num_pages = 40;
  stradsap::dvector<int> targets(n);
  stradsap::dvector<ranker::Page> pages(num_pages);
  for (int j = 0; j < n; ++j) targets[j] = j * j % num_pages;
  ranker::boost = 0.5;
  ranker::count_links(targets, pages);
  const double total = ranker::total_score(pages);
  double ours = 0;
  stradsap::async_for(pages.size(), [&pages, &ours](int64_t i) { ours += score_of(pages[i].links); });

  double wanted = 0;
  for (int i = 0; i < num_pages; ++i) {
    int links = 0;
    for (int j = 0; j < n; ++j) links += j * j % num_pages == i ? 1 : 0;
    if (std::as_const(pages)[i].links != links) return 1;
    wanted += links == 0 ? 1 : 1 + 0.5 * links;
  }
  return total == wanted && ours == 10.0 * n ? 0 : 2;
}
