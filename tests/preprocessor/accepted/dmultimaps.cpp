// Operations of bodies on a multimap: walk through the values of a key, count them, insert.
#include <cstdint>
#include <cstdio>
#include <map>
#include <ranges>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

struct edge {
  int to;
  float weight;
};

class posting {
 public:
  posting() = default;
  posting(int64_t document, std::string word) : document_(document), word_(std::move(word)) {}
  bool operator==(const posting&) const = default;
  int64_t document() const { return document_; }

 private:
  int64_t document_ = 0;
  std::string word_;
};

static float pull(const stradsap::dmultimap<int, edge>& graph, const stradsap::dvector<float>& x, int node) {
  float sum = 0;
  auto range = graph.equal_range(node);
  for (auto it = range.first; it != range.second; ++it) sum += it->second.weight * x[it->second.to];
  return sum;
}

const int n = 600;

static int reads() {
  stradsap::dmultimap<int, edge> graph;
  std::multimap<int, edge> plain;
  for (int i = 0; i < n; ++i) {
    for (int k = 1; k <= i % 4; ++k) {
      graph.insert({i, {(i * 7 + k) % n, 0.5f * static_cast<float>(k)}});
      plain.insert({i, {(i * 7 + k) % n, 0.5f * static_cast<float>(k)}});
    }
  }

  stradsap::dvector<float> x(n, 1.0f), y(n);
  stradsap::async_for(n, [&](int64_t j) { y[j] = pull(graph, x, static_cast<int>(j)); });
  // the multimap's values are subscripts
  stradsap::dvector<long> in(n);
  long edges = 0;
  stradsap::async_for(n, [&graph, &in, &edges](int j) {
    const auto [first, last] = graph.equal_range(j);
    for (const auto& [from, to] : std::ranges::subrange(first, last)) in[to.to] += from;
    edges += static_cast<long>(graph.count(j));
  });
  std::vector<float> wanted_y(n);
  std::vector<long> wanted_in(n);
  for (const auto& [from, to] : plain) {
    wanted_y[from] += to.weight;
    wanted_in[to.to] += from;
  }
  for (int j = 0; j < n; ++j) {
    if (y[j] != wanted_y[j] || in[j] != wanted_in[j]) return 1;
  }
  return edges == static_cast<long>(plain.size()) && graph.size() == plain.size() ? 0 : 2;
}

static int inserts() {
  stradsap::dvector<std::string> words(n);
  for (int j = 0; j < n; ++j) words[j] = "w" + std::to_string(j * j % 17);
  stradsap::dmultimap<std::string, posting> index;
  stradsap::dvector<int> uses(10);
  stradsap::async_for(n, [&words, &index, &uses](int64_t j) {
    index.insert({words[j], posting(j, words[j])});
    if (j % 3 == 0) index.insert({words[j] + "!", {j, "third"}});
    ++uses[(j * 7) % 10];
  });
  std::multimap<std::string, int64_t> wanted;
  for (int j = 0; j < n; ++j) {
    const std::string word = "w" + std::to_string(j * j % 17);
    wanted.insert({word, j});
    if (j % 3 == 0) wanted.insert({word + "!", j});
  }
  for (const auto& [word, document] : wanted) {
    auto [at, end] = index.equal_range(word);
    const auto [wanted_at, wanted_end] = wanted.equal_range(word);
    for (auto it = wanted_at; it != wanted_end; ++it, ++at) {
      if (at == end || at->second.document() != it->second) return 3;
    }
    if (at != end) return 4;
  }
  std::printf("%zu %s\n", index.size(), index.begin()->first.c_str());
  return 0;
}

static int inserts_in_batches() {
  stradsap::dmultimap<int, int64_t> classes;
  long before = 0;
  stradsap::sync_for(n, 200, [&classes, &before](int64_t j) {
    const int key = static_cast<int>(j % 5);
    before += classes.contains(key) ? 1 : 0;
    classes.insert({key, j});
  });
  for (const auto& [key, value] : classes) {
    if (value % 5 != key) return 5;
  }
  std::printf("%lld\n", static_cast<long long>((classes.equal_range(3).second - 1)->second));
  if (before < n - 5 * 16 || classes.erase(2) != n / 5) return 6;
  return classes.size() == n - n / 5 && !classes.contains(2) ? 0 : 7;
}

int main() {
  if (const int wrong = reads(); wrong != 0) return wrong;
  if (const int wrong = inserts(); wrong != 0) return wrong;
  return inserts_in_batches();
}
