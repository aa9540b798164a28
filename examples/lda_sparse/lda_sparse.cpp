// Latent Dirichlet allocation by sparse collapsed Gibbs sampling, on StradsAP.
//
// A pass draws a new topic for each token, given the topics of all other tokens. A draw costs as much as its
// document has topics, or its word, whichever are fewer. Buckets of topics: Yao, Mimno, McCallum: Efficient
// methods for topic model inference on streaming document collections, KDD, 2009.
//
//   stradsap-cc -std=c++20 -O3 -march=native lda_sparse.cpp -o lda_sparse
//   ./lda_sparse --documents 3000 --words 5000 --topics 100 --passes 20
//   ./lda_sparse --data docword.nips.txt --passes 20

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

constexpr float alpha = 0.1f, beta = 0.01f;

struct Options {
  std::string data;  // a bag of words of UCI; empty: documents are generated
  int documents = 3000, length = 100, words = 5000, topics = 100, passes = 20;
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
  int document, word, topic;
};

/// The topics of a document's tokens, or of a word's.
struct Counts {
  int size = 0;               // tokens
  std::vector<int> of_topic;  // tokens of each topic
  std::vector<int> topics;    // those with tokens

  void add(int z) {
    ++size;
    if (of_topic[z]++ == 0) topics.push_back(z);
  }
  void remove(int z) {
    --size;
    if (--of_topic[z] > 0) return;
    *std::find(topics.begin(), topics.end(), z) = topics.back();
    topics.pop_back();
  }
};

/// Documents about a few topics each. A topic has its own order of the words, which follow Zipf's law.
static void make_tokens(auto& tokens, const Options& options) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;
  for (int d = 0; d < options.documents; ++d) {
    const uint64_t about[] = {random(), random(), random()};
    const int length = 1 + random() % (2 * options.length);
    for (int i = 0; i < length; ++i) {
      const uint64_t topic = about[random() % 3] % options.topics;
      const uint64_t place = static_cast<uint64_t>(std::pow(options.words, uniform(random))) - 1;
      const uint64_t word = place < 5 ? place : (place + topic * 2654435761) % options.words;
      tokens.push_back({d, static_cast<int>(word), static_cast<int>(random() % options.topics)});
    }
  }
}

/// Three lines with the numbers of documents, words and counts, then lines `document word count`, from 1.
static void read_tokens(auto& tokens, Options& options) {
  const auto counts = stradsap::read_docword(options.data);
  options.documents = static_cast<int>(counts.rows);
  options.words = static_cast<int>(counts.columns);
  std::mt19937 random(1);
  for (int d = 0; d < options.documents; ++d) {
    for (int64_t k = counts.indptr[d]; k < counts.indptr[d + 1]; ++k) {
      for (int i = 0; i < counts.value[k]; ++i)
        tokens.push_back({d, counts.index[k], static_cast<int>(random() % options.topics)});
    }
  }
}

/// The mean log likelihood of a token. Tokens of a document follow each other.
static double log_likelihood(const auto& tokens, const auto& nw, const auto& nd, const auto& totals,
                             int words) {
  const int topics = static_cast<int>(totals.size());
  std::vector<double> p(topics);
  int document = -1;
  double sum = 0, smooth = 0;
  for (const Token& t : tokens) {
    if (t.document != document) {
      document = t.document;
      smooth = 0;
      for (int z = 0; z < topics; ++z)
        smooth += beta * (p[z] = (nd[document].of_topic[z] + alpha) / (totals[z] + words * beta));
    }
    const Counts& word = nw[t.word];
    double likelihood = smooth;
    for (const int z : word.topics) likelihood += word.of_topic[z] * p[z];
    sum += std::log(likelihood / (nd[document].size + topics * alpha));
  }
  return sum / tokens.size();
}

static float uniform(auto& random) { return (random() & 0xffffff) * 0x1p-24f; }

/// A topic z in proportion to (few[z] + few_prior) * (many[z] + many_prior) * weights[z]. `few` are the
/// counts of the document or of the word.
static int draw(const Counts& few, const Counts& many, float few_prior, float many_prior,
                const std::vector<float>& weights, float largest_weight, auto& random) {
  const int topics = static_cast<int>(weights.size());
  std::vector<float> p(few.topics.size());
  float sum = 0;  // of few[z] * (many[z] + many_prior) * weights[z]
  for (size_t i = 0; i < p.size(); ++i) {
    const int z = few.topics[i];
    p[i] = sum += few.of_topic[z] * (many.of_topic[z] + many_prior) * weights[z];
  }
  const float mass = many.size + topics * many_prior, rest = few_prior * mass * largest_weight;
  while (true) {
    const float place = uniform(random) * (sum + rest);
    if (place < sum) return few.topics[std::upper_bound(p.begin(), p.end(), place) - p.begin()];
    // The share of few_prior: topics are proposed as if they had the largest weight, and some are rejected.
    float left = uniform(random) * mass - many.size;
    int z = std::min(topics - 1, static_cast<int>(std::max(left, 0.0f) / many_prior));
    for (size_t i = many.topics.size(); left < 0 && i > 0; left += many.of_topic[z]) z = many.topics[--i];
    if (uniform(random) * largest_weight < weights[z]) return z;
  }
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  Options options = parse_options(argc, argv);
  const int topics = options.topics;
  stradsap::dvector<Token> tokens;
  options.data.empty() ? make_tokens(tokens, options) : read_tokens(tokens, options);
  const int64_t n = tokens.size();
  const float smoothing = options.words * beta;
  std::vector<float> weights(topics);  // of the totals at the start of a pass
  const Counts none{0, std::vector<int>(topics), {}};
  stradsap::dvector<Counts> nw(options.words, none), nd(options.documents, none);
  stradsap::dvector<int> totals(topics, stradsap::consistency::stale(0));
  for (const Token& t : tokens) {
    nw[t.word].add(t.topic);
    nd[t.document].add(t.topic);
    ++totals[t.topic];
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    for (int z = 0; z < topics; ++z) weights[z] = 1 / (totals[z] + smoothing);
    const float largest_weight = *std::max_element(weights.begin(), weights.end());
    stradsap::async_for(n, [&](int64_t j) {
      auto random = stradsap::random(j);
      Token& t = tokens[j];
      Counts &word = nw[t.word], &document = nd[t.document];
      word.remove(t.topic);
      document.remove(t.topic);
      --totals[t.topic];
      t.topic = word.topics.size() < document.topics.size()
                    ? draw(word, document, beta, alpha, weights, largest_weight, random)
                    : draw(document, word, alpha, beta, weights, largest_weight, random);
      word.add(t.topic);
      document.add(t.topic);
      ++totals[t.topic];
    });
    const double seconds = seconds_now() - start;
    const double likelihood = log_likelihood(tokens, nw, nd, totals, options.words);
    std::printf("pass=%d seconds=%.6f log_likelihood=%.6g\n", pass, seconds, likelihood);
    stradsap::report("log_likelihood", likelihood);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
