// LDA on StradsAP with the draw and the layout of the rivals by hand: rows of whole blocks in one array, and
// sums by blocks.

#include <stradsap/stradsap.hpp>

#include "part.hpp"

constexpr int most_topics = 1024;

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv);
  const int topics = options.topics = std::min(options.topics, most_topics), stride = whole_blocks(topics);
  const float smoothing = options.words * beta;
  stradsap::dvector<Token> tokens;
  make_tokens(tokens, options);
  const int64_t n = tokens.size();
  stradsap::dvector<int> nw(options.words * stride), nd(options.documents * stride);
  stradsap::dvector<int> totals(topics, stradsap::consistency::stale(0));
  for (const Token& t : tokens) {
    ++nw[t.word * stride + t.topic];
    ++nd[t.document * stride + t.topic];
    ++totals[t.topic];
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    stradsap::async_for(n, [&](int64_t j) {
      Token& t = tokens[j];
      const auto of_word = nw.span(t.word * stride, stride),
                 of_document = nd.span(t.document * stride, stride);
      --of_word[t.topic];
      --of_document[t.topic];
      --totals[t.topic];
      float inverse[most_topics], p[most_topics], sums[most_topics / block];
      for (int z = 0; z < topics; ++z) inverse[z] = 1 / (totals[z] + smoothing);
      for (int z = topics; z < stride; ++z) inverse[z] = 0;
      const float place = static_cast<float>(stradsap::random(j).uniform());
      t.topic = draw(of_word, of_document, inverse, topics, stride, place, p, sums);
      ++of_word[t.topic];
      ++of_document[t.topic];
      ++totals[t.topic];
    });
    const double seconds = seconds_now() - start;
    const Rows of_words{nw.data(), stride}, of_documents{nd.data(), stride};
    const double likelihood = log_likelihood(tokens, of_words, of_documents, totals, options.words);
    std::printf("pass=%d seconds=%.6f log_likelihood=%.6g\n", pass, seconds, likelihood);
  }
  return 0;
}
