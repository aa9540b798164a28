// Latent Dirichlet allocation by collapsed Gibbs sampling, on StradsAP.
//
// A pass draws a new topic for each token, given the topics of all other tokens.
// Griffiths, Steyvers: Finding scientific topics, PNAS, 2004.
//
//   stradsap-cc -std=c++20 -O3 -march=native lda.cpp -o lda
//   ./lda --documents 3000 --words 5000 --topics 32 --passes 10
//   ./lda --data docword.nips.txt --passes 10

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
  int documents = 3000, length = 100, words = 5000, topics = 32, passes = 10;
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

/// The mean log likelihood of a token.
static double log_likelihood(const auto& tokens, const auto& nw, const auto& nd, const auto& totals,
                             int words) {
  const int topics = static_cast<int>(totals.size());
  double sum = 0;
  for (const Token& t : tokens) {
    double p = 0, length = 0;
    for (int z = 0; z < topics; ++z) {
      p += (nw[t.word][z] + beta) / (totals[z] + words * beta) * (nd[t.document][z] + alpha);
      length += nd[t.document][z];
    }
    sum += std::log(p / (length + topics * alpha));
  }
  return sum / tokens.size();
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

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  Options options = parse_options(argc, argv);
  const int topics = options.topics;
  stradsap::dvector<Token> tokens;
  options.data.empty() ? make_tokens(tokens, options) : read_tokens(tokens, options);
  const int64_t n = tokens.size();
  stradsap::dvector<std::vector<int>> nw(options.words, std::vector<int>(topics));
  stradsap::dvector<std::vector<int>> nd(options.documents, std::vector<int>(topics));
  stradsap::dvector<int> totals(topics, stradsap::consistency::stale(0));
  for (const Token& t : tokens) {
    ++nw[t.word][t.topic];
    ++nd[t.document][t.topic];
    ++totals[t.topic];
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    stradsap::async_for(n, [&](int64_t j) {
      Token& t = tokens[j];
      --nw[t.word][t.topic];
      --nd[t.document][t.topic];
      --totals[t.topic];
      std::vector<float> p(topics);
      float sum = 0;
      for (int z = 0; z < topics; ++z) {
        sum += (nw[t.word][z] + beta) / (totals[z] + options.words * beta) * (nd[t.document][z] + alpha);
        p[z] = sum;
      }
      const float place = static_cast<float>(stradsap::random(j).uniform()) * sum;
      t.topic = 0;
      while (t.topic < topics - 1 && p[t.topic] < place) ++t.topic;
      ++nw[t.word][t.topic];
      ++nd[t.document][t.topic];
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
