// Documents and words of a topic model in parts, for the rivals by hand. Include the program's source first:
// it has Token and Options.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

/// Documents and words in parts with about as many tokens each.
struct Cut {
  std::vector<int> first_document;          // of each part, and after the last part
  std::vector<int> first_row, row_of_word;  // a part of the words has adjacent rows

  Cut(const std::vector<Token>& tokens, const Options& options, int parts);
  int part_of_document(int document) const {
    return std::upper_bound(first_document.begin(), first_document.end(), document) - first_document.begin() -
           1;
  }
  int part_of_row(int row) const {
    return std::upper_bound(first_row.begin(), first_row.end(), row) - first_row.begin() - 1;
  }
};

inline Cut::Cut(const std::vector<Token>& tokens, const Options& options, int parts)
    : row_of_word(options.words) {
  for (int part = 0; part < parts; ++part)
    first_document.push_back(tokens[tokens.size() * part / parts].document);
  first_document.push_back(options.documents);
  std::vector<int64_t> count(options.words), load(parts);
  for (const Token& t : tokens) ++count[t.word];
  std::vector<int> by_count(options.words);
  for (int word = 0; word < options.words; ++word) by_count[word] = word;
  std::sort(by_count.begin(), by_count.end(), [&](int a, int b) { return count[a] > count[b]; });
  std::vector<std::vector<int>> words(parts);
  for (const int word : by_count) {  // the most frequent first, each to the part with the fewest tokens
    const auto part = std::min_element(load.begin(), load.end()) - load.begin();
    load[part] += count[word] + 1;
    words[part].push_back(word);
  }
  int row = 0;
  for (const auto& part : words) {
    first_row.push_back(row);
    for (const int word : part) row_of_word[word] = row++;
  }
  first_row.push_back(row);
}
