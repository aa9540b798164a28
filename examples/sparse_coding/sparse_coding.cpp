// Sparse coding: atoms of which a few make up each signal, on StradsAP.
//
// Minimises half of the squared residuals plus lambda times the absolute codes, of signals as sums of atoms
// by their codes. A step solves for all codes, by one loop: its scheduler repeats those that change; then
// each atom moves to its minimum, with norm 1 at most. Mairal, Bach, Ponce, Sapiro: Online dictionary
// learning for sparse coding, 2009.
//
//   stradsap-cc -std=c++20 -O3 -march=native sparse_coding.cpp -o sparse_coding
//   ./sparse_coding --signals 2000 --atoms 128 --lambda 0.1 --steps 10
//   ./sparse_coding --data patches.csv --atoms 128

#include <algorithm>
#include <array>
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

constexpr int D = 64;
using Signal = std::array<float, D>;  // a patch of 8 x 8, say

struct Options {
  std::string data;  // CSV of D columns with a header; empty: generated
  int64_t signals = 2000, atoms = 128;
  int steps = 10;
  float lambda = 0.1f;
  double tolerance = 1e-4;  // of changes, as a part of the greatest code
  std::string save;         // folder for atoms and codes, or empty
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--signals") == 0) options.signals = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--atoms") == 0) options.atoms = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--steps") == 0) options.steps = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--lambda") == 0) options.lambda = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--tolerance") == 0) options.tolerance = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--save") == 0) options.save = argv[i + 1];
  }
  if (options.atoms > 0 && options.lambda > 0 && options.lambda < 1e30f) return options;
  throw std::runtime_error("--atoms and --lambda must be positive");
}

static float product(const Signal& a, const Signal& b) {
  float sum = 0;
  for (int d = 0; d < D; ++d) sum += a[d] * b[d];
  return sum;
}

static void add(Signal& to, float factor, const Signal& of) {
  for (int d = 0; d < D; ++d) to[d] += factor * of[d];
}

/// Sums of three random atoms each, and noise.
static void make_signals(auto& signals, int64_t num_atoms) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<Signal> truth(num_atoms);
  for (Signal& atom : truth) {
    for (float& x : atom) x = normal(random) / std::sqrt(float(D));
  }
  for (auto& signal : signals) {
    for (int d = 0; d < D; ++d) signal[d] = 0.02f * normal(random);
    for (int k = 0; k < 3; ++k) add(signal, normal(random), truth[random() % num_atoms]);
  }
}

/// A line of names, then a line of D numbers for each signal.
static void read_signals(auto& signals, const std::string& path) {
  const auto table = stradsap::read_csv<float>(path);
  if (table.columns != D) throw std::runtime_error(path + ":1: expected D columns");
  signals.resize(table.rows);
  for (int64_t i = 0; i < table.rows; ++i) {
    for (int d = 0; d < D; ++d) signals[i][d] = table.value[i * D + d];
  }
}

/// Atoms to start with: signals at equal distances, with norm 1.
static void choose_atoms(auto& atoms, const auto& signals) {
  if (signals.size() == 0) throw std::runtime_error("there are no signals");
  for (std::size_t k = 0; k < atoms.size(); ++k) {
    Signal atom = signals[k * signals.size() / atoms.size()];
    const float norm = std::sqrt(product(atom, atom));
    for (float& x : atom) x = norm > 0 ? x / norm : 0;
    atoms[k] = atom;
  }
}

/// Each atom goes to its minimum with the others fixed. `overlaps`: sums of products of two codes, and
/// `sums`: of signals by their codes.
static void move_atoms(auto& atoms, const auto& overlaps, const auto& sums) {
  const std::size_t num_atoms = atoms.size();
  for (std::size_t k = 0; k < num_atoms; ++k) {
    const float weight = overlaps[k * num_atoms + k];
    if (weight == 0) continue;  // no signal has it
    Signal moved = atoms[k];
    add(moved, 1 / weight, sums[k]);
    for (std::size_t l = 0; l < num_atoms; ++l) add(moved, -overlaps[k * num_atoms + l] / weight, atoms[l]);
    const float norm = std::sqrt(product(moved, moved));
    for (float& x : moved) x /= std::max(norm, 1.0f);
    atoms[k] = moved;
  }
}

