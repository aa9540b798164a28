// Logistic regression with an L1 penalty, by Newton steps and coordinate descent, on StradsAP.
//
// Minimises |w| + C * sum of log(1 + exp(-label * w.x)). A Newton step goes to the minimum of a quadratic
// model of the loss, plus the penalty. One loop finds it: its scheduler repeats the features with
// weights that change.
// Yuan, Ho, Lin: An improved GLMNET for L1-regularized logistic regression, 2012.
//
//   stradsap-cc -std=c++20 -O3 -march=native logreg_l1.cpp -o logreg_l1
//   ./logreg_l1 --samples 20000 --features 10000 --C 1
//   ./logreg_l1 --data a9a --C 1

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

struct Entry {
  int sample;
  float value;  // of the feature, times the sample's label
};

struct Options {
  std::string data;  // in LIBSVM's format; empty: generated
  int64_t samples = 20000;
  int features = 10000;
  double C = 1;
  double tolerance = 1e-3;  // of the optimality conditions, as a part of the violation at zero
  std::string save;         // folder for the weights, or empty
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--samples") == 0) options.samples = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--features") == 0) options.features = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--C") == 0) options.C = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--tolerance") == 0) options.tolerance = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--save") == 0) options.save = argv[i + 1];
  }
  return options;
}

static void check(const Options& options) {
  if (options.C > 0 && options.C <= 1e15) return;
  throw std::runtime_error(
      "--C is a number above 0, and at most 1e15: separable samples have no optimum without a penalty");
}

/// Documents with words of Zipf frequencies. One word in twenty bears on the labels, a tenth of which are
/// noise.
static void make_columns(auto& columns, const Options& options) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  std::normal_distribution<float> normal;
  std::vector<float> truth(options.features);
  for (float& t : truth) t = random() % 20 == 0 ? 3 * normal(random) : 0;
  columns.resize(options.features);
  for (int64_t i = 0; i < options.samples; ++i) {
    std::vector<std::pair<int, float>> words;
    const int length = 10 + random() % 60;
    float margin = 0;
    for (int k = 0; k < length; ++k) {
      const int64_t rank = std::pow(options.features - 1, uniform(random));
      words.push_back({rank * 48271 % options.features, 0.5f + uniform(random)});
      margin += truth[words.back().first] * words.back().second;
    }
    const float label = (margin > 0) == (random() % 10 > 0) ? 1 : -1;
    for (const auto& [j, value] : words) {
      if (columns[j].empty() || columns[j].back().sample != i) columns[j].push_back({int(i), label * value});
    }
  }
}

/// The greater one of two labels, which is that of the positive samples; a single label counts by its sign.
/// Throws if there are more.
static float positive_label(const auto& labels, const std::string& path) {
  if (labels.size() == 0) return 1;
  const auto [least, greatest] = std::minmax_element(labels.begin(), labels.end());
  for (const float label : labels) {
    if (label == *least || label == *greatest) continue;
    char text[100];
    std::snprintf(text, sizeof text, ": labels %g, %g and %g, and there must be two classes", *least, label,
                  *greatest);
    throw std::runtime_error(path + text);
  }
  return *least == *greatest && *least <= 0 ? 1 : *greatest;
}

/// Lines `label index:value index:value ...` with labels of two classes; indices count from 1.
static void read_columns(auto& columns, Options& options) {
  const auto [labels, features] = stradsap::read_libsvm<float>(options.data);
  const float positive = positive_label(labels, options.data);
  options.samples = features.rows;
  columns.resize(features.columns);
  for (int64_t i = 0; i < features.rows; ++i) {
    for (int64_t k = features.indptr[i]; k < features.indptr[i + 1]; ++k) {
      const float value = features.value[k];
      columns[features.index[k]].push_back({static_cast<int>(i), labels[i] == positive ? value : -value});
    }
  }
  options.features = static_cast<int>(columns.size());
}

static double loss(double margin) {
  return margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
}

/// The step that minimises slope * step + curvature * step^2 / 2 + |weight + step|.
static double shrunk_step(double slope, double curvature, double weight) {
  if (slope + 1 <= curvature * weight) return -(slope + 1) / curvature;
  if (slope - 1 >= curvature * weight) return -(slope - 1) / curvature;
  return -weight;
}

static double product(const std::vector<Entry>& column, const auto& x) {
  double sum = 0;
  for (const Entry& e : column) sum += e.value * x[e.sample];
  return sum;
}

/// The sum of the values of a column, each times the curvature and the moved margin of its sample. In two
/// parts, since each addition waits for the one before.
static double bent_product(const std::vector<Entry>& column, const auto& curvature, const auto& moved) {
  double even = 0, odd = 0;
  std::size_t k = 0;
  for (; k + 1 < column.size(); k += 2) {
    const Entry &a = column[k], &b = column[k + 1];
    even += a.value * curvature[a.sample] * moved[a.sample];
    odd += b.value * curvature[b.sample] * moved[b.sample];
  }
  if (k < column.size()) even += column[k].value * curvature[column[k].sample] * moved[column[k].sample];
  return even + odd;
}

