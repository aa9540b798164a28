// Vectors of a knowledge graph's entities and relations (TransE), on StradsAP.
//
// Each triple is compared with several false ones at once: their head or tail is random. The nearer a false
// triple is, the more it counts. A row takes steps at a rate of its own (AdaGrad); rates fall to 0.
// Sun et al.: RotatE, ICLR, 2019. Duchi et al.: Adaptive subgradient methods, JMLR, 2011.
//
//   stradsap-cc -std=c++20 -O3 -march=native -ffast-math transe_adversarial.cpp -o transe_adversarial
//   ./transe_adversarial --entities 2000 --relations 20 --triples 20000 --passes 10
//   ./transe_adversarial --data train2id.txt --passes 40 --evaluate test2id.txt --known valid2id.txt

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
#include <string_view>
#include <vector>

#include <stradsap/stradsap.hpp>

#include "../transe/ranking.hpp"

struct Options {
  std::string data;             // a line with the number of triples, then triples; empty: generated
  std::string evaluate, known;  // triples to rank after the last pass, and others that are true
  int entities = 2000, relations = 20, triples = 20000, dim = 128, negatives = 32, passes = 10;
  float rate = 0.1f, margin = 9;
};

static Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--data") == 0) options.data = argv[i + 1];
    if (std::strcmp(argv[i], "--evaluate") == 0) options.evaluate = argv[i + 1];
    if (std::strcmp(argv[i], "--known") == 0) options.known = argv[i + 1];
    if (std::strcmp(argv[i], "--entities") == 0) options.entities = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--relations") == 0) options.relations = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--triples") == 0) options.triples = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--dim") == 0) options.dim = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--negatives") == 0) options.negatives = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--rate") == 0) options.rate = static_cast<float>(std::atof(argv[i + 1]));
    if (std::strcmp(argv[i], "--margin") == 0) options.margin = static_cast<float>(std::atof(argv[i + 1]));
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
  }
  return options;
}

struct Triple {
  int head, relation, tail;
};

/// A vector, and the mean square of its gradients so far, summed.
struct Row {
  std::vector<float> x;
  float squares = 1e-6f;
};

/// A relation leads from one of 20 kinds of entities to another. Some entities and relations are frequent.
static void make_triples(auto& triples, const Options& options) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;
  const int kinds = 20;
  for (Triple& t : triples) {
    t.relation = static_cast<int>(std::pow(options.relations + 1, uniform(random))) - 1;
    const int from = random() % kinds, to = (from + 7 * t.relation + 1) % kinds;
    const double place = uniform(random), other = uniform(random);
    t.head = static_cast<int>(options.entities / kinds * place * place) * kinds + from;
    t.tail = static_cast<int>(options.entities / kinds * other * other) * kinds + to;
  }
}