/// The greatest violation of the optimality conditions of codes, as a part of lambda.
static double violation(const auto& atoms, const auto& codes, const auto& left, float lambda) {
  double worst = 0;
  const std::size_t num_atoms = atoms.size();
  for (std::size_t j = 0; j < codes.size(); ++j) {
    const double slope = product(atoms[j % num_atoms], left[j / num_atoms]);
    const double off =
        codes[j] == 0 ? std::abs(slope) - lambda : std::abs(slope - std::copysign(lambda, codes[j]));
    worst = std::max(worst, off);
  }
  return worst / lambda;
}

static void print(int step, int64_t updates, double seconds, const auto& codes, const auto& left,
                  float lambda, double violation) {
  double squares = 0, absolutes = 0;
  for (const Signal& one : left) squares += product(one, one);
  for (const float code : codes) absolutes += std::abs(code);
  const int64_t nonzero = codes.size() - std::count(codes.begin(), codes.end(), 0.0f);
  std::printf("step=%d updates=%ld seconds=%.4f objective=%.8g nonzero=%ld violation=%.1e\n", step, updates,
              seconds, (squares / 2 + lambda * absolutes) / left.size(), nonzero, violation);
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  const Options options = parse_options(argc, argv);
  const int64_t K = options.atoms;
  const float lambda = options.lambda;
  stradsap::dvector<Signal> signals(options.data.empty() ? options.signals : 0);
  options.data.empty() ? make_signals(signals, K) : read_signals(signals, options.data);
  const int64_t n = signals.size();
  stradsap::dvector<Signal> atoms(K), left = signals, sums;  // left: of signals, without their sums of atoms
  stradsap::dvector<float> codes(n * K), overlaps, squares(K);
  choose_atoms(atoms, signals);

  double total = 0;
  for (int step = 0; step < options.steps; ++step) {
    const double start = seconds_now();
    if (step > 0) {
      overlaps.assign(K * K, 0);
      sums.assign(K, Signal{});
      stradsap::async_for(n, [&](int64_t i) {
        for (int64_t k = 0; k < K; ++k) {
          const float code = codes[i * K + k];
          if (code == 0) continue;
          add(sums[k], code, signals[i]);
          for (int64_t l = 0; l < K; ++l) overlaps[k * K + l] += code * codes[i * K + l];
        }
      });
      move_atoms(atoms, overlaps, sums);
      stradsap::async_for(n, [&](int64_t i) {
        left[i] = signals[i];
        for (int64_t k = 0; k < K; ++k) {
          if (codes[i * K + k] != 0) add(left[i], -codes[i * K + k], atoms[k]);
        }
      });
    }
    for (int64_t k = 0; k < K; ++k) squares[k] = product(atoms[k], atoms[k]);
    int64_t updates = 0;
    stradsap::parallel_for(
        n * K,
        [&](int64_t j) {
          updates += 1;
          const Signal& atom = atoms[j % K];
          const float square = squares[j % K];
          if (square == 0) return;
          const float whole = codes[j] * square + product(atom, left[j / K]);
          const float size = std::max(std::abs(whole) - lambda, 0.0f) / square;
          const float step = std::copysign(size, whole) - codes[j];
          if (step != 0) {
            add(left[j / K], -step, atom);
            codes[j] += step;
          }
        },
        stradsap::consistency::approximate, stradsap::schedule::dynamic().until(options.tolerance));
    total += seconds_now() - start;
    print(step, updates, total, codes, left, lambda, violation(atoms, codes, left, lambda));
  }
  if (!options.save.empty()) {
    stradsap::save_jsonl(options.save, "codes", codes);
    stradsap::save_npy(options.save, "atoms", atoms);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
