// Skip-gram with negative sampling, as word2vec.c has it: the noise words of a sentence are drawn in its
// iteration.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <stradsap/stradsap.hpp>

typedef float real;
constexpr int layer1_size = 64;
using row = std::array<real, layer1_size>;

#define EXP_TABLE_SIZE 1000
#define MAX_EXP 6

constexpr int vocab_size = 5000, table_size = 100'000, sentence_length = 20, window = 5, negative = 5;
const real sample = 1e-2f;

struct sentence {
  std::vector<int> words;
};

static unsigned long long next(unsigned long long& random) { return random = random * 25214903917ULL + 11; }

/// Words of a sentence are of one of 50 subjects; small numbers are frequent.
static stradsap::dvector<sentence> make_corpus(int64_t n, std::vector<int64_t>& counts) {
  stradsap::dvector<sentence> corpus(n);
  unsigned long long random = 1;
  for (sentence& s : corpus) {
    const int subject = static_cast<int>((next(random) >> 16) % 50);
    for (int i = 0; i < sentence_length; ++i) {
      const double u = static_cast<double>((next(random) >> 16) % 10'000) / 10'000;
      s.words.push_back(static_cast<int>(u * u * vocab_size / 50) * 50 + subject);
      ++counts[s.words.back()];
    }
  }
  return corpus;
}

static std::vector<int> init_unigram_table(const std::vector<int64_t>& counts) {
  double train_words_pow = 0;
  for (const int64_t c : counts) train_words_pow += std::pow(c, 0.75);
  std::vector<int> table;
  double sum = 0;
  for (int w = 0; w < vocab_size; ++w) {
    sum += std::pow(counts[w], 0.75) / train_words_pow;
    while (static_cast<double>(table.size()) < sum * table_size) table.push_back(w);
  }
  return table;
}

static std::vector<real> init_exp_table() {
  std::vector<real> table(EXP_TABLE_SIZE);
  for (int i = 0; i < EXP_TABLE_SIZE; i++) {
    const real e = std::exp((i / real(EXP_TABLE_SIZE) * 2 - 1) * MAX_EXP);
    table[i] = e / (e + 1);
  }
  return table;
}

static real sigmoid(const std::vector<real>& table, real f) {
  if (f > MAX_EXP) return 1;
  if (f < -MAX_EXP) return 0;
  return table[static_cast<int>((f + MAX_EXP) * (EXP_TABLE_SIZE / MAX_EXP / 2))];
}

struct model {
  stradsap::dvector<row> syn0{vocab_size}, syn1neg{vocab_size};
};

/// The mean loss of a pair.
static double train(const stradsap::dvector<sentence>& corpus, const std::vector<int64_t>& counts, model& m,
                    int epoch, real alpha) {
  const std::vector<int> table = init_unigram_table(counts);
  const std::vector<real> exp_table = init_exp_table();
  const int64_t n = static_cast<int64_t>(corpus.size()), train_words = n * sentence_length;
  auto& syn0 = m.syn0;
  auto& syn1neg = m.syn1neg;
  double loss = 0;
  int64_t pairs = 0;
  stradsap::async_for(n, [&, alpha, epoch, n](int64_t j) {
    unsigned long long next_random = static_cast<unsigned long long>(epoch * n + j);
    std::vector<int> sen;
    for (const int word : corpus[j].words) {
      const real kept = sample * static_cast<real>(train_words) / static_cast<real>(counts[word]);
      const real ran = std::sqrt(kept) + kept;
      next_random = next_random * 25214903917ULL + 11;
      if (ran < static_cast<real>((next_random >> 16) & 0xFFFF) / 65536) continue;
      sen.push_back(word);
    }
    const int length = static_cast<int>(sen.size());
    for (int position = 0; position < length; position++) {
      const int word = sen[position];
      next_random = next_random * 25214903917ULL + 11;
      const int b = static_cast<int>(next_random % window);
      for (int a = b; a < window * 2 + 1 - b; a++) {
        if (a == window) continue;
        const int c = position - window + a;
        if (c < 0 || c >= length) continue;
        row& l1 = syn0[sen[c]];
        row neu1e{};
        for (int d = 0; d < negative + 1; d++) {
          int target, label;
          if (d == 0) {
            target = word;
            label = 1;
          } else {
            next_random = next_random * 25214903917ULL + 11;
            target = table[(next_random >> 16) % table.size()];
            if (target == word) continue;
            label = 0;
          }
          row& l2 = syn1neg[target];
          real f = 0;
          for (int k = 0; k < layer1_size; k++) f += l1[k] * l2[k];
          const real g = (label - sigmoid(exp_table, f)) * alpha;
          loss += std::log1p(std::exp(label == 1 ? -f : f));
          for (int k = 0; k < layer1_size; k++) neu1e[k] += g * l2[k];
          for (int k = 0; k < layer1_size; k++) l2[k] += g * l1[k];
        }
        for (int k = 0; k < layer1_size; k++) l1[k] += neu1e[k];
        ++pairs;
      }
    }
  });
  return loss / static_cast<double>(pairs);
}

int main(int argc, char** argv) {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 10'000;
  std::vector<int64_t> counts(vocab_size);
  const auto corpus = make_corpus(n, counts);
  model m;
  unsigned long long random = 7;
  for (row& v : m.syn0) {
    for (real& x : v) x = (static_cast<real>((next(random) >> 16) & 0xFFFF) / 65536 - 0.5f) / layer1_size;
  }
  real alpha = 0.025f;
  double first = 0, mean = 0;
  for (int epoch = 0; epoch < 3; ++epoch) {
    mean = train(corpus, counts, m, epoch, alpha);
    alpha *= 0.8f;
    if (epoch == 0) first = mean;
    std::printf("epoch=%d loss=%.17g\n", epoch, mean);
  }
  return mean < first ? 0 : 1;
}
