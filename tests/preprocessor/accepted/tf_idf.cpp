// TF-IDF: one loop counts the documents of each word, the next looks them up in the map that it only reads.
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using Document = std::vector<std::string>;
using Weights = std::map<std::string, double>;

template <class Table>
static Weights weigh(const Document& doc, const Table& frequency, double num_docs) {
  std::unordered_map<std::string, int> counts;
  for (const auto& word : doc) ++counts[word];
  Weights weights;
  for (const auto& [word, count] : counts) {
    const auto found = frequency.find(word);
    if (found == frequency.end() || found->second > num_docs / 2) continue;
    weights[word] = count * std::log(num_docs / found->second);
  }
  return weights;
}

int main() {
  const int n = 200;
  std::vector<Document> corpus(n);
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < 5; ++k) corpus[j].push_back("w" + std::to_string(j * k % (17 + k)));
  }
  stradsap::dvector<Document> docs(corpus.begin(), corpus.end());
  stradsap::dmap<std::string, int> frequency;
  stradsap::dvector<Weights> weights(n);
  stradsap::async_for(n, [&docs, &frequency](int64_t j) {
    const std::set<std::string> distinct(docs[j].begin(), docs[j].end());
    for (const std::string& word : distinct) frequency[word] += 1;
  });
  stradsap::async_for(n, [&docs, &frequency, &weights, n](int64_t j) {
    weights[j] = weigh(docs[j], std::as_const(frequency), n);
  });

  std::map<std::string, int> expected;
  for (const Document& doc : corpus) {
    for (const auto& word : std::set<std::string>(doc.begin(), doc.end())) ++expected[word];
  }
  for (int j = 0; j < n; ++j) {
    if (std::as_const(weights)[j] != weigh(corpus[j], expected, n)) return 1;
  }
  return 0;
}
