// Text as the numbers of its words, line by line. Thread rule: the driver's thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/abi/corpus.hpp>
#include <stradsap/abi/text_pieces.hpp>

namespace stradsap {
namespace abi {

struct word_count {
  [[nodiscard]] piece_range window(std::size_t, std::int64_t) const { return {}; }
  corpus_piece operator()(std::int64_t, const text_piece& piece) const {
    corpus_piece made;
    made.report = report_of_piece(piece, [&](std::string_view text, piece_report& report) {
      count_words(text, made);
      report = made.report;
    });
    return made;
  }
  void stradsap_write_(writer&) const {}
  void stradsap_read_(reader&) {}
};

struct word_parse {
  vocabulary known;
  std::vector<std::uint64_t> rows, values;

  /// Of the ends of lines, the numbers of words.
  [[nodiscard]] piece_range window(std::size_t c_, std::int64_t p_) const {
    const piece_range all = range_in(c_ == 0 ? rows : values, p_);
    return {all.first + (c_ == 0 ? 1 : 0), all.size};
  }
  piece_report operator()(std::int64_t p_, const text_piece& piece, std::span<std::int64_t> line_end,
                          std::span<std::int32_t> ids) const {
    return report_of_piece(piece, [&](std::string_view text, piece_report& made) {
      parse_words(text, known, range_in(values, p_).first, line_end, ids, made);
    });
  }
  void stradsap_write_(writer& out) const { out(known, rows, values); }
  void stradsap_read_(reader& in) { in(known, rows, values); }
};

inline opened_text open_corpus(const std::string& path, const corpus_options& options) {
  if (const auto& known = options.words.get(); known && known->empty())
    throw error(errc::bad_input, path + ": .words has no word, so that all words would be left out");
  return open_text(path, [](std::size_t, std::string_view) { return false; });
}

}  // namespace abi

inline namespace STRADSAP_BUILD {

/// Line i has the words ids[k], for k from indptr[i] to indptr[i + 1] - 1.
struct corpus {
  dvector<std::int64_t> indptr;
  dvector<std::int32_t> ids;
  std::vector<std::string> words;    // by number: the most frequent first, equal ones sorted
  std::vector<std::int64_t> counts;  // in these files
};

/// The words of text files, which blanks and tabs separate. Words that occur less than min_count times, or
/// are not in options.words if that is given, are left out. Each line that is not blank is one line here.
/// Throws error(errc::bad_input) if a file cannot be read, or if options.words is given without a word.
/// @code
/// const corpus text = read_corpus("text8", {.min_count = 5});
/// const corpus held_out = read_corpus("test.txt", {.words = text.words});
/// @endcode
template <std::same_as<corpus> Corpus_ = corpus>  // so that only programs that call it compile it
Corpus_ read_corpus(const std::string& path, const corpus_options& options = {}) {
  abi::text_pieces pieces{"read_corpus", abi::open_corpus(path, options)};
  abi::counted_corpus counted =
      abi::sum_of_words(pieces.files(), pieces.collect<abi::corpus_piece>(abi::word_count{}), options);
  const std::size_t lines = counted.table.num_rows();
  Corpus_ found{dvector<std::int64_t>(lines + 1), dvector<std::int32_t>(counted.table.num_values()),
                counted.known.words(), std::move(counted.counts)};
  (void)pieces.run(
      abi::word_parse{counted.known, std::move(counted.table.rows), std::move(counted.table.values)},
      found.indptr, found.ids);
  return found;
}

}  // namespace STRADSAP_BUILD
}  // namespace stradsap
