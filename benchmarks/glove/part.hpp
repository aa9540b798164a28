// The part of a worker: some words with their pairs, by parts of the contexts.
//
// In a round, each worker trains on the pairs of its words with one part of the contexts, and no two workers
// have the same part. So workers share no vector. Gemulla, Nijkamp, Haas, Sismanis: Large-scale matrix
// factorization with distributed stochastic gradient descent, KDD, 2011.

#pragma once

#include <immintrin.h>

#define main sequential_main
#include "../../examples/glove/sequential.cpp"
#undef main

/// A whole register. The compiler vectorises no loop with std::sqrt, which may set errno.
#ifdef __AVX__
using Lanes = __m256;
static Lanes root(Lanes x) { return _mm256_sqrt_ps(x); }
#else
using Lanes = __m128;
static Lanes root(Lanes x) { return _mm_sqrt_ps(x); }
#endif
static float root(float x) { return std::sqrt(x); }

template <class T> T load(const float* from) {
  T x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
static void store(float* to, auto x) { std::memcpy(to, &x, sizeof x); }

/// A step of AdaGrad for as many columns as T holds.
template <class T>
void move(float* word, float* context, float* word_squares, float* context_squares, float g, float rate) {
  const T w = load<T>(word), c = load<T>(context), gw = g * c, gc = g * w;
  const T ws = load<T>(word_squares), cs = load<T>(context_squares);
  store(word, w - rate * gw / root(ws));
  store(context, c - rate * gc / root(cs));
  store(word_squares, ws + gw * gw);
  store(context_squares, cs + gc * gc);
}

/// Words in parts with about as many pairs each. A part has adjacent rows.
struct Cut {
  std::vector<int> first_row, row_of_word;

  Cut(const std::vector<Pair>& pairs, int words, int parts) : row_of_word(words) {
    std::vector<int64_t> count(words), load(parts);
    for (const Pair& pair : pairs) ++count[pair.word];
    std::vector<int> by_count(words);
    for (int word = 0; word < words; ++word) by_count[word] = word;
    std::sort(by_count.begin(), by_count.end(), [&](int a, int b) { return count[a] > count[b]; });
    std::vector<std::vector<int>> parts_words(parts);
    for (const int word : by_count) {  // the most frequent first, each to the part with the fewest pairs
      const auto part = std::min_element(load.begin(), load.end()) - load.begin();
      load[part] += count[word] + 1;
      parts_words[part].push_back(word);
    }
    int row = 0;
    for (const auto& part : parts_words) {
      first_row.push_back(row);
      for (const int word : part) row_of_word[word] = row++;
    }
    first_row.push_back(row);
  }
  int part_of_row(int row) const {
    return std::upper_bound(first_row.begin(), first_row.end(), row) - first_row.begin() - 1;
  }
};

/// A row has all of a word: its vector, the sums of squared gradients, the bias and that bias's sum.
struct Layout {
  int dim, stride;
  explicit Layout(int num_dims) : dim(num_dims), stride((2 * num_dims + 2 + 15) / 16 * 16) {}
  int squares() const { return dim; }
  int bias() const { return 2 * dim; }
  int bias_square() const { return 2 * dim + 1; }
};

/// The original's first vectors of all words, and of all contexts, by the rows of the cut.
static void begin_model(std::vector<float>& words, std::vector<float>& contexts, const Cut& cut,
                        Layout layout) {
  const int num_words = static_cast<int>(cut.row_of_word.size());
  words.assign(static_cast<size_t>(num_words) * layout.stride, 0);
  contexts = words;
  std::mt19937 random(2);
  for (int i = 0; i < num_words; ++i) {
    for (auto* model : {&words, &contexts}) {
      float* row = model->data() + static_cast<int64_t>(cut.row_of_word[i]) * layout.stride;
      for (int d = 0; d < layout.dim; ++d) row[d] = (random() % 1000 / 1000.0f - 0.5f) / layout.dim;
      std::fill(row + layout.squares(), row + layout.bias(), 1.0f);
      row[layout.bias_square()] = 1;
    }
  }
}

class Part {
 public:
  Part(const std::vector<Pair>& pairs, const Cut& cut, const Options& options, int part)
      : layout_(options.dim), rate_(options.rate), blocks_(cut.first_row.size() - 1) {
    for (const Pair& pair : pairs) {
      const int word = cut.row_of_word[pair.word], context = cut.row_of_word[pair.context];
      if (cut.part_of_row(word) != part) continue;
      const float weight = std::min(1.0f, std::pow(pair.count / 10, 0.75f));
      blocks_[cut.part_of_row(context)].push_back({word, context, std::log(pair.count), weight});
    }
  }

  /// Trains on the pairs with one part of the contexts. Returns the sum of their losses.
  double train(int contexts_part, float* words, float* contexts) const {
    double loss = 0;
    for (const Sample& s : blocks_[contexts_part]) {
      loss +=
          step(s, words + int64_t{s.word} * layout_.stride, contexts + int64_t{s.context} * layout_.stride);
    }
    return loss;
  }

 private:
  struct Sample {
    int word, context;
    float log_count, weight;
  };

  /// Sixteen sums, so that the compiler adds whole registers without -ffast-math.
  float dot(const float* w, const float* c) const {
    constexpr int lanes = 16;
    float sums[lanes] = {};
    int d = 0;
    for (; d + lanes <= layout_.dim; d += lanes) {
      for (int l = 0; l < lanes; ++l) sums[l] += w[d + l] * c[d + l];
    }
    for (; d < layout_.dim; ++d) sums[0] += w[d] * c[d];
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) sums[l] += sums[l + half];
    }
    return sums[0];
  }

  double step(const Sample& s, float* w, float* c) const {
    float &word_bias = w[layout_.bias()], &context_bias = c[layout_.bias()];
    const float error = word_bias + context_bias - s.log_count + dot(w, c);
    const float g = s.weight * error;
    constexpr int lanes = sizeof(Lanes) / sizeof(float);
    float *w_squares = w + layout_.squares(), *c_squares = c + layout_.squares();
    int d = 0;
    for (; d + lanes <= layout_.dim; d += lanes)
      move<Lanes>(w + d, c + d, w_squares + d, c_squares + d, g, rate_);
    for (; d < layout_.dim; ++d) move<float>(w + d, c + d, w_squares + d, c_squares + d, g, rate_);
    float &word_square = w[layout_.bias_square()], &context_square = c[layout_.bias_square()];
    word_bias -= rate_ * g / std::sqrt(word_square);
    context_bias -= rate_ * g / std::sqrt(context_square);
    word_square += g * g;
    context_square += g * g;
    return 0.5 * s.weight * error * error;
  }

  Layout layout_;
  float rate_;
  std::vector<std::vector<Sample>> blocks_;
};
