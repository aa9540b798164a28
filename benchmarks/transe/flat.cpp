// TransE with all rows in flat arrays, on StradsAP.
//
// Options, data and output are those of examples/transe/sequential.cpp.

#define main sequential_main
#include "../../examples/transe/sequential.cpp"
#undef main

#include <vector>

#include <stradsap/stradsap.hpp>

static float distance(const float* head, const float* relation, const float* tail, int dim) {
  float sum = 0;
  for (int d = 0; d < dim; ++d) {
    const float difference = head[d] + relation[d] - tail[d];
    sum += difference * difference;
  }
  return sum;
}

static void step(float* head, float* relation, float* tail, int dim, float rate) {
  for (int d = 0; d < dim; ++d) {
    const float change = rate * 2 * (head[d] + relation[d] - tail[d]);
    head[d] -= change;
    relation[d] -= change;
    tail[d] += change;
  }
}

/// The fraction of triples nearer than the same triple with a random tail.
static double accuracy(const auto& triples, const auto& E, const auto& R, int dim) {
  int64_t right = 0;
  for (size_t j = 0; j < triples.size(); ++j) {
    const Triple& t = triples[j];
    const float *head = &E[t.head * dim], *relation = &R[t.relation * dim];
    const float* wrong = &E[hash(1 << 30, j) % (E.size() / dim) * dim];
    right += distance(head, relation, &E[t.tail * dim], dim) < distance(head, relation, wrong, dim);
  }
  return static_cast<double>(right) / triples.size();
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const int dim = options.dim;
  stradsap::dvector<Triple> triples(options.triples);
  make_triples(triples, options);
  stradsap::dvector<float> E(options.entities * dim);
  stradsap::dvector<float> R(options.relations * dim);
  std::mt19937 random(2);
  std::uniform_real_distribution<float> uniform(-6 / std::sqrt(dim), 6 / std::sqrt(dim));
  for (float& x : E) x = uniform(random);
  for (float& x : R) x = uniform(random);

  for (int pass = 0; pass < options.passes; ++pass) {
    const double start = seconds_now();
    const int draws = pass / options.hold_negatives;
    stradsap::async_for(options.entities, [&](int i) {
      float* e = &E[i * dim];
      float norm = 0;
      for (int d = 0; d < dim; ++d) norm += e[d] * e[d];
      for (int d = 0; d < dim; ++d) e[d] /= std::sqrt(norm);
    });
    stradsap::async_for(options.triples, [&](int j) {
      const Triple& t = triples[j];
      const uint64_t draw = hash(draws, j);
      const int wrong = static_cast<int>((draw >> 1) % options.entities);
      float* relation = &R[t.relation * dim];
      float* head = &E[t.head * dim];
      float* tail = &E[t.tail * dim];
      float* false_head = draw % 2 == 0 ? &E[wrong * dim] : head;
      float* false_tail = draw % 2 == 0 ? tail : &E[wrong * dim];
      const float near = distance(head, relation, tail, dim);
      const float far = distance(false_head, relation, false_tail, dim);
      if (options.margin + near - far > 0) {
        step(head, relation, tail, dim, options.rate);
        step(false_head, relation, false_tail, dim, -options.rate);
      }
    });
    const double seconds = seconds_now() - start;
    std::printf("pass=%d seconds=%.6f accuracy=%.6g\n", pass, seconds, accuracy(triples, E, R, dim));
  }
}
