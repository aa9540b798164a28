// A network with one hidden layer, trained by mini-batch gradient descent, one thread, standard containers.
//
// A pass takes one step for each mini-batch. The loss is the cross entropy of each mini-batch before its
// step. Rumelhart, Hinton, Williams: Learning representations by back-propagating errors, Nature, 1986.
//
//   g++ -std=c++20 -O3 -march=native sequential.cpp -o sequential
//   ./sequential --samples 16384 --batch 128 --passes 10
//   ./sequential --data samples.csv --passes 10

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

constexpr int D = 64, H = 64, C = 10;  // inputs, hidden units, classes

struct Sample {
  std::array<float, D> x;
  int label;
};

struct Options {
  std::string data;  // CSV with a header, the label last; empty: samples are generated
  int64_t samples = 16384, batch = 128;
  int passes = 10;
  float rate = 0.2f;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--samples") == 0) options.samples = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--batch") == 0) options.batch = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--rate") == 0) options.rate = std::atof(argv[i + 1]);
  }
  return options;
}

/// Points around three random centers of each class.
static void make_samples(auto& samples) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<std::array<float, D>> centers(3 * C);
  for (auto& center : centers) {
    for (float& x : center) x = 0.3f * normal(random);
  }
  for (auto& sample : samples) {
    const int center = random() % centers.size();
    for (int d = 0; d < D; ++d) sample.x[d] = centers[center][d] + 0.7f * normal(random);
    sample.label = center % C;
  }
}

/// Random weights of a scale that fits their number.
static void make_weights(auto& W, std::mt19937& random) {
  for (auto& row : W) {
    std::normal_distribution<float> normal(0, std::sqrt(2.0f / row.size()));
    for (float& w : row) w = normal(random);
  }
}

/// Turns scores into probabilities.
static void softmax(float* score) {
  const float most = *std::max_element(score, score + C);
  float sum = 0;
  for (int c = 0; c < C; ++c) sum += score[c] = std::exp(score[c] - most);
  for (int c = 0; c < C; ++c) score[c] /= sum;
}

/// A step down the gradient.
static void descend(auto& weights, const auto& gradient, float rate) {
  for (size_t k = 0; k < weights.size(); ++k) weights[k] -= rate * gradient[k];
}

/// A line of names, then a line of D numbers and a label, 0 to C - 1, for each sample.
static void read_samples(auto& samples, const Options& options) {
  std::ifstream file(options.data);
  if (!file) throw std::runtime_error(options.data + ": cannot be read");
  std::string line, field;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Sample sample;
    int d = 0;
    for (; d < D && std::getline(fields, field, ','); ++d) sample.x[d] = std::stof(field);
    if (d < D || !(fields >> sample.label >> std::ws).eof() || sample.label < 0 || sample.label >= C)
      throw std::runtime_error(options.data + ": expected D numbers and a label: " + line);
    samples.push_back(sample);
  }
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  const Options options = parse_options(argc, argv);
  std::vector<Sample> samples(options.data.empty() ? options.samples : 0);
  options.data.empty() ? make_samples(samples) : read_samples(samples, options);
  const int64_t n = samples.size();
  std::vector<std::array<float, D>> W1(H), G1(H);
  std::vector<std::array<float, H>> W2(C), G2(C);
  std::vector<float> b1(H), b2(C), g1(H), g2(C);
  std::mt19937 random(2);
  make_weights(W1, random);
  make_weights(W2, random);
  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    double loss = 0;
    for (int64_t first = 0; first < n; first += options.batch) {
      const int64_t size = std::min(options.batch, n - first);
      G1.assign(H, {});
      G2.assign(C, {});
      g1.assign(H, 0);
      g2.assign(C, 0);
      for (int64_t i = 0; i < size; ++i) {
        const Sample& sample = samples[first + i];
        float h[H], p[C];
        for (int j = 0; j < H; ++j) {
          float sum = b1[j];
          for (int d = 0; d < D; ++d) sum += W1[j][d] * sample.x[d];
          h[j] = std::max(sum, 0.0f);
        }
        for (int c = 0; c < C; ++c) {
          p[c] = b2[c];
          for (int j = 0; j < H; ++j) p[c] += W2[c][j] * h[j];
        }
        softmax(p);
        loss -= std::log(p[sample.label]);
        p[sample.label] -= 1;  // from here on, the loss by the scores
        float back[H] = {};
        for (int c = 0; c < C; ++c) {
          for (int j = 0; j < H; ++j) back[j] += p[c] * W2[c][j];
          for (int j = 0; j < H; ++j) G2[c][j] += p[c] * h[j];
          g2[c] += p[c];
        }
        for (int j = 0; j < H; ++j) {
          if (h[j] == 0) continue;
          for (int d = 0; d < D; ++d) G1[j][d] += back[j] * sample.x[d];
          g1[j] += back[j];
        }
      }
      const float rate = options.rate / size;
      for (int j = 0; j < H; ++j) descend(W1[j], G1[j], rate);
      for (int c = 0; c < C; ++c) descend(W2[c], G2[c], rate);
      descend(b1, g1, rate);
      descend(b2, g2, rate);
    }
    std::printf("pass=%d seconds=%.6f loss=%.6g\n", pass, seconds_now() - start, loss / n);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
