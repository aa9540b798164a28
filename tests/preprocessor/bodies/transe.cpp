// TransE: a true triple shall be nearer than one with a randomly drawn head or tail.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <stradsap/stradsap.hpp>

constexpr int dim = 64;
using Vector = std::array<float, dim>;

struct Triple {
  int head, relation, tail;
};

static float distance(const Vector& h, const Vector& r, const Vector& t) {
  float sum = 0;
  for (int k = 0; k < dim; ++k) sum += (h[k] + r[k] - t[k]) * (h[k] + r[k] - t[k]);
  return sum;
}

static void step(Vector& h, Vector& r, Vector& t, float rate) {
  for (int k = 0; k < dim; ++k) {
    const float g = 2 * rate * (h[k] + r[k] - t[k]);
    h[k] -= g;
    r[k] -= g;
    t[k] += g;
  }
}

static void normalise(Vector& v) {
  float sum = 0;
  for (const float x : v) sum += x * x;
  if (sum <= 1) return;
  const float scale = 1 / std::sqrt(sum);
  for (float& x : v) x *= scale;
}

static void draw(Vector& v, std::mt19937& engine) {
  const float bound = 6 / std::sqrt(static_cast<float>(dim));
  std::uniform_real_distribution<float> uniform(-bound, bound);
  for (float& x : v) x = uniform(engine);
  normalise(v);
}

int main(int argc, char** argv) {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 2'000'000;
  const int num_entities = static_cast<int>(n / 20) + 20, num_relations = 50;
  std::mt19937 engine(11);
  stradsap::dvector<Triple> triples(n);
  for (Triple& t : triples) {
    t.head = static_cast<int>(engine() % num_entities);
    t.relation = static_cast<int>(engine() % num_relations);
    t.tail = (t.head + 7 * (t.relation + 1)) % num_entities;
  }
  stradsap::dvector<Vector> entities(num_entities), relations(num_relations);
  for (Vector& e : entities) draw(e, engine);
  for (Vector& r : relations) draw(r, engine);

  const float margin = 1, rate = 0.01f;
  double first = 0, mean = 0;
  for (int epoch = 0; epoch < 4; ++epoch) {
    double loss = 0;
    stradsap::parallel_for(
        n,
        [&triples, &entities, &relations, &loss, epoch, n, num_entities, margin, rate](int64_t j) {
          const auto& [head, relation, tail] = triples[j];
          uint64_t random =
              static_cast<uint64_t>(epoch * n + j) * 6364136223846793005ULL + 1442695040888963407ULL;
          const bool corrupt_head = (random >> 62 & 1) != 0;
          random = random * 6364136223846793005ULL + 1442695040888963407ULL;
          const int drawn = static_cast<int>((random >> 33) % num_entities);
          const int bad_head = corrupt_head ? drawn : head;
          const int bad_tail = corrupt_head ? tail : drawn;
          if (bad_head == head && bad_tail == tail) return;
          Vector& h = entities[head];
          Vector& t = entities[tail];
          Vector& r = relations[relation];
          const float loss_here =
              margin + distance(h, r, t) - distance(entities[bad_head], r, entities[bad_tail]);
          if (loss_here <= 0) return;
          loss += loss_here;
          step(h, r, t, rate);
          step(entities[bad_head], r, entities[bad_tail], -rate);
          normalise(h);
          normalise(t);
          normalise(entities[drawn]);
        },
        stradsap::consistency::async);
    mean = loss / static_cast<double>(n);
    if (epoch == 0) first = mean;
    std::printf("epoch=%d loss=%.17g\n", epoch, mean);
  }
  return mean < first ? 0 : 1;
}