/// The loss at the margins, and its quadratic model there.
struct Model {
  std::vector<double> slope, curvature;    // by sample
  std::vector<double> gradient, diagonal;  // by feature

  void update(const auto& columns, const auto& margin, double C) {
    for (std::size_t i = 0; i < margin.size(); ++i) {
      const double wrong = 1 / (1 + std::exp(margin[i]));  // the probability of the other label
      slope[i] = -C * wrong;
      curvature[i] = C * wrong * (1 - wrong);
    }
    for (std::size_t j = 0; j < columns.size(); ++j) {
      gradient[j] = product(columns[j], slope);
      diagonal[j] = 1e-9;
      for (const Entry& e : columns[j]) diagonal[j] += e.value * e.value * curvature[e.sample];
    }
  }
  /// The greatest violation of the optimality conditions, as a part of the penalty.
  double violation(const auto& w) const {
    double worst = 0;
    for (std::size_t j = 0; j < gradient.size(); ++j) {
      const double off =
          w[j] == 0 ? std::abs(gradient[j]) - 1 : std::abs(gradient[j] + std::copysign(1, w[j]));
      worst = std::max(worst, off);
    }
    return worst;
  }
};

static double objective(const auto& w, const auto& margin, double C) {
  double sum = 0;
  for (const double x : w) sum += std::abs(x);
  for (const double m : margin) sum += C * loss(m);
  return sum;
}

/// Goes from w towards `aim` as far as the objective falls. `moved`: the difference of their margins.
static void move(auto& w, auto& margin, const auto& aim, const auto& moved, double C) {
  const double before = objective(w, margin, C);
  const std::vector<double> old_w(w.begin(), w.end()), old_margin(margin.begin(), margin.end());
  for (double part = 1; part > 1e-6; part /= 2) {
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = old_w[j] + part * (aim[j] - old_w[j]);
    for (std::size_t i = 0; i < margin.size(); ++i) margin[i] = old_margin[i] + part * moved[i];
    if (objective(w, margin, C) < before) return;
  }
  w = old_w;
  margin = old_margin;
}

static void print(int step, int64_t updates, double seconds, double objective, const auto& w,
                  double violation) {
  const int64_t nonzero = w.size() - std::count(w.begin(), w.end(), 0.0);
  std::printf("step=%d updates=%ld seconds=%.4f objective=%.8g nonzero=%ld violation=%.1e\n", step, updates,
              seconds, objective, nonzero, violation);
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  Options options = parse_options(argc, argv);
  check(options);
  std::vector<std::vector<Entry>> columns;
  options.data.empty() ? make_columns(columns, options) : read_columns(columns, options);
  const double C = options.C;
  const int64_t n = columns.size(), samples = options.samples;
  std::vector<double> w(n), margin(samples);
  Model model{std::vector<double>(samples), std::vector<double>(samples), std::vector<double>(n),
              std::vector<double>(n)};
  stradsap::dvector<double> aim(n), moved(samples);

  const double start = seconds_now();
  int64_t updates = 0;
  model.update(columns, margin, C);
  double violation = model.violation(w), tolerance = 0.3;
  const double enough = options.tolerance * violation;
  print(0, 0, seconds_now() - start, objective(w, margin, C), w, violation);
  for (int step = 1; step <= 100 && violation > enough; ++step) {
    std::fill(moved.begin(), moved.end(), 0.0);
    stradsap::parallel_for(
        n,
        [&](int64_t j) {
          const std::vector<Entry>& column = columns[j];
          const double slope = model.gradient[j] + bent_product(column, model.curvature, moved);
          const double step = shrunk_step(slope, model.diagonal[j], aim[j]);
          if (step != 0) {
            for (const Entry& e : column) moved[e.sample] += step * e.value;
            aim[j] += step;
          }
          updates += 1;
        },
        stradsap::consistency::approximate, stradsap::schedule::dynamic().until(tolerance));
    move(w, margin, aim, moved, C);
    std::copy(w.begin(), w.end(), aim.begin());
    model.update(columns, margin, C);
    violation = model.violation(w);
    tolerance = std::max(tolerance / 2.5, 1e-7);
    print(step, updates, seconds_now() - start, objective(w, margin, C), w, violation);
  }
  if (violation > enough) {
    std::fprintf(stderr,
                 "stopped after 100 steps with a violation of %.1e: a smaller --C helps if the samples are "
                 "separable\n",
                 violation);
  }
  if (!options.save.empty()) stradsap::save_jsonl(options.save, "w", w);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
