// The hashing trick: features are strings, their place in the table is a hash, their sign another bit of it.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

namespace hashing {
constexpr uint32_t kOffset = 2166136261u, kPrime = 16777619u;
constexpr uint32_t fnv1a(std::string_view text) {
  uint32_t h = kOffset;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * kPrime;
  return h;
}
static_assert(fnv1a("") == kOffset);
}  // namespace hashing

struct Document {
  std::string title;
  std::vector<std::string> tokens;
};

int main() {
  constexpr int bits = 8;
  constexpr uint32_t mask = (1u << bits) - 1;
  const int n = 500;
  std::vector<Document> corpus(n);
  for (int j = 0; j < n; ++j) {
    corpus[j].title = "doc" + std::to_string(j % 40);
    for (int k = 0; k < 6; ++k) corpus[j].tokens.push_back("w" + std::to_string(j * k % 77));
  }
  stradsap::dvector<Document> docs(corpus.begin(), corpus.end());
  stradsap::dvector<int> table(mask + 1);
  stradsap::async_for(n, [&docs, &table](int64_t j) {
    const Document& doc = docs[j];
    const auto add = [&table](std::string_view feature, int weight) {
      const uint32_t h = hashing::fnv1a(feature);
      table[h & mask] += h >> 31 ? -weight : weight;
    };
    add(doc.title, 5);
    for (const auto& token : doc.tokens) add(token, 1);
  });
  std::vector<int> expected(mask + 1);
  for (const Document& doc : corpus) {
    const uint32_t t = hashing::fnv1a(doc.title);
    expected[t & mask] += t >> 31 ? -5 : 5;
    for (const std::string& token : doc.tokens) {
      const uint32_t h = hashing::fnv1a(token);
      expected[h & mask] += h >> 31 ? -1 : 1;
    }
  }
  for (uint32_t i = 0; i <= mask; ++i) {
    if (std::as_const(table)[i] != expected[i]) return 1;
  }
  return 0;
}
