// Words of text and their numbers, without containers. Thread rule: values; a vocabulary may be read by many
// threads.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stradsap/abi/text_files.hpp>

namespace stradsap {

/// A vocabulary, or none, which an empty vector is not.
class known_words {
 public:
  known_words() = default;
  known_words(std::vector<std::string> words) : words_(std::move(words)) {}
  known_words(std::initializer_list<std::string> words) : words_(words) {}
  [[nodiscard]] const std::optional<std::vector<std::string>>& get() const { return words_; }

 private:
  std::optional<std::vector<std::string>> words_;
};

struct corpus_options {
  std::int64_t min_count = 5;  // rarer words are left out
  known_words words = {};      // the vocabulary, if it is known: of the training data; it has a word
};

namespace abi {

/// The words of a piece with their counts, sorted.
struct corpus_piece {
  piece_report report;
  std::vector<std::pair<std::string, std::int64_t>> words;

  void stradsap_write_(writer& out) const { out(report, words); }
  void stradsap_read_(reader& in) { in(report, words); }
};
void count_words(std::string_view text, corpus_piece& made);

/// Words and their numbers. Copies share the index.
class vocabulary {
 public:
  vocabulary() = default;
  explicit vocabulary(std::vector<std::string> words);
  [[nodiscard]] const std::vector<std::string>& words() const;
  /// -1 if the word is not there.
  [[nodiscard]] std::int32_t find(std::string_view word) const;
  void stradsap_write_(writer& out) const { out(words()); }
  void stradsap_read_(reader& in);

 private:
  struct index;
  std::shared_ptr<const index> index_;  // between copies
};

struct counted_corpus {
  vocabulary known;
  std::vector<std::int64_t> counts;  // of each word
  piece_table table;                 // lines, and the words that are known
};
/// Chooses the vocabulary, most frequent words first. Throws as sum_of_pieces.
[[nodiscard]] counted_corpus sum_of_words(const std::vector<text_file>& files,
                                          const std::vector<corpus_piece>& all,
                                          const corpus_options& options);

/// Writes the numbers of the known words, and the end of each line among all words.
void parse_words(std::string_view text, const vocabulary& known, std::uint64_t words_before,
                 std::span<std::int64_t> line_end, std::span<std::int32_t> ids, piece_report& made);

}  // namespace abi
}  // namespace stradsap
