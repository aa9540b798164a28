#include "driver/arguments.hpp"

#include <fstream>
#include <string_view>

namespace stradsap::pp {

static std::vector<std::string> words_of_file(std::istream& in) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (char c = 0; in.get(c);) {
    if (c == '\\') {
      if (in.get(c)) word += c;
      open = true;
    } else if (quote != 0) {
      c == quote ? void(quote = 0) : word.push_back(c);
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (open) words.push_back(std::move(word));
      word.clear();
      open = false;
    } else {
      word += c;
      open = true;
    }
  }
  if (open) words.push_back(std::move(word));
  return words;
}

static void expand(const std::string& word, std::vector<std::string>& words, int depth) {
  std::ifstream in;
  if (word.size() > 1 && word[0] == '@' && depth < 16) in.open(word.substr(1));
  if (!in.is_open()) {
    words.push_back(word);
    return;
  }
  for (const std::string& inner : words_of_file(in)) expand(inner, words, depth + 1);
}

std::vector<std::string> expanded(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  for (const std::string& word : words) expand(word, all, 0);
  return all;
}

namespace {

struct long_name {
  std::string_view name;
  std::string_view option;
};

constexpr long_name long_names[] = {{"--compile", "-c"},
                                    {"--assemble", "-S"},
                                    {"--preprocess", "-E"},
                                    {"--output", "-o"},
                                    {"--language", "-x"},
                                    {"--include", "-include"},
                                    {"--include-directory", "-I"},
                                    {"--define-macro", "-D"},
                                    {"--undefine-macro", "-U"},
                                    {"--dependencies", "-M"},
                                    {"--user-dependencies", "-MM"},
                                    {"--write-dependencies", "-MD"},
                                    {"--write-user-dependencies", "-MMD"}};

}  // namespace

std::vector<std::string> short_spelling(const std::string& word) {
  if (word.starts_with("--std=")) return {word.substr(1)};
  const std::size_t equals = word.find('=');
  for (const long_name& known : long_names) {
    if (word == known.name) return {std::string(known.option)};
    if (word.substr(0, equals) == known.name) return {std::string(known.option), word.substr(equals + 1)};
  }
  return {word};
}

}  // namespace stradsap::pp
