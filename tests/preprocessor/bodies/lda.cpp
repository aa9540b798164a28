// Topics of documents by collapsed Gibbs sampling: a
// token's document and word select rows; its topic changes.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <stradsap/stradsap.hpp>

constexpr int K = 32;
using Counts = std::array<int, K>;

struct Token {
  int doc;
  int word;
  int topic;
};

/// splitmix64: one stream for each token and sweep.
struct Random {
  uint64_t state;
  double uniform() {
    uint64_t z = state += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
  }
};

int main(int argc, char** argv) {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 4'000'000;
  const int docs = static_cast<int>(n / 100) + 2, words = static_cast<int>(n / 400) + 40;
  const double alpha = 50.0 / K, beta = 0.01;
  stradsap::dvector<Token> tokens(n);
  stradsap::dvector<Counts> doc_topic(docs), word_topic(words);
  Counts topic_total{};
  std::mt19937 engine(3);
  for (Token& t : tokens) {
    t.doc = static_cast<int>(engine() % docs);
    t.word = static_cast<int>(engine() % (words / 20)) * 20 + t.doc % 20;  // 20 kinds of documents
    t.topic = static_cast<int>(engine() % K);
    ++doc_topic[t.doc][t.topic];
    ++word_topic[t.word][t.topic];
    ++topic_total[t.topic];
  }

  double first = 0, likelihood = 0;
  for (int sweep = 0; sweep < 4; ++sweep) {
    const Counts total = topic_total;  // the value at the start of the sweep
    double log_sum = 0;
    stradsap::parallel_for(
        n,
        [=, &tokens, &doc_topic, &word_topic, &topic_total, &log_sum](int64_t j) {
          Token& t = tokens[j];
          Counts& nd = doc_topic[t.doc];
          Counts& nw = word_topic[t.word];
          const int old = t.topic;
          --nd[old];
          --nw[old];
          double p[K], sum = 0, length = 0;
          for (int k = 0; k < K; ++k) {
            const int nk = total[k] - (k == old);
            sum += (nd[k] + alpha) * (nw[k] + beta) / (nk + words * beta);
            p[k] = sum;
            length += nd[k];
          }
          log_sum += std::log(sum / (length + K * alpha));
          Random random{static_cast<uint64_t>(sweep * n + j)};
          const double u = random.uniform() * sum;
          int z = 0;
          while (z < K - 1 && p[z] < u) ++z;
          ++nd[z];
          ++nw[z];
          topic_total[old] -= 1;
          topic_total[z] += 1;
          t.topic = z;
        },
        stradsap::consistency::async);
    likelihood = log_sum / static_cast<double>(n);
    if (sweep == 0) first = likelihood;
    std::printf("sweep=%d log_likelihood=%.17g\n", sweep, likelihood);
  }
  return likelihood > first ? 0 : 1;
}
