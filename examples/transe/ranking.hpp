// Filtered ranks of test triples, for programs that learn vectors of a knowledge graph.
//
// A test triple asks two questions: (head, relation, ?) and (?, relation, tail). An answer's rank is its
// place among all entities, the nearest one first. Other entities that make a known triple do not count. Of
// entities at the same distance, half count as nearer.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// The answer should lie at vector `from`, plus `sign` times that of the relation.
struct Question {
  int from = 0, relation = 0, answer = 0;
  float sign = 1;
  std::vector<int> others;  // answers of other known triples
};

/// The vectors by columns: an inner loop over entities then packs, and each entity's sum keeps its order.
struct Columns {
  std::vector<std::vector<float>> entities, relations;
};

/// `vector_of` gives the vector of a row.
static std::vector<std::vector<float>> columns_of(const auto& rows, const auto& vector_of) {
  std::vector<std::vector<float>> columns(vector_of(rows[0]).size(), std::vector<float>(rows.size()));
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t d = 0; d < columns.size(); ++d) columns[d][i] = vector_of(rows[i])[d];
  }
  return columns;
}
static std::vector<std::vector<float>> columns_of(const auto& rows) {
  return columns_of(rows, [](const auto& row) -> const auto& { return row; });
}

/// The two questions of each test triple. Known are the triples of all three sets.
static void make_questions(auto& questions, const auto& tests, const auto& known, const auto& more,
                           int entities, int relations) {
  std::map<std::pair<int, int>, std::vector<int>> tails, heads;
  const auto add = [&](const auto& triples) {
    for (const auto& t : triples) {
      if (t.head >= entities || t.tail >= entities || t.relation >= relations)
        throw std::runtime_error("a test triple names what the data has not: " + std::to_string(t.head) +
                                 " " + std::to_string(t.tail) + " " + std::to_string(t.relation));
      tails[{t.head, t.relation}].push_back(t.tail);
      heads[{t.tail, t.relation}].push_back(t.head);
    }
  };
  add(tests);
  add(known);
  add(more);
  for (size_t j = 0; j < tests.size(); ++j) {
    const auto t = tests[j];
    questions[2 * j] = {t.head, t.relation, t.tail, 1, tails[{t.head, t.relation}]};
    questions[2 * j + 1] = {t.tail, t.relation, t.head, -1, heads[{t.tail, t.relation}]};
  }
  for (Question& q : questions) {
    std::sort(q.others.begin(), q.others.end());
    q.others.erase(std::unique(q.others.begin(), q.others.end()), q.others.end());
    q.others.erase(std::find(q.others.begin(), q.others.end(), q.answer));
  }
}

/// The answer's rank, from 1. A distance is the sum of `term` over all differences.
static double rank_of(const Question& q, const Columns& columns, const auto& term) {
  std::vector<float> distances(columns.entities[0].size());
  const size_t n = distances.size();
  for (size_t d = 0; d < columns.entities.size(); ++d) {
    const float* column = columns.entities[d].data();
    const float wanted = column[q.from] + q.sign * columns.relations[d][q.relation];
    for (size_t e = 0; e < n; ++e) distances[e] += term(wanted - column[e]);
  }
  const float limit = distances[q.answer];
  for (int other : q.others) distances[other] = std::numeric_limits<float>::max();
  int farther = 0, same = 0;
  for (size_t e = 0; e < n; ++e) {
    farther += distances[e] > limit;
    same += distances[e] == limit;
  }
  return 1 + static_cast<double>(n - farther - same) + (same - 1) / 2.0;
}

/// One line: the mean of 1 / rank, and the parts of answers of rank 1, up to 3 and up to 10.
static void print_ranks(double inverse_ranks, int64_t first, int64_t third, int64_t tenth, size_t questions) {
  const double n = static_cast<double>(questions);
  std::printf("mrr=%.4f hits1=%.4f hits3=%.4f hits10=%.4f\n", inverse_ranks / n, first / n, third / n,
              tenth / n);
}
