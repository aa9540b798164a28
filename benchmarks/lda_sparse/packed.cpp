// Sparse LDA on StradsAP with the draw and the rows of the rivals by hand: a row's counts, topics and sizes
// lie in one array.

#include <stradsap/stradsap.hpp>

#include "part.hpp"

constexpr int most_topics = 1024;

/// The counts that log_likelihood reads.
static std::vector<Counts> counts_of(stradsap::dvector<std::vector<int>>& rows, int topics) {
  std::vector<Counts> counts;
  for (auto& row : rows) counts.push_back(Row{row.data(), topics}.counts());
  return counts;
}

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv);
  const int topics = options.topics = std::min(options.topics, most_topics);
  stradsap::dvector<Token> tokens;
  make_tokens(tokens, options);
  const int64_t n = tokens.size();
  const float smoothing = options.words * beta;
  std::vector<float> weights(topics);  // of the totals at the start of a pass
  const std::vector<int> none(Row::length(topics));
  stradsap::dvector<std::vector<int>> nw(options.words, none), nd(options.documents, none);
  stradsap::dvector<int> totals(topics, stradsap::consistency::stale(0));
  for (const Token& t : tokens) {
    Row{nw[t.word].data(), topics}.add(t.topic);
    Row{nd[t.document].data(), topics}.add(t.topic);
    ++totals[t.topic];
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    for (int z = 0; z < topics; ++z) weights[z] = 1 / (totals[z] + smoothing);
    const float largest = *std::max_element(weights.begin(), weights.end());
    stradsap::async_for(n, [&](int64_t j) {
      auto random = stradsap::random(j);
      const auto uniform = [&random] { return (random() & 0xffffff) * 0x1p-24f; };
      float p[most_topics];
      Token& t = tokens[j];
      const Row word{nw[t.word].data(), topics}, document{nd[t.document].data(), topics};
      word.remove(t.topic);
      document.remove(t.topic);
      --totals[t.topic];
      t.topic = word.number() < document.number()
                    ? draw(word, document, beta, alpha, weights.data(), largest, uniform, p)
                    : draw(document, word, alpha, beta, weights.data(), largest, uniform, p);
      word.add(t.topic);
      document.add(t.topic);
      ++totals[t.topic];
    });
    const double seconds = seconds_now() - start;
    const auto of_words = counts_of(nw, topics), of_documents = counts_of(nd, topics);
    const double likelihood = log_likelihood(tokens, of_words, of_documents, totals, options.words);
    std::printf("pass=%d seconds=%.6f log_likelihood=%.6g\n", pass, seconds, likelihood);
  }
  return 0;
}
