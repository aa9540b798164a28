// Common code of the rivals: all of the sequential original but its training, vectors in one array, and a dot
// product by whole registers.

#pragma once

#define main sequential_main
#include "../../examples/word2vec/sequential.cpp"
#undef main

/// The columns from `begin` to `end` of all vectors, in one array: rows of `in` before those of `out`.
struct Model {
  int words, begin, width;
  std::vector<float> rows;

  Model(int num_words, int first, int end)
      : words(num_words), begin(first), width(end - first), rows(size_t{2} * num_words * width) {
    std::mt19937 random(2);  // as the original draws
    for (int i = 0; i < words * D; ++i) {
      const float x = (random() % 1000 / 1000.0f - 0.5f) / D;
      if (i % D >= begin && i % D < end) in(i / D)[i % D - begin] = x;
    }
  }
  float* in(int word) { return rows.data() + int64_t{word} * width; }
  float* out(int word) { return in(words + word); }

  /// The vectors of `in`, then those of `out`, with 0 in the columns of others.
  std::vector<Vector> vectors() {
    std::vector<Vector> all(2 * words);
    for (int i = 0; i < 2 * words; ++i) std::copy(in(i), in(i + 1), all[i].begin() + begin);
    return all;
  }
};

/// Sixteen sums, so that the compiler adds whole registers without -ffast-math.
inline float dot(const float* a, const float* b, int width) {
  constexpr int lanes = 16;
  float sums[lanes] = {};
  int d = 0;
  for (; d + lanes <= width; d += lanes) {
    for (int l = 0; l < lanes; ++l) sums[l] += a[d + l] * b[d + l];
  }
  for (; d < width; ++d) sums[0] += a[d] * b[d];
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) sums[l] += sums[l + half];
  }
  return sums[0];
}

/// Random numbers of a worker (xorshift64*).
class Random {
 public:
  explicit Random(int worker) : state_(0x9e3779b97f4a7c15 * (worker + 1)) {}
  uint64_t below(uint64_t n) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return (state_ * 0x2545f4914f6cdd1d >> 32) * n >> 32;
  }

 private:
  uint64_t state_;
};

/// The original's loss.
inline double loss_of(const std::vector<Vector>& vectors, const auto& sentences, const auto& noise,
                      const Options& options) {
  return mean_loss(sentences, vectors.data(), vectors.data() + options.words, noise, options);
}

/// The original's answers.
inline void answer_questions(const std::vector<Vector>& vectors, const Options& options) {
  print_answers(read_questions(options.questions, options.names), vectors, options.words);
}

/// Calls visit(center, context) for each pair of close words.
template <class Visit> void for_each_pair(const std::vector<int>& sentence, int window, const Visit& visit) {
  const int length = static_cast<int>(sentence.size());
  for (int i = 0; i < length; ++i) {
    const int last = std::min(length - 1, i + window);
    for (int j = std::max(0, i - window); j <= last; ++j) {
      if (j != i) visit(sentence[j], sentence[i]);
    }
  }
}
