// Latent Dirichlet allocation by Metropolis-Hastings, on StradsAP. A token costs the same for any number of
// topics.
//
// A pass visits each document, then each word. A visit accepts or rejects the topics that the last visit
// proposed for its tokens, and proposes new ones in proportion to its own counts of topics.
// Chen, Li, Zhu, Chen: WarpLDA, VLDB 2016, algorithm 2.
//
//   stradsap-cc -std=c++20 -O3 -march=native lda_mh.cpp -o lda_mh
//   ./lda_mh --documents 3000 --words 5000 --topics 1000 --passes 20
//   ./lda_mh --data docword.nips.txt --passes 20

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

constexpr float alpha = 0.1f, beta = 0.01f;

struct Options {
  std::string data;  // a bag of words of UCI; empty: documents are generated
  int documents = 3000, length = 100, words = 5000, topics = 1000, passes = 20;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--documents") == 0) options.documents = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--length") == 0) options.length = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--words") == 0) options.words = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--topics") == 0) options.topics = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
  }
  return options;
}

struct Token {
  int word, topic;
  std::array<int, 2> proposed;  // topics
};

static Token make_token(int word, int topics, std::mt19937& random) {
  const int topic = random() % topics;
  return {word, topic, {topic, topic}};
}

/// Documents about a few topics each. A topic has its own order of the words, which follow Zipf's law.
/// `begin` is the first token of each document, and after the last one.
static void make_tokens(auto& tokens, auto& begin, const Options& options) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;
  begin.push_back(0);
  for (int d = 0; d < options.documents; ++d) {
    const uint64_t about[] = {random(), random(), random()};
    const int length = 1 + random() % (2 * options.length);
    for (int i = 0; i < length; ++i) {
      const uint64_t topic = about[random() % 3] % options.topics;
      const uint64_t place = static_cast<uint64_t>(std::pow(options.words, uniform(random))) - 1;
      const uint64_t word = place < 5 ? place : (place + topic * 2654435761) % options.words;
      tokens.push_back(make_token(static_cast<int>(word), options.topics, random));
    }
    begin.push_back(static_cast<int64_t>(tokens.size()));
  }
}

/// Three lines with the numbers of documents, words and counts, then lines `document word count`, from 1.
static void read_tokens(auto& tokens, auto& begin, Options& options) {
  const auto counts = stradsap::read_docword(options.data);
  options.documents = static_cast<int>(counts.rows);
  options.words = static_cast<int>(counts.columns);
  std::mt19937 random(1);
  begin.push_back(0);
  for (int d = 0; d < options.documents; ++d) {
    for (int64_t k = counts.indptr[d]; k < counts.indptr[d + 1]; ++k) {
      for (int i = 0; i < counts.value[k]; ++i)
        tokens.push_back(make_token(counts.index[k], options.topics, random));
    }
    begin.push_back(static_cast<int64_t>(tokens.size()));
  }
}

