// A target of libFuzzer for the readers' kernels; FAMILY names one. The input is a file. Arrays have the
// sizes that the first pass counts, so the address sanitizer sees each write beside them. See
// tools/fuzz-files.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <unistd.h>
#include <stradsap/abi/corpus.hpp>
#include <stradsap/abi/csv.hpp>
#include <stradsap/abi/libsvm.hpp>
#include <stradsap/abi/matrix.hpp>
#include <stradsap/abi/program.hpp>

#include "runtime/text/numbers.hpp"

namespace sap = stradsap;
namespace abi = stradsap::abi;

int sap::abi::rank() { return 0; }

static void require(bool holds) {
  if (!holds) std::abort();
}

/// The entries of piece p in a table of sums.
static std::size_t size_in(const std::vector<std::uint64_t>& table, std::int64_t p) {
  const auto at = static_cast<std::size_t>(p);
  return table[at + 1] - table[at];
}

static std::vector<abi::text_piece> pieces_of(abi::opened_text& all) {
  std::vector<abi::text_piece> pieces;
  for (auto some = all.next(); !some.empty(); some = all.next())
    std::move(some.begin(), some.end(), std::back_inserter(pieces));
  return pieces;
}

/// Calls f with the text and the reports of each piece, twice: to count and to parse.
template <class Count, class Parse>
static void read_pieces(abi::opened_text all, const Count& count, const Parse& parse) {
  std::vector<abi::piece_report> reports;
  for (const abi::text_piece& piece : pieces_of(all)) reports.push_back(abi::report_of_piece(piece, count));
  const abi::piece_table table = abi::sum_of_pieces(all.files(), reports);
  std::int64_t number = 0;
  for (const abi::text_piece& piece : pieces_of(all)) {
    (void)abi::report_of_piece(
        piece, [&](std::string_view text, abi::piece_report& made) { parse(text, made, table, number); });
    ++number;
  }
}

static abi::opened_text open_plain(const std::string& path) {
  return abi::open_text(path, [](std::size_t, std::string_view) { return false; });
}

static void libsvm(const std::string& path) {
  const sap::libsvm_options options;
  read_pieces(
      open_plain(path), abi::count_libsvm,
      [&](std::string_view text, abi::piece_report& made, const abi::piece_table& table, std::int64_t p) {
        const std::size_t rows = size_in(table.rows, p);
        const std::size_t values = size_in(table.values, p);
        std::vector<float> label(rows), value(values);
        std::vector<std::int64_t> row_end(rows);
        std::vector<std::int32_t> index(values);
        abi::parse_libsvm<float>(text, options, 0, {label, row_end, index, value}, made);
        for (std::size_t i = 0, k = 0; made.message.empty() && i < rows; ++i) {
          for (std::int64_t least = 0; k < static_cast<std::size_t>(row_end[i]); ++k) {
            require(index[k] >= least);
            least = index[k] + std::int64_t{1};
          }
        }
        std::vector<sap::libsvm_row<float>> as_rows(rows);
        abi::piece_report again;
        abi::parse_libsvm<float>(text, options, as_rows, again);
        require(again.message == made.message);
      });
}

static void csv(const std::string& path) {
  abi::opened_csv opened = abi::open_csv(path, {.comment = "#"});
  read_pieces(
      std::move(opened.text),
      [](std::string_view text, abi::piece_report& made) { abi::count_csv(text, ',', "#", made); },
      [&](std::string_view text, abi::piece_report& made, const abi::piece_table& table, std::int64_t p) {
        std::vector<double> value(size_in(table.rows, p) * opened.shape.chosen.size());
        abi::parse_csv<double>(text, opened.shape, value, made);
      });
}

static void market(const std::string& path) {
  abi::opened_matrix opened = abi::open_matrix_market(path);
  read_pieces(
      std::move(opened.text),
      [&](std::string_view text, abi::piece_report& made) { abi::count_entries(text, opened.shape, made); },
      [&](std::string_view text, abi::piece_report& made, const abi::piece_table& table, std::int64_t p) {
        std::vector<sap::matrix_entry<double>> entries(size_in(table.values, p));
        abi::parse_entries<double>(text, opened.shape, entries, made);
      });
}

static void docword(const std::string& path) {
  abi::opened_matrix opened = abi::open_docword(path);
  read_pieces(
      std::move(opened.text),
      [&](std::string_view text, abi::piece_report& made) { abi::count_entries(text, opened.shape, made); },
      [&](std::string_view text, abi::piece_report& made, const abi::piece_table& table, std::int64_t p) {
        std::vector<std::int64_t> begin(size_in(table.ends, p));
        const auto first = static_cast<std::int64_t>(table.ends[static_cast<std::size_t>(p)]);
        std::vector<std::int32_t> index(size_in(table.values, p)), value(index.size());
        abi::parse_docword(text, opened.shape, {first, 0, begin, index, value}, made);
      });
}

static void corpus(const std::string& path) {
  abi::opened_text all = open_plain(path);
  const std::vector<abi::text_piece> pieces = pieces_of(all);
  std::vector<abi::corpus_piece> counted(pieces.size());
  for (std::size_t p = 0; p < pieces.size(); ++p)
    abi::count_words(abi::piece_text(pieces[p]).view(), counted[p]);
  const abi::counted_corpus sums = abi::sum_of_words(all.files(), counted, {.min_count = 2});
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const auto piece = static_cast<std::int64_t>(p);
    std::vector<std::int64_t> line_end(size_in(sums.table.rows, piece));
    std::vector<std::int32_t> ids(size_in(sums.table.values, piece));
    abi::piece_report made;
    abi::parse_words(abi::piece_text(pieces[p]).view(), sums.known, 0, line_end, ids, made);
    require(made.message.empty());
  }
}

/// The short way of numbers gives the bits of std::from_chars.
template <class Real> static void compare_numbers(const char* at, const char* end) {
  Real mine{}, exact{};
  auto fault = sap::rt::number_fault::none, wanted = fault;
  const char* const stop = sap::rt::parse_real(at, end, mine, fault);
  const char* const last = sap::rt::parse_exactly(at, end, exact, wanted);
  require(fault == wanted && stop == last);
  if (fault == sap::rt::number_fault::none)
    require(std::memcmp(&mine, &exact, sizeof mine) == 0 || (mine != mine && exact != exact));
}

[[maybe_unused]] static void numbers(std::string_view text) {
  compare_numbers<float>(text.data(), text.data() + text.size());
  compare_numbers<double>(text.data(), text.data() + text.size());
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
#ifdef NUMBERS
  numbers(text);
#else
  static const std::string path = "/dev/shm/stradsap-fuzz-" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << text;
  try {
    FAMILY(path);
  } catch (const sap::error&) {
  }
  unlink(path.c_str());
#endif
  return 0;
}
