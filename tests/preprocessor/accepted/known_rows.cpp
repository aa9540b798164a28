// Elements at unknown columns of known rows: counts that a draw from the same row moves. A plan by rows runs them in an
// order of its own, so the program prints another serial order.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stradsap/stradsap.hpp>

using namespace stradsap;

static constexpr int words = 60, documents = 80, topics = 6;

struct token {
  int document, word, topic;
};

static std::vector<token> make_tokens() {
  std::vector<token> made;
  for (int i = 0; i < 4000; ++i) made.push_back({i / 50, i * 37 % 61 % words, i * 11 % topics});
  return made;
}

/// Whether counts in rows of `topics` fit the tokens; folds them into `hash`.
template <class Counts, class Row> static bool fits(const Counts& counts, std::vector<int> expected, Row row, uint64_t& hash) {
  bool same = true;
  for (std::size_t r = 0; r < expected.size(); ++r) {
    int sum = 0;
    for (int z = 0; z < topics; ++z) {
      hash = hash * 31 + static_cast<uint64_t>(row(counts, r, z));
      sum += row(counts, r, z);
    }
    same = same && sum == expected[r];
  }
  return same;
}
static int flat(const dvector<int>& counts, std::size_t r, int z) { return counts[r * topics + z]; }
static int rows(const dvector<std::vector<int>>& counts, std::size_t r, int z) { return counts[r][z]; }

/// Rows of flat matrices, and elements that are rows; the draws steer nothing.
static bool samples(const std::vector<token>& made, uint64_t& hash) {
  const int64_t n = static_cast<int64_t>(made.size());
  std::vector<int> of_word(words), of_document(documents);
  dvector<token> tokens(n);
  dvector<int> nw(words * topics), nd(documents * topics);
  dvector<std::vector<int>> by_word(words, std::vector<int>(topics)), by_document(documents, std::vector<int>(topics));
  dvector<int> late(topics);
  for (int64_t j = 0; j < n; ++j) {
    const token t = tokens[j] = made[j];
    ++of_word[t.word], ++of_document[t.document];
    ++nw[t.word * topics + t.topic], ++nd[t.document * topics + t.topic];
    ++by_word[t.word][t.topic], ++by_document[t.document][t.topic], ++late[t.topic];
  }
  const int size = topics;

  async_for("flat", n, [&](int64_t j) {
    token& t = tokens[j];
    const int first = t.word * size;
    --nw[first + t.topic];
    --nd[t.topic + size * t.document];
    --late[t.topic];
    int sum = 0;
    for (int z = 0; z < size; ++z) sum += nw[t.word * size + z] * nd.at(size * t.document + z) + late[z] % 3;
    int at = 0;
    while (at < size - 1 && sum % (at + 2) != 0) ++at;
    t.topic = at;
    ++nw[first + at];
    ++nd[size * t.document + t.topic];
    ++late[t.topic];
  }, access(adds_late(late)));

  async_for("rows", n, [&](int64_t j) {
    token& t = tokens[j];
    int sum = 0;
    for (int z = 0; z < size; ++z) sum += by_word[t.word][z] * by_document[t.document][z] + late[z] % 5;
    const int topic = (sum % size + size) % size;
    late[t.topic] -= 1;
    late[topic] += 1;
    --by_word[t.word][t.word % size], ++by_word[t.word][topic];
    --by_document[t.document][t.document % size], ++by_document[t.document][topic];
    t.topic = topic;
  }, access(adds_late(late)));

  int64_t sum = 0;
  for (int z = 0; z < topics; ++z) {
    sum += late[z];
    hash = hash * 31 + static_cast<uint64_t>(late[z]);
  }
  const bool right = fits(nw, of_word, flat, hash) && fits(nd, of_document, flat, hash);
  return fits(by_word, of_word, rows, hash) && fits(by_document, of_document, rows, hash) && right && sum == n;
}

/// All iterations touch all totals: program order.
static bool moves(const std::vector<token>& made, uint64_t& hash) {
  const int64_t n = static_cast<int64_t>(made.size());
  const int size = topics;
  dvector<token> tokens(n);
  dvector<int> totals(topics, 100);
  for (int64_t j = 0; j < n; ++j) tokens[j] = made[j];
  async_for("all", n, [&](int64_t j) {
    int most = 0;
    for (int z = 0; z < size; ++z) most = totals[z] > totals[most] ? z : most;
    --totals[most];
    ++totals[(most + tokens[j].word) % size];
  });
  int all = 0;
  for (int z = 0; z < topics; ++z) {
    all += totals[z];
    hash = hash * 31 + static_cast<uint64_t>(totals[z]);
  }
  return all == 100 * topics;
}

/// Documents are iterations; the rows of their words are known one after the other.
static bool walks(const std::vector<token>& made, uint64_t& hash) {
  const int64_t n = static_cast<int64_t>(made.size());
  const int size = topics;
  std::vector<int> of_word(words);
  for (const token& t : made) ++of_word[t.word];
  dvector<int> topic(n), word(n);
  for (int64_t j = 0; j < n; ++j) word[j] = made[j].word;
  dvector<int> inner(words * topics);
  for (int64_t j = 0; j < n; ++j) ++inner[word[j] * topics];
  async_for("documents", documents, [&](int64_t d) {
    for (int64_t i = d * 50; i < d * 50 + 50; ++i) {
      const int w = word[i];
      int best = 0;
      --inner[w * size + topic[i]];
      for (int z = 0; z < size; ++z) best = inner[w * size + z] < inner[w * size + best] ? z : best;
      topic[i] = best;
      ++inner[w * size + topic[i]];
    }
  });
  return fits(inner, of_word, flat, hash);
}

int main() {
  const std::vector<token> made = make_tokens();
  uint64_t hash = 0;
  const bool right = samples(made, hash) && moves(made, hash) && walks(made, hash);
  std::printf("%s %016llx\n", right ? "right" : "WRONG", static_cast<unsigned long long>(hash));
  return right ? 0 : 1;
}