/// Random number k for triple j of a pass.
static uint64_t hash(uint64_t pass, uint64_t j, uint64_t k) {
  uint64_t x = (pass << 48 | k << 32 | j) + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

static float distance(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (size_t d = 0; d < a.size(); ++d) sum += std::abs(a[d] - b[d]);
  return sum;
}

static float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

/// A step of AdaGrad against the gradient.
static void step(Row& row, const std::vector<float>& gradient, float rate) {
  float squares = 0;
  for (float g : gradient) squares += g * g;
  row.squares += squares / gradient.size();
  const float scale = rate / std::sqrt(row.squares);
  for (size_t d = 0; d < gradient.size(); ++d) row.x[d] -= scale * gradient[d];
}

/// Moves an entity, of which a loss has slope `slope` by its distance from `wanted`, and adds to the gradient
/// of `wanted`.
static void move_entity(Row& entity, const std::vector<float>& wanted, float slope, float rate,
                        std::vector<float>& of_wanted) {
  std::vector<float> gradient(wanted.size());
  for (size_t d = 0; d < wanted.size(); ++d) {
    const float difference = wanted[d] - entity.x[d];
    const float g = difference > 0 ? slope : difference < 0 ? -slope : 0;
    of_wanted[d] += g;
    gradient[d] = -g;
  }
  step(entity, gradient, rate);
}

/// The fraction of triples nearer than the same triple with a random tail.
static double accuracy(const auto& triples, const auto& E, const auto& R) {
  int64_t right = 0;
  for (size_t j = 0; j < triples.size(); ++j) {
    const Triple& t = triples[j];
    std::vector<float> wanted = E[t.head].x;
    for (size_t d = 0; d < wanted.size(); ++d) wanted[d] += R[t.relation].x[d];
    right += distance(wanted, E[t.tail].x) < distance(wanted, E[hash(0, j, 65535) % E.size()].x);
  }
  return static_cast<double>(right) / triples.size();
}

/// A line `head tail relation`, all from 0.
static Triple parse_triple(std::string_view line) {
  Triple t{};
  if (std::sscanf(std::string(line).c_str(), "%d %d %d", &t.head, &t.tail, &t.relation) != 3 ||
      std::min({t.head, t.tail, t.relation}) < 0)
    throw std::runtime_error("expected head, tail and relation: " + std::string(line));
  return t;
}

/// One more than the greatest numbers of entities and relations.
static void count_ids(const auto& triples, Options& options) {
  for (const Triple& t : triples) {
    options.entities = std::max({options.entities, t.head + 1, t.tail + 1});
    options.relations = std::max(options.relations, t.relation + 1);
  }
}

static stradsap::dvector<Triple> read_file(const std::string& path) {
  return stradsap::read_text<Triple>(path, parse_triple, {.skip_lines = 1});
}

static void read_triples(auto& triples, Options& options) {
  triples = read_file(options.data);
  options.triples = static_cast<int>(triples.size());
  options.entities = options.relations = 0;
  count_ids(triples, options);
  for (const std::string& path : {options.evaluate, options.known}) {
    if (!path.empty()) count_ids(read_file(path), options);
  }
}

/// Prints how the test triples' heads and tails rank among all entities.
static void evaluate(const Options& options, const auto& triples, const auto& E, const auto& R) {
  const auto tests = read_file(options.evaluate);
  const auto others = read_file(options.known.empty() ? options.evaluate : options.known);
  stradsap::dvector<Question> questions(2 * tests.size());
  make_questions(questions, tests, triples, others, options.entities, options.relations);
  const auto vector_of = [](const Row& row) -> const std::vector<float>& { return row.x; };
  const Columns columns{columns_of(E, vector_of), columns_of(R, vector_of)};
  const int64_t n = static_cast<int64_t>(questions.size());
  double inverse = 0;
  int64_t first = 0, third = 0, tenth = 0;
  stradsap::async_for(n, [&](int64_t j) {
    const double rank = rank_of(questions[j], columns, [](float x) { return std::abs(x); });
    inverse += 1 / rank;
    first += rank <= 1;
    third += rank <= 3;
    tenth += rank <= 10;
  });
  print_ranks(inverse, first, third, tenth, n);
}

static double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) try {
  Options options = parse_options(argc, argv);
  stradsap::dvector<Triple> triples(options.data.empty() ? options.triples : 0);
  options.data.empty() ? make_triples(triples, options) : read_triples(triples, options);
  std::mt19937 random(2);
  std::shuffle(triples.begin(), triples.end(), random);
  stradsap::dvector<Row> E(options.entities), R(options.relations);
  const float width = (options.margin + 2) / options.dim;
  std::uniform_real_distribution<float> uniform(-width, width);
  for (Row& row : E) {
    row.x.resize(options.dim);
    for (float& x : row.x) x = uniform(random);
  }
  for (Row& row : R) {
    row.x.resize(options.dim);
    for (float& x : row.x) x = uniform(random);
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    const float rate = options.rate * (options.passes - pass) / options.passes;
    stradsap::async_for(options.triples, [&](int j) {
      const Triple& t = triples[j];
      const bool draws_tails = hash(pass, j, 0) % 2 == 0;
      const int from = draws_tails ? t.head : t.tail, answer = draws_tails ? t.tail : t.head;
      const float sign = draws_tails ? 1 : -1;
      // the answer should lie at `wanted`, and false ones far from it
      std::vector<float> wanted = E[from].x, of_wanted(options.dim);
      for (int d = 0; d < options.dim; ++d) wanted[d] += sign * R[t.relation].x[d];
      std::vector<float> far(options.negatives);
      float least = 1e30f, sum = 0;
      for (int k = 0; k < options.negatives; ++k) {
        far[k] = distance(wanted, E[hash(pass, j, k + 1) % options.entities].x);
        least = std::min(least, far[k]);
      }
      for (float x : far) sum += std::exp(least - x);
      for (int k = 0; k < options.negatives; ++k) {
        const int wrong = static_cast<int>(hash(pass, j, k + 1) % options.entities);
        const float slope = -std::exp(least - far[k]) / sum * sigmoid(options.margin - far[k]);
        if (wrong != from && wrong != answer && slope < -1e-4f)
          move_entity(E[wrong], wanted, slope, rate, of_wanted);
      }
      const float slope = sigmoid(distance(wanted, E[answer].x) - options.margin);
      move_entity(E[answer], wanted, slope, rate, of_wanted);
      step(E[from], of_wanted, rate);
      for (float& g : of_wanted) g *= sign;
      step(R[t.relation], of_wanted, rate);
    });
    const double seconds = seconds_now() - start;
    const double correct = accuracy(triples, E, R);
    std::printf("pass=%d seconds=%.6f accuracy=%.6g\n", pass, seconds, correct);
    stradsap::report("accuracy", correct);
  }
  if (!options.evaluate.empty()) evaluate(options, triples, E, R);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
