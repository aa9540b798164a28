// Global word vectors (GloVe) by AdaGrad, one thread, standard containers.
//
// Each pair of words that occur together moves two vectors and two biases towards the logarithm of its count.
// Pennington, Socher, Manning: GloVe: Global vectors for word representation, EMNLP, 2014.
//
//   g++ -std=c++20 -O3 -march=native sequential.cpp -o sequential
//   ./sequential --tokens 25000 --words 5000 --passes 10
//   ./sequential --data text8 --passes 10

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Options {
  std::string data;  // text; empty: a text is generated
  int tokens = 25000, words = 5000, dim = 64, window = 5, min_count = 5, passes = 10;
  float rate = 0.05f;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--tokens") == 0) options.tokens = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--words") == 0) options.words = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--dim") == 0) options.dim = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--window") == 0) options.window = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--min-count") == 0) options.min_count = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--rate") == 0) options.rate = static_cast<float>(std::atof(argv[i + 1]));
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
  }
  return options;
}

struct Pair {
  int word, context;
  float count;
};

/// The pairs of close words in a text, in random order.
static void count_pairs(auto& pairs, const auto& text, int window, std::mt19937& random) {
  std::map<std::pair<int, int>, float> counts;
  const int tokens = static_cast<int>(text.size());
  for (int i = 0; i < tokens; ++i) {
    for (int j = std::max(0, i - window); j < i; ++j) {
      counts[{text[i], text[j]}] += 1.0f / (i - j);
      counts[{text[j], text[i]}] += 1.0f / (i - j);
    }
  }
  for (const auto& [words, count] : counts) pairs.push_back({words.first, words.second, count});
  std::shuffle(pairs.begin(), pairs.end(), random);
}

/// A text of changing subjects. Words follow Zipf's law.
static void make_pairs(auto& pairs, const Options& options) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;
  std::vector<int> text(options.tokens);
  uint64_t subject = 0;
  for (int& word : text) {
    if (random() % 50 == 0) subject = random() % 100;
    word = static_cast<int>(std::pow(options.words, uniform(random))) - 1;
    if (word >= 20) word = static_cast<int>((word + subject * 2654435761) % options.words);
  }
  count_pairs(pairs, text, options.window, random);
}

/// Words that occur less than min_count times are left out; the most frequent one is word 0.
static void read_pairs(auto& pairs, Options& options) {
  std::ifstream file(options.data);
  if (!file) throw std::runtime_error(options.data + ": cannot be read");
  std::vector<std::string> text;
  std::map<std::string, int> counts, number;
  for (std::string word; file >> word; ++counts[word]) text.push_back(word);
  std::vector<std::pair<int, std::string>> known;
  for (const auto& [word, count] : counts) {
    if (count >= options.min_count) known.push_back({-count, word});
  }
  std::sort(known.begin(), known.end());
  for (const auto& [count, word] : known) number.emplace(word, number.size());
  options.words = static_cast<int>(number.size());
  std::vector<int> numbers;
  for (const std::string& word : text) {
    if (number.contains(word)) numbers.push_back(number[word]);
  }
  std::mt19937 random(1);
  count_pairs(pairs, numbers, options.window, random);
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  Options options = parse_options(argc, argv);
  std::vector<Pair> pairs;
  options.data.empty() ? make_pairs(pairs, options) : read_pairs(pairs, options);
  const int words = options.words, dim = options.dim;
  const int64_t n = pairs.size();
  std::vector<std::vector<float>> W(words, std::vector<float>(dim)), C(words, std::vector<float>(dim));
  std::vector<std::vector<float>> W_squares(words, std::vector<float>(dim, 1.0f));
  std::vector<std::vector<float>> C_squares(words, std::vector<float>(dim, 1.0f));
  std::vector<float> b(words), c(words), b_squares(words, 1.0f), c_squares(words, 1.0f);
  std::mt19937 random(2);
  for (int i = 0; i < words; ++i) {
    for (float& x : W[i]) x = (random() % 1000 / 1000.0f - 0.5f) / dim;
    for (float& x : C[i]) x = (random() % 1000 / 1000.0f - 0.5f) / dim;
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    double loss = 0;
    for (int64_t j = 0; j < n; ++j) {
      const int i = pairs[j].word, k = pairs[j].context;
      float error = b[i] + c[k] - std::log(pairs[j].count);
      for (int d = 0; d < dim; ++d) error += W[i][d] * C[k][d];
      const float weight = std::min(1.0f, std::pow(pairs[j].count / 10, 0.75f));
      loss += 0.5 * weight * error * error;
      const float g = weight * error;
      for (int d = 0; d < dim; ++d) {
        const float gw = g * C[k][d], gc = g * W[i][d];
        W[i][d] -= options.rate * gw / std::sqrt(W_squares[i][d]);
        C[k][d] -= options.rate * gc / std::sqrt(C_squares[k][d]);
        W_squares[i][d] += gw * gw;
        C_squares[k][d] += gc * gc;
      }
      b[i] -= options.rate * g / std::sqrt(b_squares[i]);
      c[k] -= options.rate * g / std::sqrt(c_squares[k]);
      b_squares[i] += g * g;
      c_squares[k] += g * g;
    }
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / n);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
