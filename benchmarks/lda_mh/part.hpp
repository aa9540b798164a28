// Visits of documents and words by one worker, for the rivals by hand: counts are cleared topic by topic,
// and the totals are inverted once a phase.

#pragma once

#define main sequential_main
#include "../../examples/lda_mh/sequential.cpp"
#undef main

/// Tokens without their words.
struct Draws {
  int topic;
  std::array<int, 2> proposed;
};

class Sampler {
 public:
  Sampler(int topics, int words, int worker)
      : random_(0x9e3779b97f4a7c15 * (worker + 1)),
        smoothing_(words * beta),
        counts_(topics),
        next_(topics),
        inverse_(topics) {}

  /// Begins a phase, in which the totals of all topics stay the same.
  void begin(const std::vector<int>& totals) {
    for (size_t z = 0; z < totals.size(); ++z) inverse_[z] = 1 / (totals[z] + smoothing_);
    std::fill(next_.begin(), next_.end(), 0);
  }

  /// Visits a document or a word with n tokens: draws(i) is the i-th one.
  void visit(int64_t n, float prior, const auto& draws) {
    now_.resize(n);
    for (int64_t i = 0; i < n; ++i) ++counts_[draws(i).topic];
    for (int64_t i = 0; i < n; ++i) {
      Draws& t = draws(i);
      int z = t.topic;
      for (const int other : t.proposed) {
        const float accepted = (counts_[other] + prior) * inverse_[other];
        z = uniform() * ((counts_[z] + prior) * inverse_[z]) < accepted ? other : z;
      }
      now_[i] = z;
    }
    for (int64_t i = 0; i < n; ++i) counts_[draws(i).topic] = 0;
    const int topics = static_cast<int>(counts_.size());
    for (int64_t i = 0; i < n; ++i) {
      Draws& t = draws(i);
      t.topic = now_[i];
      ++next_[now_[i]];
      for (int& other : t.proposed) {
        const float place = uniform() * (n + topics * prior);
        other = place < n ? now_[static_cast<int64_t>(place)] : static_cast<int>(bits() % topics);
      }
    }
  }

  /// The topics of the tokens visited in this phase.
  const std::vector<int>& next() const { return next_; }

 private:
  uint64_t bits() {  // xorshift64*
    random_ ^= random_ >> 12;
    random_ ^= random_ << 25;
    random_ ^= random_ >> 27;
    return random_ * 0x2545f4914f6cdd1d >> 40;
  }
  float uniform() { return bits() * 0x1p-24f; }

  uint64_t random_;
  float smoothing_;
  std::vector<int> counts_, next_, now_;
  std::vector<float> inverse_;
};

/// All tokens by documents, and their numbers by words.
struct Corpus {
  std::vector<Token> tokens;
  std::vector<int64_t> begin, word_begin;
  std::vector<int> token;

  explicit Corpus(Options& options) {
    options.data.empty() ? make_tokens(tokens, begin, options) : read_tokens(tokens, begin, options);
    sort_by_word(tokens, token, word_begin, options.words);
  }

  std::vector<int> totals(int topics) const {
    std::vector<int> totals(topics);
    for (const Token& t : tokens) ++totals[t.topic];
    return totals;
  }

  std::vector<Draws> draws() const {
    std::vector<Draws> draws;
    for (const Token& t : tokens) draws.push_back({t.topic, t.proposed});
    return draws;
  }

  double log_likelihood_of(const std::vector<Draws>& draws, const std::vector<int>& totals) {
    for (size_t j = 0; j < tokens.size(); ++j) tokens[j].topic = draws[j].topic;
    return log_likelihood(tokens, begin, token, word_begin, totals);
  }
};