/// The tokens of each word, by a counting sort.
static void sort_by_word(const auto& tokens, auto& token, auto& begin, int words) {
  begin.assign(words + 1, 0);
  for (const Token& t : tokens) ++begin[t.word + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<int64_t> next(begin.begin(), begin.end());
  token.resize(tokens.size());
  int number = 0;
  for (const Token& t : tokens) token[next[t.word]++] = number++;
}

/// The mean log likelihood of a token.
static double log_likelihood(const auto& tokens, const auto& begin, const auto& token, const auto& word_begin,
                             const auto& totals) {
  const int topics = static_cast<int>(totals.size()), words = static_cast<int>(word_begin.size()) - 1;
  std::vector<std::vector<std::pair<int, int>>> nw(words);  // the topics of a word, and their counts
  std::vector<int> counts(topics);
  for (int w = 0; w < words; ++w) {
    for (int64_t p = word_begin[w]; p < word_begin[w + 1]; ++p) ++counts[tokens[token[p]].topic];
    for (int64_t p = word_begin[w]; p < word_begin[w + 1]; ++p) {
      const int z = tokens[token[p]].topic;
      if (counts[z] > 0) nw[w].push_back({z, std::exchange(counts[z], 0)});
    }
  }
  double sum = 0;
  std::vector<double> p(topics);
  for (size_t d = 0; d + 1 < begin.size(); ++d) {
    const int64_t length = begin[d + 1] - begin[d];
    std::fill(p.begin(), p.end(), alpha);
    for (int64_t j = begin[d]; j < begin[d + 1]; ++j) p[tokens[j].topic] += 1;
    double smooth = 0;
    for (int z = 0; z < topics; ++z) smooth += beta * (p[z] /= totals[z] + words * beta);
    for (int64_t j = begin[d]; j < begin[d + 1]; ++j) {
      double likelihood = smooth;
      for (const auto& [z, count] : nw[tokens[j].word]) likelihood += count * p[z];
      sum += std::log(likelihood / (length + topics * alpha));
    }
  }
  return sum / tokens.size();
}

static float uniform(auto& random) { return (random() & 0xffffff) * 0x1p-24f; }

/// The token's topic, or a proposed one, by the counts of its document or word.
static int accepted(const Token& t, const std::vector<int>& counts, const auto& totals, float prior,
                    float smoothing, auto& random) {
  int z = t.topic;
  for (const int other : t.proposed) {
    const float ratio =
        (counts[other] + prior) / (counts[z] + prior) * (totals[z] + smoothing) / (totals[other] + smoothing);
    if (uniform(random) < ratio) z = other;
  }
  return z;
}

/// A topic in proportion to its occurrences in `now`, each topic's number raised by `prior`.
static int propose(const std::vector<int>& now, int topics, float prior, auto& random) {
  const float place = uniform(random) * (now.size() + topics * prior);
  if (place < now.size()) return now[static_cast<size_t>(place)];
  return random() % topics;
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  Options options = parse_options(argc, argv);
  const int topics = options.topics;
  stradsap::dvector<Token> tokens;
  stradsap::dvector<int64_t> begin, word_begin;
  options.data.empty() ? make_tokens(tokens, begin, options) : read_tokens(tokens, begin, options);
  stradsap::dvector<int> token;
  sort_by_word(tokens, token, word_begin, options.words);
  const float smoothing = options.words * beta;
  stradsap::dvector<int> totals(topics), next(topics);
  for (const Token& t : tokens) ++totals[t.topic];

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    stradsap::async_for(options.documents, [&](int d) {
      auto random = stradsap::random(d);
      std::vector<int> counts(topics), now;
      for (int64_t j = begin[d]; j < begin[d + 1]; ++j) ++counts[tokens[j].topic];
      for (int64_t j = begin[d]; j < begin[d + 1]; ++j) {
        Token& t = tokens[j];
        t.topic = accepted(t, counts, totals, alpha, smoothing, random);
        ++next[t.topic];
        now.push_back(t.topic);
      }
      for (int64_t j = begin[d]; j < begin[d + 1]; ++j) {
        for (int& other : tokens[j].proposed) other = propose(now, topics, alpha, random);
      }
    });
    totals = next;
    std::fill(next.begin(), next.end(), 0);
    stradsap::async_for(options.words, [&](int w) {
      auto random = stradsap::random(w);
      std::vector<int> counts(topics), now;
      for (int64_t p = word_begin[w]; p < word_begin[w + 1]; ++p) ++counts[tokens[token[p]].topic];
      for (int64_t p = word_begin[w]; p < word_begin[w + 1]; ++p) {
        Token& t = tokens[token[p]];
        t.topic = accepted(t, counts, totals, beta, smoothing, random);
        ++next[t.topic];
        now.push_back(t.topic);
      }
      for (int64_t p = word_begin[w]; p < word_begin[w + 1]; ++p) {
        for (int& other : tokens[token[p]].proposed) other = propose(now, topics, beta, random);
      }
    });
    totals = next;
    std::fill(next.begin(), next.end(), 0);
    const double seconds = seconds_now() - start;
    const double likelihood = log_likelihood(tokens, begin, token, word_begin, totals);
    std::printf("pass=%d seconds=%.6f log_likelihood=%.6g\n", pass, seconds, likelihood);
    stradsap::report("log_likelihood", likelihood);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
