#include "ranker.hpp"

#include <cstdint>

namespace ranker {

double boost = 1;

static double score_of(int links) { return 1 + boost * links; }

void count_links(const stradsap::dvector<int>& targets, stradsap::dvector<Page>& pages) {
  stradsap::async_for(targets.size(), [&targets, &pages](int64_t j) {
    Page& page = pages[targets[j]];
    page.score = score_of(++page.links);
  });
}

double total_score(const stradsap::dvector<Page>& pages) {
  double total = 0;
  stradsap::async_for(pages.size(), [&](int64_t i) { total += pages[i].score; });
  return total;
}

}  // namespace ranker
