// Sparse rows, with subscripts that are elements of another container: loops that run in each of several
// ways. g++ may pack their inner loops, and then adds in another order. Prints a hash for each way.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <stradsap/stradsap.hpp>

constexpr int width = 57;  // of a row
constexpr int n = 3000, features = 900;

static uint64_t mixed(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  return x ^ x >> 33;
}

static void tell(const char* way, const stradsap::dvector<float>& values) {
  uint64_t hash = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    uint32_t bits = 0;
    const float x = values[k];
    std::memcpy(&bits, &x, sizeof bits);
    hash = mixed(hash + bits);
  }
  std::printf("%s %016llx\n", way, static_cast<unsigned long long>(hash));
}

/// Steps of linear regression, a row at a time.
static void descend(const char* way, int rows, int places, int parts) {
  stradsap::dvector<int> feature(rows * width);
  stradsap::dvector<float> value(rows * width), w(places * parts);
  for (int k = 0; k < rows * width; ++k) {
    const int part = k / width % parts;  // rows of two parts have no feature in common
    feature[k] = part * places + static_cast<int>(mixed(k) % places);
    value[k] = 0.01f * static_cast<float>(mixed(k + 99) % 100);
  }
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::async_for(rows, [&](int i) {
      float score = 1;
      for (int k = i * width; k < (i + 1) * width; ++k) score -= w[feature[k]] * value[k];
      for (int k = i * width; k < (i + 1) * width; ++k) w[feature[k]] += 0.001f * score * value[k];
    });
    feature[pass] = feature[pass + 1];
  }
  tell(way, w);
}

/// The loops only read the weights, and store, or add up.
static void look(stradsap::dvector<int>& feature, stradsap::dvector<float>& w) {
  stradsap::dvector<float> score(n), counts(features), total(1);
  for (int pass = 0; pass < 3; ++pass) {
    float all = 0;
    stradsap::async_for(n, [&](int i) {
      float sum = 0;
      for (int k = i * width; k < (i + 1) * width; ++k) sum += w[feature[k]] * w[feature[k]];
      score[i] += sum;
      all += sum;
    });
    total[0] += all;
    stradsap::async_for(n, [&](int i) {
      for (int k = i * width; k < (i + 1) * width; ++k) counts[feature[k]] += score[i] * w[feature[k]];
    });
    feature[pass] = feature[pass + 7];
  }
  tell("ranges", score);
  tell("total", total);
  tell("additions", counts);
}

static void step(stradsap::dvector<int>& feature, stradsap::dvector<float>& w) {
  for (int pass = 0; pass < 3; ++pass) {
    stradsap::parallel_for(
        n,
        [&](int i) {
          float score = 1;
          for (int k = i * width; k < (i + 1) * width; ++k) score -= w[feature[k]];
          for (int k = i * width; k < (i + 1) * width; ++k) w[feature[k]] += 0.001f * score;
        },
        stradsap::consistency::sync({.batch = 800, .shards = 8}));
  }
  tell("batches", w);
}

int main() {
  descend("program order", 1500, 300, 1);
  descend("waves", 3000, 40, 500);
  descend("short", 200, 60, 50);
  descend("many", 20000, 200, 16);
  stradsap::dvector<int> feature(n * width);
  stradsap::dvector<float> w(features);
  for (int k = 0; k < n * width; ++k) feature[k] = static_cast<int>(mixed(k) % features);
  for (int k = 0; k < features; ++k) w[k] = 0.001f * static_cast<float>(mixed(k + 5) % 1000);
  look(feature, w);
  step(feature, w);
}
