// Loops of iterations with many random elements: pairs of words with noise words (word2vec), triples
// with a corrupted one (TransE), and an ordered loop with conflicts. Each ends as the plain program.
#include <array>
#include <cstdint>
#include <vector>

#include <stradsap/stradsap.hpp>

constexpr int DIM = 8, WORDS = 3000, NOISE = 5;
typedef std::array<float, DIM> Row;

static uint64_t next(uint64_t& random) { return random = random * 6364136223846793005ULL + 1442695040888963407ULL; }
static int draw(uint64_t& random, int below) { return static_cast<int>((next(random) >> 33) % below); }

static float dot(const Row& a, const Row& b) {
  float sum = 0;
  for (int k = 0; k < DIM; ++k) sum += a[k] * b[k];
  return sum;
}

template <class Rows> static void init(Rows& rows) {
  uint64_t random = 7;
  for (Row& row : rows) {
    for (float& x : row) x = static_cast<float>(draw(random, 1000)) / 1000 - 0.5f;
  }
}

template <class Rows> static int train_pair(int64_t j, Rows& in, Rows& out) {
  int positive = 0;
  uint64_t random = static_cast<uint64_t>(j);
  const int word = draw(random, WORDS);
  Row& l1 = in[word];
  Row change{};
  for (int d = 0; d <= NOISE; ++d) {
    Row& l2 = out[draw(random, WORDS)];
    const float g = (d == 0 ? 1.0f : 0.0f) - dot(l1, l2);
    if (g > 0) ++positive;
    for (int k = 0; k < DIM; ++k) change[k] += 0.01f * g * l2[k];
    for (int k = 0; k < DIM; ++k) l2[k] += 0.01f * g * l1[k];
  }
  for (int k = 0; k < DIM; ++k) l1[k] += change[k];
  return positive;
}

template <class Rows> static void train_triple(int64_t j, Rows& entities, Rows& relations) {
  uint64_t random = static_cast<uint64_t>(j);
  Row& head = entities[draw(random, WORDS)];
  Row& tail = entities[draw(random, WORDS)];
  Row& bad = entities[draw(random, WORDS)];
  Row& relation = relations[draw(random, 200)];
  for (int k = 0; k < DIM; ++k) {
    const float true_one = head[k] + relation[k] - tail[k], false_one = head[k] + relation[k] - bad[k];
    head[k] -= 0.1f * (true_one - false_one);
    relation[k] -= 0.1f * (true_one - false_one);
    tail[k] += 0.1f * true_one;
    bad[k] -= 0.1f * false_one;
  }
}

template <class Bins> static int move(int64_t j, Bins& bins) {
  uint64_t random = static_cast<uint64_t>(j);
  int& from = bins[draw(random, WORDS)];
  int& to = bins[draw(random, WORDS)];
  const int part = from / 3;
  from -= part;
  to += 2 * part + 1;
  return part;
}

template <class A, class B> static bool same(const A& a, const B& b) {
  for (size_t i = 0; i < b.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

int main() {
  const int64_t n = 4000;
  stradsap::dvector<Row> in(WORDS), out(WORDS), relations(200);
  stradsap::dvector<int> bins(WORDS, 9);
  std::vector<Row> in_twin(WORDS), out_twin(WORDS), relations_twin(200);
  std::vector<int> bins_twin(WORDS, 9);
  for (auto* rows : {&in, &out, &relations}) init(*rows);
  for (auto* rows : {&in_twin, &out_twin, &relations_twin}) init(*rows);
  std::array<int64_t, 8> positive{}, positive_twin{};  // one cache line
  int64_t moved = 0, moved_twin = 0;
  for (int epoch = 0; epoch < 2; ++epoch) {
    stradsap::async_for(n, [&in, &out, &positive](int64_t j) { positive[j % 8] += train_pair(j, in, out); });
    stradsap::async_for(n, [&in, &relations](int64_t j) { train_triple(j, in, relations); });
    stradsap::parallel_for(n, [&bins, &moved](int64_t j) { moved += move(j, bins); }, stradsap::consistency::ordered);
    for (int64_t j = 0; j < n; ++j) positive_twin[j % 8] += train_pair(j, in_twin, out_twin);
    for (int64_t j = 0; j < n; ++j) train_triple(j, in_twin, relations_twin);
    for (int64_t j = 0; j < n; ++j) moved_twin += move(j, bins_twin);
  }
  if (positive != positive_twin || moved != moved_twin) return 1;
  if (!same(in, in_twin) || !same(out, out_twin) || !same(relations, relations_twin)) return 2;
  return same(bins, bins_twin) ? 0 : 3;
}
