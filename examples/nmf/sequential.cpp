// Non-negative factorization of a sparse matrix by alternating row-wise coordinate descent, one thread,
// standard containers.
//
// A pass goes through the rows of W, with H fixed, and then through those of H, with W fixed. It solves for
// one number of a row at a time. Cichocki, Phan: Fast local algorithms for large scale nonnegative matrix and
// tensor factorizations, 2009.
//
//   g++ -std=c++20 -O3 -march=native sequential.cpp -o sequential
//   ./sequential --rows 20000 --columns 5000 --passes 10
//   ./sequential --data matrix.csv --passes 10

#include <algorithm>
#include <array>
#include <chrono>
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

constexpr int K = 32;
using Factor = std::array<float, K>;
using Square = std::array<Factor, K>;

struct Entry {
  int index;
  float value;
};

using Row = std::vector<Entry>;

struct Options {
  std::string data;  // CSV of numbers from 0 with a header; empty: a matrix is generated
  int64_t rows = 20000, columns = 5000;
  int passes = 10;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--rows") == 0) options.rows = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--columns") == 0) options.columns = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
  }
  return options;
}

/// Counts of words in documents on two of K topics each, by rows and by columns.
static void make_matrix(auto& by_row, auto& by_column) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  const int64_t columns = by_column.size();
  for (int64_t i = 0; i < static_cast<int64_t>(by_row.size()); ++i) {
    const int64_t topics[] = {static_cast<int64_t>(random() % K), static_cast<int64_t>(random() % K)};
    std::vector<int> words;
    const int length = 20 + random() % 100;
    for (int k = 0; k < length; ++k) {
      const int64_t rank = std::pow(columns - 1, uniform(random));
      words.push_back((rank * 48271 + topics[random() % 2] * 6967) % columns);
    }
    std::sort(words.begin(), words.end());
    for (const int j : words) {
      if (!by_row[i].empty() && by_row[i].back().index == j) {
        ++by_row[i].back().value;
      } else {
        by_row[i].push_back({j, 1});
      }
    }
    for (const Entry& e : by_row[i]) by_column[e.index].push_back({static_cast<int>(i), e.value});
  }
}

static void make_factors(auto& rows, int seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform;
  for (auto& row : rows) {
    for (float& x : row) x = 0.1f * uniform(random);
  }
}

/// The products of all pairs of columns.
static Square products(const auto& rows) {
  Square sums{};
  for (const Factor& row : rows) {
    for (int a = 0; a < K; ++a) {
      for (int b = 0; b < K; ++b) sums[a][b] += row[a] * row[b];
    }
  }
  return sums;
}

/// The row of W for a row of the matrix: `HH` has the products of H.
static void solve_row(Factor& w, const Row& row, const auto& H, const Square& HH) {
  Factor target{};
  for (const Entry& e : row) {
    for (int k = 0; k < K; ++k) target[k] += e.value * H[e.index][k];
  }
  for (int k = 0; k < K; ++k) {
    float product = 0;
    for (int l = 0; l < K; ++l) product += HH[k][l] * w[l];
    w[k] = std::max(w[k] + (target[k] - product) / (HH[k][k] + 1e-9f), 0.0f);
  }
}

/// The squared norm of the matrix without W times H.
static double squared_error(const auto& by_row, const auto& W, const auto& H) {
  double error = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(by_row.size()); ++i) {
    for (const Entry& e : by_row[i]) {
      float product = 0;
      for (int k = 0; k < K; ++k) product += W[i][k] * H[e.index][k];
      error += e.value * (e.value - 2 * product);
    }
  }
  const Square WW = products(W), HH = products(H);
  for (int k = 0; k < K; ++k) {
    for (int l = 0; l < K; ++l) error += WW[k][l] * HH[k][l];
  }
  return error;
}

/// A line of names, then a line of numbers for each row. None is negative; zeros are left out.
static void read_matrix(auto& by_row, auto& by_column, const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::string line, field;
  std::getline(file, line);
  by_column.resize(std::count(line.begin(), line.end(), ',') + 1);
  for (int i = 0; std::getline(file, line); ++i) {
    by_row.emplace_back();
    std::istringstream fields(line);
    int j = 0;
    for (; j < std::ssize(by_column) && std::getline(fields, field, ','); ++j) {
      const float value = std::stof(field);
      if (value < 0) throw std::runtime_error(path + ": negative number: " + line);
      if (value == 0) continue;
      by_row[i].push_back({j, value});
      by_column[j].push_back({i, value});
    }
    if (j < std::ssize(by_column) || !fields.eof()) throw std::runtime_error(path + ": bad line: " + line);
  }
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  const Options options = parse_options(argc, argv);
  std::vector<Row> by_row, by_column;
  if (options.data.empty()) {
    by_row.resize(options.rows);
    by_column.resize(options.columns);
    make_matrix(by_row, by_column);
  } else {
    read_matrix(by_row, by_column, options.data);
  }
  const int64_t n = by_row.size(), m = by_column.size();
  std::vector<Factor> W(n), H(m);
  make_factors(W, 2);
  make_factors(H, 3);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    const Square HH = products(H);
    for (int64_t i = 0; i < n; ++i) {
      solve_row(W[i], by_row[i], H, HH);
    }
    const Square WW = products(W);
    for (int64_t j = 0; j < m; ++j) {
      solve_row(H[j], by_column[j], W, WW);
    }
    const double seconds = seconds_now() - start;
    const double error = squared_error(by_row, W, H) / n;
    std::printf("pass=%d seconds=%.6f error=%.6g\n", pass, seconds, error);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
