// Ranks that are late in turn: a softmax over documents by calls of a loop under sync, or stale.
//
//   stradsap-run -n 2 --threads 1 ./late_ranks --model sync|0|1|2 --calls N --rest MS
//
// Each iteration rests for MS milliseconds, and in every third call of its rank for twice as long. The
// objective is the mean loss over all documents at the end; it depends on model and calls alone, not on rests
// or ranks.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <poll.h>

#include <stradsap/stradsap.hpp>

constexpr int C = 10;  // classes
constexpr int words = 400;
constexpr int64_t each = 8;      // documents of an iteration
constexpr int64_t total = 2048;  // documents
using Row = std::array<float, C>;

struct Document {
  int label = 0;
  std::vector<int> words;
};

struct Options {
  std::string model = "sync";
  int64_t calls = 30, iterations = 16;
  int rest = 0;
  float rate = 0.5f;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--model") == 0) options.model = argv[i + 1];
    if (std::strcmp(argv[i], "--calls") == 0) options.calls = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--iterations") == 0) options.iterations = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--rest") == 0) options.rest = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--rate") == 0) options.rate = static_cast<float>(std::atof(argv[i + 1]));
  }
  return options;
}

static void make(auto& documents) {
  std::mt19937 random(1);
  for (auto& document : documents) {
    document.label = static_cast<int>(random() % C);
    for (int k = 0; k < 20; ++k) {
      const int own = document.label * words / C + static_cast<int>(random() % (words / C));
      document.words.push_back(random() % 3 == 0 ? own : static_cast<int>(random() % words));
    }
  }
}

static Row probabilities(const Document& document, const auto& weights) {
  Row score{};
  for (const int word : document.words) {
    for (int c = 0; c < C; ++c) score[c] += weights[word][c];
  }
  const float most = *std::max_element(score.begin(), score.end());
  float sum = 0;
  for (float& one : score) sum += one = std::exp(one - most);
  for (float& one : score) one /= sum;
  return score;
}

static double objective(const auto& documents, const auto& weights) {
  double sum = 0;
  for (const Document& one : documents) sum -= std::log(probabilities(one, weights)[one.label]);
  return sum / static_cast<double>(documents.size());
}

/// Of two or three ranks, each is late in one call of three.
static void rest(int64_t call, int milliseconds) {
  if (milliseconds == 0) return;
  const char* const rank = std::getenv("STRADSAP_RANK");
  const bool is_late = call % 3 == (rank == nullptr ? 0 : std::atoi(rank));
  ::poll(nullptr, 0, is_late ? 2 * milliseconds : milliseconds);
}

static stradsap::ConsistencyModel model_of(const std::string& name) {
  if (name == "sync") return stradsap::consistency::sync(0);
  return stradsap::consistency::stale(std::atoi(name.c_str()));
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  stradsap::dvector<Document> documents(total);
  make(documents);
  stradsap::dvector<Row> weights(words);
  const stradsap::ConsistencyModel model = model_of(options.model);
  const int64_t n = options.iterations;
  const float rate = options.rate / static_cast<float>(each);
  double start = 0;
  for (int64_t call = 0; call <= options.calls; ++call) {
    if (call == 1) start = seconds_now();  // the first call sends the documents
    stradsap::parallel_for(
        n,
        [&documents, &weights, &options, call, n, rate](int64_t j) {
          rest(call, options.rest);
          for (int64_t k = 0; k < each; ++k) {
            const Document& document = documents[((call * n + j) * each + k) % total];
            Row step = probabilities(document, weights);
            step[document.label] -= 1;
            for (const int word : document.words) {
              for (int c = 0; c < C; ++c) weights[word][c] -= rate * step[c];
            }
          }
        },
        model);
  }
  const double found = objective(documents, std::as_const(weights));  // waits for all calls
  std::printf("seconds=%.6f objective=%.9g\n", seconds_now() - start, found);
}
