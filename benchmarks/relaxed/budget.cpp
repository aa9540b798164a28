// Softmax over documents by free-running calls with a budget of bytes: the changes that a rank sends go by
// significance, or by age alone.
//
//   stradsap-run -n 2 --threads 1 ./budget --words W --rate R --calls N --budget BYTES --order
//   significance|age stradsap-run -n 2 --threads 1 ./budget --data news20.train ...
//
// A call takes a step for each of 64 documents. "seen" is the mean of the losses that iterations find before
// their steps, "objective" the mean loss over all documents at the end. Without a budget, all changes are
// sent.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

constexpr int C = 20;         // classes
constexpr int64_t each = 64;  // documents of a call

/// A row of the weights. The library sees its numbers, so it knows how large a change is.
struct Row {
  std::array<float, C> numbers{};
  float at(int c) const { return numbers[c]; }
  void add(int c, float step) { numbers[c] += step; }
};

/// The same numbers as bytes. All changes of such rows count alike, so the oldest are sent first.
struct ClosedRow {
  alignas(float) std::array<std::byte, C * sizeof(float)> bytes{};
  float at(int c) const {
    float number;
    std::memcpy(&number, &bytes[c * sizeof number], sizeof number);
    return number;
  }
  void add(int c, float step) {
    const float number = at(c) + step;
    std::memcpy(&bytes[c * sizeof number], &number, sizeof number);
  }
};

struct Feature {
  int index;
  float value;
};

struct Document {
  int label;
  std::vector<Feature> features;
};

struct Options {
  std::string data, order = "significance";
  int64_t documents = 32768, calls = 300, budget = 0;
  int words = 1000;
  float rate = 1;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--order") == 0) options.order = argv[i + 1];
    if (std::strcmp(argv[i], "--documents") == 0) options.documents = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--calls") == 0) options.calls = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--budget") == 0) options.budget = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--words") == 0) options.words = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--rate") == 0) options.rate = static_cast<float>(std::atof(argv[i + 1]));
  }
  return options;
}

/// Documents of unit length: words of Zipf frequencies, one in eight from the vocabulary of the class.
static void make(auto& documents, int num_words) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  for (auto& document : documents) {
    document.label = static_cast<int>(random() % C);
    std::vector<int> words;
    const int length = static_cast<int>(20 + random() % 80);
    for (int k = 0; k < length; ++k) {
      const auto rank = static_cast<int64_t>(std::pow(num_words - 1, uniform(random)));
      const int64_t vocabulary = random() % 8 == 0 ? 1 + document.label : 0;
      words.push_back(static_cast<int>((rank * 48271 + vocabulary * 6967) % num_words));
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    const float value = 1 / std::sqrt(static_cast<float>(words.size()));
    for (const int index : words) document.features.push_back({index, value});
  }
}

/// Lines `label index:value ...` of LIBSVM's format, in another order: files have one class after the other.
static void read(auto& documents, Options& options) {
  const auto [labels, features] = stradsap::read_libsvm<float>(options.data);
  std::vector<int64_t> order(features.rows);
  for (int64_t i = 0; i < features.rows; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  documents.resize(features.rows);
  for (int64_t i = 0; i < features.rows; ++i) {
    const int64_t from = order[i];
    documents[i].label = static_cast<int>(labels[from]) - 1;
    for (int64_t k = features.indptr[from]; k < features.indptr[from + 1]; ++k)
      documents[i].features.push_back({features.index[k], features.value[k]});
  }
  options.words = static_cast<int>(features.columns);
}

using Scores = std::array<float, C>;

static Scores probabilities(const Document& document, const auto& weights) {
  Scores score{};
  for (const Feature& f : document.features) {
    for (int c = 0; c < C; ++c) score[c] += weights[f.index].at(c) * f.value;
  }
  const float most = *std::max_element(score.begin(), score.end());
  float sum = 0;
  for (float& one : score) sum += one = std::exp(one - most);
  for (float& one : score) one /= sum;
  return score;
}

static double loss_of(const Scores& found, int label) { return -std::log(std::max(found[label], 1e-30f)); }

static double objective(const auto& documents, const auto& weights) {
  double sum = 0;
  for (const Document& one : documents) sum += loss_of(probabilities(one, weights), one.label);
  return sum / static_cast<double>(documents.size());
}

static void train(const Options& options, const stradsap::dvector<Document>& documents, auto& weights,
                  const stradsap::ConsistencyModel& model) {
  stradsap::running<double> seen;
  const int64_t n = static_cast<int64_t>(documents.size());
  const float rate = options.rate;
  for (int64_t call = 0; call < options.calls; ++call) {
    const int64_t first = call * each;
    stradsap::parallel_for(
        each,
        [&documents, &weights, &seen, first, n, rate](int64_t j) {
          const Document& document = documents[(first + j) % n];
          Scores step = probabilities(document, weights);
          seen += loss_of(step, document.label);
          step[document.label] -= 1;
          for (const Feature& f : document.features) {
            for (int c = 0; c < C; ++c) weights[f.index].add(c, -rate * f.value * step[c]);
          }
        },
        model);
  }
  const double mean = double(seen) / static_cast<double>(options.calls * each);
  const double found = objective(documents, std::as_const(weights));
  stradsap::dvector<int> last(1024);
  stradsap::async_for(1024, [&last](int64_t j) { last[j] = 1; });  // brings the counts of bytes of all ranks
  stradsap::report("objective", found);                            // with the bytes of the whole run
  std::printf("seen=%.4f objective=%.4f\n", mean, found);
}

static stradsap::ConsistencyModel model_of(const Options& options, const stradsap::merge::rule& merge) {
  if (options.budget == 0)
    return stradsap::consistency::stale({.bound = 64, .merge = merge, .free_running = true});
  return stradsap::consistency::stale(
      {.bound = 64, .merge = merge, .free_running = true, .budget = options.budget});
}

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv);
  stradsap::dvector<Document> documents(options.data.empty() ? options.documents : 0);
  options.data.empty() ? make(documents, options.words) : read(documents, options);
  if (options.order == "age") {
    stradsap::dvector<ClosedRow> weights(options.words);
    const stradsap::merge::rule sum = [](const ClosedRow& folded, const ClosedRow& start,
                                         const ClosedRow& end) {
      ClosedRow made = folded;
      for (int c = 0; c < C; ++c) made.add(c, end.at(c) - start.at(c));
      return made;
    };
    train(options, documents, weights, model_of(options, sum));
  } else {
    stradsap::dvector<Row> weights(options.words);
    train(options, documents, weights, model_of(options, stradsap::merge::sum));
  }
}
