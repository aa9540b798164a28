// Vectors of a knowledge graph's entities and relations (TransE), on StradsAP.
//
// A pass replaces the head or tail of each triple by a random entity and compares the two triples. It moves
// vectors until head + relation is nearer to the true tail than to the false one, by a margin.
// Bordes et al.: Translating embeddings for modeling multi-relational data, NIPS, 2013.
//
//   stradsap-cc -std=c++20 -O3 -march=native transe.cpp -o transe
//   ./transe --entities 20000 --relations 200 --triples 150000 --passes 10
//   ./transe --data train2id.txt --passes 100 --evaluate test2id.txt --known valid2id.txt
//   ./transe --data train2id.txt --passes 10 --round 150000   (triples that see older vectors of others)

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

#include "ranking.hpp"

struct Options {
  std::string data;             // a line with the number of triples, then triples; empty: generated
  std::string evaluate, known;  // triples to rank after the last pass, and others that are true
  int entities = 20000, relations = 200, triples = 150000, dim = 50, passes = 10;
  int hold_negatives = 1;  // passes with the same random entities
  int round = 0;
  float rate = 0.01f, margin = 1;
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
    if (std::strcmp(argv[i], "--rate") == 0) options.rate = static_cast<float>(std::atof(argv[i + 1]));
    if (std::strcmp(argv[i], "--margin") == 0) options.margin = static_cast<float>(std::atof(argv[i + 1]));
    if (std::strcmp(argv[i], "--passes") == 0) options.passes = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--hold-negatives") == 0) options.hold_negatives = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--round") == 0) options.round = std::atoi(argv[i + 1]);
  }
  if (options.hold_negatives < 1) throw std::runtime_error("--hold-negatives takes a number from 1 on");
  return options;
}

struct Triple {
  int head, relation, tail;
};

/// A relation leads from one of 100 kinds of entities to another. Some entities and relations are frequent.
static void make_triples(auto& triples, const Options& options) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform;
  const int kinds = 100;
  for (Triple& t : triples) {
    t.relation = static_cast<int>(std::pow(options.relations + 1, uniform(random))) - 1;
    const int from = random() % kinds, to = (from + 7 * t.relation + 1) % kinds;
    const double place = uniform(random), other = uniform(random);
    t.head = static_cast<int>(options.entities / kinds * place * place) * kinds + from;
    t.tail = static_cast<int>(options.entities / kinds * other * other) * kinds + to;
  }
}

/// A random number for triple j of a pass.
static uint64_t hash(uint64_t pass, uint64_t j) {
  uint64_t x = (pass << 32 | j) + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

static float distance(const std::vector<float>& head, const std::vector<float>& relation,
                      const std::vector<float>& tail) {
  float sum = 0;
  for (size_t d = 0; d < head.size(); ++d) {
    const float difference = head[d] + relation[d] - tail[d];
    sum += difference * difference;
  }
  return sum;
}

static void step(std::vector<float>& head, std::vector<float>& relation, std::vector<float>& tail,
                 float rate) {
  for (size_t d = 0; d < head.size(); ++d) {
    const float change = rate * 2 * (head[d] + relation[d] - tail[d]);
    head[d] -= change;
    relation[d] -= change;
    tail[d] += change;
  }
}

/// The fraction of triples nearer than the same triple with a random tail.
static double accuracy(const auto& triples, const auto& E, const auto& R) {
  int64_t right = 0;
  for (size_t j = 0; j < triples.size(); ++j) {
    const Triple& t = triples[j];
    const auto& wrong = E[hash(1 << 30, j) % E.size()];
    right += distance(E[t.head], R[t.relation], E[t.tail]) < distance(E[t.head], R[t.relation], wrong);
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

/// Nearly all triples share relations, so in a serial order they run one by one. In rounds they run side by
/// side, and the changes of both halves of a round are folded.
static stradsap::ConsistencyModel model_of(const Options& options, stradsap::merge::rule merge) {
  if (options.round == 0) return stradsap::consistency::async;
  return stradsap::consistency::stale({.round = options.round, .merge = merge, .accumulators = 2});
}

/// Prints how the test triples' heads and tails rank among all entities.
static void evaluate(const Options& options, const auto& triples, const auto& E, const auto& R) {
  const auto tests = read_file(options.evaluate);
  const auto others = read_file(options.known.empty() ? options.evaluate : options.known);
  stradsap::dvector<Question> questions(2 * tests.size());
  make_questions(questions, tests, triples, others, options.entities, options.relations);
  const Columns columns{columns_of(E), columns_of(R)};
  const int64_t n = static_cast<int64_t>(questions.size());
  double inverse = 0;
  int64_t first = 0, third = 0, tenth = 0;
  stradsap::async_for(n, [&](int64_t j) {
    const double rank = rank_of(questions[j], columns, [](float x) { return x * x; });
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
  const int dim = options.dim;
  stradsap::dvector<Triple> triples(options.data.empty() ? options.triples : 0);
  options.data.empty() ? make_triples(triples, options) : read_triples(triples, options);
  // few steps move an entity in a round, and thousands a relation
  const stradsap::ConsistencyModel of_entities = model_of(options, stradsap::merge::sum);
  const stradsap::ConsistencyModel of_relations = model_of(options, stradsap::merge::adaptive);
  stradsap::dvector<std::vector<float>> E(options.entities, std::vector<float>(dim), of_entities);
  stradsap::dvector<std::vector<float>> R(options.relations, std::vector<float>(dim), of_relations);
  std::mt19937 random(2);
  std::uniform_real_distribution<float> uniform(-6 / std::sqrt(dim), 6 / std::sqrt(dim));
  for (auto& row : E) {
    for (float& x : row) x = uniform(random);
  }
  for (auto& row : R) {
    for (float& x : row) x = uniform(random);
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    const int draws = pass / options.hold_negatives;  // a plan lasts as long as the random entities
    stradsap::async_for(options.entities, [&](int i) {
      float norm = 0;
      for (float x : E[i]) norm += x * x;
      for (float& x : E[i]) x /= std::sqrt(norm);
    });
    stradsap::async_for(options.triples, [&](int j) {
      const Triple& t = triples[j];
      const uint64_t draw = hash(draws, j);
      const int wrong = static_cast<int>((draw >> 1) % options.entities);
      const int head = draw % 2 == 0 ? wrong : t.head;
      const int tail = draw % 2 == 0 ? t.tail : wrong;
      const float near = distance(E[t.head], R[t.relation], E[t.tail]);
      const float far = distance(E[head], R[t.relation], E[tail]);
      if (options.margin + near - far > 0) {
        step(E[t.head], R[t.relation], E[t.tail], options.rate);
        step(E[head], R[t.relation], E[tail], -options.rate);
      }
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
