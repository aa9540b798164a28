// Words of text, which blanks separate. Thread rule: pure functions.
#include <algorithm>

#include <stradsap/abi/corpus.hpp>

#include <tsl/robin_map.h>
#include <xxhash.h>

#include "runtime/text/fields.hpp"

namespace stradsap::rt {

/// Not in an unnamed namespace: a class of the interface has a map with it.
struct hash_of_word {
  std::size_t operator()(std::string_view word) const { return XXH3_64bits(word.data(), word.size()); }
};

template <class Value> using word_map = tsl::robin_map<std::string_view, Value, hash_of_word>;

/// Calls f(word) for each word, and end() behind each line with a word. Returns the number of lines.
template <class F, class End>
static std::uint64_t each_word(std::string_view text, const F& f, const End& end) {
  line_taker line(text);
  while (line.next()) {
    const char* at = skip_blanks(line.begin(), line.end());
    if (at == line.end()) continue;
    while (at != line.end()) {
      const char* const last = end_of_field(at, line.end());
      f(std::string_view(at, static_cast<std::size_t>(last - at)));
      at = skip_blanks(last, line.end());
    }
    end();
  }
  return line.number();
}

}  // namespace stradsap::rt

namespace stradsap::abi {

void count_words(std::string_view text, corpus_piece& made) {
  rt::word_map<std::int64_t> counts;
  const auto end_line = [&] { ++made.report.rows; };
  made.report.lines = rt::each_word(text, [&](std::string_view word) { ++counts[word]; }, end_line);
  made.words.reserve(counts.size());
  for (const auto& [word, count] : counts) made.words.emplace_back(word, count);
  std::sort(made.words.begin(), made.words.end());
}

struct vocabulary::index {
  std::vector<std::string> words;
  rt::word_map<std::int32_t> numbers;
};

vocabulary::vocabulary(std::vector<std::string> words) {
  const auto made = std::make_shared<index>();
  made->words = std::move(words);
  made->numbers.reserve(made->words.size());
  for (const std::string& word : made->words)
    made->numbers.try_emplace(word, static_cast<std::int32_t>(made->numbers.size()));
  if (made->numbers.size() != made->words.size())
    throw error(errc::bad_input, "a word is in the vocabulary twice");
  index_ = made;
}

const std::vector<std::string>& vocabulary::words() const {
  static const std::vector<std::string> none;
  return index_ == nullptr ? none : index_->words;
}

std::int32_t vocabulary::find(std::string_view word) const {
  const auto found = index_->numbers.find(word);
  return found == index_->numbers.end() ? -1 : found->second;
}

void vocabulary::stradsap_read_(reader& in) {
  std::vector<std::string> words;
  in(words);
  *this = vocabulary(std::move(words));
}

/// The words with at least the least count, most frequent first.
static std::vector<std::string> frequent_words(const std::vector<corpus_piece>& all, std::int64_t least) {
  rt::word_map<std::int64_t> counts;
  for (const corpus_piece& piece : all) {
    for (const auto& [word, count] : piece.words) counts[word] += count;
  }
  std::vector<std::pair<std::int64_t, std::string_view>> chosen;
  for (const auto& [word, count] : counts) {
    if (count >= least) chosen.emplace_back(-count, word);
  }
  std::sort(chosen.begin(), chosen.end());
  std::vector<std::string> words;
  words.reserve(chosen.size());
  for (const auto& [count, word] : chosen) words.emplace_back(word);
  return words;
}

counted_corpus sum_of_words(const std::vector<text_file>& files, const std::vector<corpus_piece>& all,
                            const corpus_options& options) {
  counted_corpus made;
  made.known =
      vocabulary(options.words.get() ? *options.words.get() : frequent_words(all, options.min_count));
  made.counts.resize(made.known.words().size());
  std::vector<piece_report> reports;
  for (const corpus_piece& piece : all) {
    piece_report& report = reports.emplace_back(piece.report);
    for (const auto& [word, count] : piece.words) {
      const std::int32_t id = made.known.find(word);
      if (id == -1) continue;
      made.counts[static_cast<std::size_t>(id)] += count;
      report.values += static_cast<std::uint64_t>(count);
    }
  }
  made.table = sum_of_pieces(files, reports);
  return made;
}

void parse_words(std::string_view text, const vocabulary& known, std::uint64_t words_before,
                 std::span<std::int64_t> line_end, std::span<std::int32_t> ids, piece_report& made) {
  std::size_t lines = 0, at = 0;
  const auto take = [&](std::string_view word) {
    const std::int32_t id = known.find(word);
    if (id == -1) return;
    if (at < ids.size()) ids[at] = id;
    ++at;
  };
  made.lines = rt::each_word(text, take, [&] {
    if (lines < line_end.size()) line_end[lines] = static_cast<std::int64_t>(words_before + at);
    ++lines;
  });
  made.expect(line_end.size(), lines);
  made.expect(ids.size(), at);
}

}  // namespace stradsap::abi
