// Counts of word pairs in lines of text: keys are strings that the body builds.
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

static std::vector<std::string> split(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  std::string word;
  while (in >> word) words.push_back(word);
  return words;
}

int main() {
  const char* const vocabulary[] = {"the", "cat", "sat", "on", "a", "mat", "and", "slept"};
  std::vector<std::string> text;
  for (int i = 0; i < 400; ++i) {
    std::string line;
    for (int k = 0; k < 3 + i % 5; ++k) line += std::string(k > 0 ? " " : "") + vocabulary[(i * 3 + k * k) % 8];
    text.push_back(line);
  }

  stradsap::dvector<std::string> lines(text.begin(), text.end());
  stradsap::dmap<std::string, int> bigrams;
  stradsap::parallel_for(lines.size(), [&lines, &bigrams](int64_t j) {
    const auto words = split(lines[j]);
    for (size_t i = 0; i + 1 < words.size(); ++i) bigrams[words[i] + ' ' + words[i + 1]]++;
  }, stradsap::consistency::async);

  std::map<std::string, int> expected;
  for (const std::string& line : text) {
    const auto words = split(line);
    for (size_t i = 0; i + 1 < words.size(); ++i) expected[words[i] + ' ' + words[i + 1]]++;
  }
  std::map<std::string, int> found;
  for (const auto& [key, count] : std::as_const(bigrams)) found[key] = count;
  return found == expected ? 0 : 1;
}
