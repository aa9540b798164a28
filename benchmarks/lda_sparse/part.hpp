// The part of a worker: a range of documents, with its tokens by parts of the words.
//
// In a round, each worker samples tokens of one part of the words, and no two workers have the same part. So
// workers share no counts. The sampler is the original's, without divisions and allocations.

#pragma once

#define main sequential_main
#include "../../examples/lda_sparse/sequential.cpp"
#undef main

#include "../cut.hpp"

/// The counts of a document or of a word in one array: all of them, of each topic, and the topics.
struct Row {
  int* data;
  int topics;

  static int length(int topics) { return 2 * topics + 2; }
  int& size() const { return data[0]; }
  int& number() const { return data[1]; }  // of topics with tokens
  int& of_topic(int z) const { return data[2 + z]; }
  int* list() const { return data + 2 + topics; }

  void add(int z) const {
    ++size();
    if (of_topic(z)++ == 0) list()[number()++] = z;
  }
  void remove(int z) const {
    --size();
    if (--of_topic(z) > 0) return;
    int* place = list();
    while (*place != z) ++place;
    *place = list()[--number()];
  }
  Counts counts() const { return {size(), {data + 2, data + 2 + topics}, {list(), list() + number()}}; }
};

/// A topic z in proportion to (few[z] + few_prior) * (many[z] + many_prior) * weights[z]. `p` is scratch.
inline int draw(Row few, Row many, float few_prior, float many_prior, const float* weights, float largest,
                auto uniform, float* p) {
  const int n = few.number(), *topics = few.list();
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    const int z = topics[i];
    p[i] = sum += few.of_topic(z) * (many.of_topic(z) + many_prior) * weights[z];
  }
  const float mass = many.size() + few.topics * many_prior, rest = few_prior * mass * largest;
  while (true) {
    const float place = uniform() * (sum + rest);
    if (place < sum) return topics[std::upper_bound(p, p + n, place) - p];
    float left = uniform() * mass - many.size();
    int z = std::min(few.topics - 1, static_cast<int>(std::max(left, 0.0f) / many_prior));
    for (int i = many.number(); left < 0 && i > 0; left += many.of_topic(z)) z = many.list()[--i];
    if (uniform() * largest < weights[z]) return z;
  }
}

class Part {
 public:
  Part(const std::vector<Token>& tokens, const Cut& cut, const Options& options, int part)
      : words_(options.words),
        topics_(options.topics),
        documents_(cut.first_document[part + 1] - cut.first_document[part]),
        random_(0x9e3779b97f4a7c15 * (part + 1)),
        tokens_(cut.first_row.size() - 1),
        nd_(documents_ * Row::length(topics_)),
        totals_(topics_),
        weights_(topics_),
        p_(topics_) {
    for (const Token& t : tokens) {
      if (cut.part_of_document(t.document) != part) continue;
      const Token mine{t.document - cut.first_document[part], cut.row_of_word[t.word], t.topic};
      tokens_[cut.part_of_row(mine.word)].push_back(mine);
      row(nd_.data(), mine.document).add(mine.topic);
      ++totals_[mine.topic];
    }
  }

  /// Adds the part's tokens to the counts by word.
  void count_words(int* nw) const {
    for (const auto& tokens : tokens_) {
      for (const Token& t : tokens) row(nw, t.word).add(t.topic);
    }
  }

  /// The numbers of the part's tokens by topic.
  const std::vector<int>& totals() const { return totals_; }

  /// Begins a pass with the totals of all parts.
  void begin(const std::vector<int>& totals) {
    for (int z = 0; z < topics_; ++z) weights_[z] = 1 / (totals[z] + words_ * beta);
    largest_ = *std::max_element(weights_.begin(), weights_.end());
  }

  /// Draws new topics for the tokens of one part of the words.
  void sample(int words, int* nw) {
    for (Token& t : tokens_[words]) {
      const Row word = row(nw, t.word), document = row(nd_.data(), t.document);
      word.remove(t.topic);
      document.remove(t.topic);
      --totals_[t.topic];
      t.topic = word.number() < document.number() ? draw_one(word, document, beta, alpha)
                                                  : draw_one(document, word, alpha, beta);
      word.add(t.topic);
      document.add(t.topic);
      ++totals_[t.topic];
    }
  }

  /// The sum over the part's tokens.
  double log_likelihood_of_part(int* nw, const std::vector<int>& totals) {
    std::vector<Counts> of_words, of_documents;
    for (int w = 0; w < words_; ++w) of_words.push_back(row(nw, w).counts());
    for (int d = 0; d < documents_; ++d) of_documents.push_back(row(nd_.data(), d).counts());
    double sum = 0;
    for (const auto& tokens : tokens_) {
      if (tokens.empty()) continue;
      sum += log_likelihood(tokens, of_words, of_documents, totals, words_) * tokens.size();
    }
    return sum;
  }

 private:
  Row row(int* rows, int number) const { return {rows + number * Row::length(topics_), topics_}; }

  int draw_one(Row few, Row many, float few_prior, float many_prior) {
    return draw(
        few, many, few_prior, many_prior, weights_.data(), largest_, [this] { return uniform(); }, p_.data());
  }

  float uniform() {  // xorshift64*
    random_ ^= random_ >> 12;
    random_ ^= random_ << 25;
    random_ ^= random_ >> 27;
    return (random_ * 0x2545f4914f6cdd1d >> 40) * 0x1p-24f;
  }

  int words_, topics_, documents_;
  uint64_t random_;
  std::vector<std::vector<Token>> tokens_;  // by part of the words; `word` is the word's row
  std::vector<int> nd_, totals_;
  std::vector<float> weights_, p_;
  float largest_ = 0;
};
