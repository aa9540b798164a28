// The interface of the static library: a loop behind an ordinary function, and a number that it reads.
#pragma once

#include <stradsap/stradsap.hpp>

namespace ranker {

struct Page {
  double score = 1;
  int links = 0;
};

extern double boost;

void count_links(const stradsap::dvector<int>& targets, stradsap::dvector<Page>& pages);
double total_score(const stradsap::dvector<Page>& pages);

}  // namespace ranker
