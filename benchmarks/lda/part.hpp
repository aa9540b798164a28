// The part of a worker: a range of documents, with its tokens by parts of the words.
//
// In a round, each worker samples tokens of one part of the words, and no two workers have the same part. So
// workers share no row of counts. Each has a copy of the topics' totals, of the round's start plus its own
// changes. Yan, Xu, Qi: Parallel inference for latent Dirichlet allocation on graphics processing units,
// NIPS, 2009.

#pragma once

#define main sequential_main
#include "../../examples/lda/sequential.cpp"
#undef main

#include "../cut.hpp"

constexpr int block = 8;  // rows are padded to whole blocks, and sampling skips blocks

/// `topics` in whole blocks.
inline int whole_blocks(int topics) { return (topics + block - 1) / block * block; }

/// A topic z in proportion to (of_word[z] + beta) * inverse[z] * (of_document[z] + alpha). Arrays have whole
/// blocks, and `inverse` is 0 beyond the topics. `place` in [0, 1) is random; `p` and `sums` are scratch.
[[gnu::always_inline]] inline int draw(auto of_word, auto of_document, const float* __restrict inverse,
                                       int topics, int stride, float place, float* __restrict p,
                                       float* __restrict sums) {
  const int blocks = stride / block;
  for (int z = 0; z < stride; ++z) p[z] = (of_word[z] + beta) * inverse[z] * (of_document[z] + alpha);
  float sum = 0;
  for (int b = 0; b < blocks; ++b) {
    const float* q = p + b * block;
    sum += ((q[0] + q[4]) + (q[1] + q[5])) + ((q[2] + q[6]) + (q[3] + q[7]));
    sums[b] = sum;
  }
  place *= sum;
  int b = 0;
  while (b < blocks - 1 && sums[b] < place) ++b;
  float passed = b == 0 ? 0 : sums[b - 1];
  int z = b * block;
  while (z < topics - 1 && (passed += p[z]) < place) ++z;
  return z;
}

/// The rows of a matrix in one array.
struct Rows {
  const int* data;
  int stride;
  const int* operator[](int row) const { return data + row * stride; }
};

class Part {
 public:
  Part(const std::vector<Token>& tokens, const Cut& cut, const Options& options, int part)
      : words_(options.words),
        topics_(options.topics),
        stride_(whole_blocks(options.topics)),
        random_(0x9e3779b97f4a7c15 * (part + 1)),
        tokens_(cut.first_row.size() - 1),
        nd_((cut.first_document[part + 1] - cut.first_document[part]) * stride_),
        totals_(topics_),
        inverse_(stride_),
        p_(stride_),
        sums_(stride_ / block) {
    for (const Token& t : tokens) {
      ++totals_[t.topic];
      if (cut.part_of_document(t.document) != part) continue;
      const Token mine{t.document - cut.first_document[part], cut.row_of_word[t.word], t.topic};
      tokens_[cut.part_of_row(mine.word)].push_back(mine);
      ++nd_[mine.document * stride_ + mine.topic];
    }
    before_ = totals_;
  }

  int stride() const { return stride_; }

  /// Adds the part's tokens to the counts by word.
  void count_words(int* nw) const {
    for (const auto& tokens : tokens_) {
      for (const Token& t : tokens) ++nw[t.word * stride_ + t.topic];
    }
  }

  /// Draws new topics for the tokens of one part of the words.
  void sample(int words, int* nw) {
    for (int z = 0; z < topics_; ++z) inverse_[z] = 1 / (totals_[z] + words_ * beta);
    for (Token& t : tokens_[words]) {
      int *of_word = nw + t.word * stride_, *of_document = nd_.data() + t.document * stride_;
      add(of_word, of_document, t.topic, -1);
      t.topic =
          draw(of_word, of_document, inverse_.data(), topics_, stride_, uniform(), p_.data(), sums_.data());
      add(of_word, of_document, t.topic, 1);
    }
  }

  /// The changes of the totals since the round's start.
  void changes(int* change) const {
    for (int z = 0; z < topics_; ++z) change[z] = totals_[z] - before_[z];
  }
  /// Ends a round: the totals change by the sums of all workers' changes.
  void add_changes(const int* change) {
    for (int z = 0; z < topics_; ++z) totals_[z] = before_[z] += change[z];
  }

  /// The sum over the part's tokens.
  double log_likelihood_of_part(const int* nw) const {
    double sum = 0;
    for (const auto& tokens : tokens_) {
      if (tokens.empty()) continue;
      const Rows of_words{nw, stride_}, of_documents{nd_.data(), stride_};
      sum += log_likelihood(tokens, of_words, of_documents, totals_, words_) * tokens.size();
    }
    return sum;
  }

 private:
  void add(int* of_word, int* of_document, int topic, int one) {
    of_word[topic] += one;
    of_document[topic] += one;
    totals_[topic] += one;
    inverse_[topic] = 1 / (totals_[topic] + words_ * beta);
  }

  float uniform() {  // xorshift64*
    random_ ^= random_ >> 12;
    random_ ^= random_ << 25;
    random_ ^= random_ >> 27;
    return (random_ * 0x2545f4914f6cdd1d >> 40) * 0x1p-24f;
  }

  int words_, topics_, stride_;
  uint64_t random_;
  std::vector<std::vector<Token>> tokens_;  // by part of the words; `word` is the word's row
  std::vector<int> nd_, totals_, before_;
  std::vector<float> inverse_, p_, sums_;  // 0 beyond the topics
};
