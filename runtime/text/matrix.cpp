// Entries of sparse matrices: row, column and value, from 1. Thread rule: pure functions.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <stradsap/abi/matrix.hpp>

#include "runtime/text/fields.hpp"

namespace stradsap::rt {

namespace {

/// Takes fields between blanks off a line.
class word_taker {
 public:
  word_taker(const char* at, const char* end) : at_(skip_blanks(at, end)), end_(end) {}

  [[nodiscard]] bool is_done() const { return at_ == end_; }
  std::string_view next() {
    const char* const first = at_;
    const char* const last = end_of_field(at_, end_);
    at_ = skip_blanks(last, end_);
    return {first, static_cast<std::size_t>(last - first)};
  }
  template <class V> V number(const char* thing) {
    V value{};
    number_fault fault = number_fault::none;
    const char* const stop = parse_number(at_, end_, value, fault);
    bool is_right = stop != at_ && fault == number_fault::none && (stop == end_ || is_blank(*stop));
    if constexpr (std::is_floating_point_v<V>) is_right = is_right && std::isfinite(value);
    if (!is_right) refuse_number<V>(thing, fault, at_, end_of_field(at_, end_));
    at_ = skip_blanks(stop, end_);
    return value;
  }
  void expect_end() const {
    if (!is_done()) throw std::runtime_error(fmt::format("unexpected {}", quoted(at_, end_)));
  }

 private:
  const char* at_;
  const char* end_;
};

}  // namespace

static std::int32_t position(word_taker& words, const char* thing, std::int64_t count) {
  const auto found = words.number<std::int64_t>(thing);
  if (found < 1 || found > count)
    throw std::runtime_error(fmt::format("{} {} is not between 1 and {}", thing, found, count));
  return static_cast<std::int32_t>(found - 1);
}

template <class V> static matrix_entry<V> entry_of(word_taker& words, const abi::matrix_shape& shape) {
  matrix_entry<V> made;
  made.row = position(words, "row", shape.rows);
  made.column = position(words, "column", shape.columns);
  made.value = shape.has_values ? words.number<V>("value") : V{1};
  words.expect_end();
  return made;
}

/// Calls f with the words of each line that is neither blank nor a comment.
template <class F>
static void each_entry(std::string_view text, const abi::matrix_shape& shape, abi::piece_report& made,
                       const F& f) {
  line_taker line(text);
  while (line.next()) {
    const char* const at = skip_blanks(line.begin(), line.end());
    if (at == line.end() || *at == shape.comment) continue;
    try {
      word_taker words(at, line.end());
      f(words);
    } catch (const std::exception& e) {
      return made.fail(line.number(), e.what());
    }
  }
  made.lines = line.number();
}

// ---- headers ----

static std::string lower(std::string_view word) {
  std::string made(word);
  std::transform(made.begin(), made.end(), made.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return made;
}

static std::int64_t size_in(word_taker& words, const char* thing, std::int64_t most) {
  const auto found = words.number<std::int64_t>(thing);
  if (found < 0 || found > most)
    throw std::runtime_error(fmt::format("{} {} is not between 0 and {}", thing, found, most));
  return found;
}

static constexpr std::int64_t most_positions = std::numeric_limits<std::int32_t>::max();

namespace {

/// Reads "%%MatrixMarket matrix coordinate TYPE SYMMETRY", comments, and the line of sizes.
class matrix_market_head {
 public:
  explicit matrix_market_head(abi::matrix_shape& shape) : shape_(shape) {}
  bool operator()(std::string_view line) {
    const bool is_first = !std::exchange(has_banner_, true);
    if (has_sizes_) return false;
    const char* const at = skip_blanks(line.data(), line.data() + line.size());
    word_taker words(at, line.data() + line.size());
    if (is_first) {
      take_banner(words);
    } else if (!words.is_done() && *at != '%') {
      shape_.rows = size_in(words, "number of rows", most_positions);
      shape_.columns = size_in(words, "number of columns", most_positions);
      shape_.entries = size_in(words, "number of entries", std::numeric_limits<std::int64_t>::max());
      words.expect_end();
      if (shape_.mirror != 0 && shape_.rows != shape_.columns)
        throw std::runtime_error("a symmetric matrix has as many rows as columns");
      has_sizes_ = true;
    }
    return true;
  }
  [[nodiscard]] bool is_whole() const { return has_sizes_; }

 private:
  void take_banner(word_taker& words) {
    std::array<std::string, 5> banner;
    for (std::string& word : banner) word = lower(words.next());
    words.expect_end();
    const auto& [mark, object, format, type, symmetry] = banner;
    if (mark != "%%matrixmarket" || object != "matrix")
      throw std::runtime_error("expected %%MatrixMarket matrix");
    if (format != "coordinate")
      throw std::runtime_error(fmt::format("format '{}' is not supported, only coordinate", format));
    if (type != "real" && type != "integer" && type != "pattern")
      throw std::runtime_error(fmt::format("entries of type '{}' are not supported", type));
    const bool is_symmetric = symmetry == "symmetric", is_skew = symmetry == "skew-symmetric";
    if (symmetry != "general" && !is_symmetric && !is_skew)
      throw std::runtime_error(fmt::format("symmetry '{}' is not supported", symmetry));
    shape_.has_values = type != "pattern";
    shape_.mirror = is_symmetric ? 1 : is_skew ? -1 : 0;
  }

  abi::matrix_shape& shape_;
  bool has_banner_ = false;
  bool has_sizes_ = false;
};

}  // namespace

static void require_one_file(std::size_t file) {
  if (file != 0) throw std::runtime_error("the pattern names several files, and a matrix is one");
}

}  // namespace stradsap::rt

namespace stradsap::abi {

opened_matrix open_matrix_market(const std::string& path) {
  opened_matrix made;
  rt::matrix_market_head head(made.shape);
  made.text = open_text(path, [&](std::size_t file, std::string_view line) {
    rt::require_one_file(file);
    return head(line);
  });
  if (!head.is_whole())
    throw error(errc::bad_input, path + ": has no header of Matrix Market with the matrix's size");
  return made;
}

opened_matrix open_docword(const std::string& path) {
  opened_matrix made;
  made.shape.comment = '\n';  // none
  std::size_t found = 0;
  std::int64_t* const sizes[] = {&made.shape.rows, &made.shape.columns, &made.shape.entries};
  const char* const names[] = {"number of documents", "number of words", "number of entries"};
  made.text = open_text(path, [&](std::size_t file, std::string_view line) {
    rt::require_one_file(file);
    if (found == 3) return false;
    rt::word_taker words(line.data(), line.data() + line.size());
    const std::int64_t most = found < 2 ? rt::most_positions : std::numeric_limits<std::int64_t>::max();
    *sizes[found] = rt::size_in(words, names[found], most);
    words.expect_end();
    ++found;
    return true;
  });
  if (found != 3)
    throw error(errc::bad_input, path + ": has no header: the numbers of documents, words and entries");
  return made;
}

/// Bad lines count as any others: the parse, which also reads the values, names the first one.
void count_entries(std::string_view text, const matrix_shape& shape, piece_report& made) {
  rt::each_entry(text, shape, made, [&](rt::word_taker& words) {
    ++made.rows;
    ++made.values;
    try {
      const std::int32_t row = rt::position(words, "row", shape.rows);
      made.most = std::max<std::int64_t>(made.most, row);
      if (shape.mirror != 0 && rt::position(words, "column", shape.columns) != row) ++made.values;
    } catch (const std::runtime_error&) {
    }
  });
}

template <class V>
void parse_entries(std::string_view text, const matrix_shape& shape, std::span<matrix_entry<V>> into,
                   piece_report& made) {
  std::size_t at = 0;
  const auto add = [&](const matrix_entry<V>& entry) {
    if (at < into.size()) into[at] = entry;
    ++at;
  };
  rt::each_entry(text, shape, made, [&](rt::word_taker& words) {
    const auto entry = rt::entry_of<V>(words, shape);
    add(entry);
    if (shape.mirror != 0 && entry.row != entry.column)
      add({entry.column, entry.row, static_cast<V>(shape.mirror < 0 ? -entry.value : entry.value)});
  });
  made.expect(into.size(), at);
}

void parse_docword(std::string_view text, const matrix_shape& shape, const docword_arrays& into,
                   piece_report& made) {
  std::size_t at = 0;
  std::int64_t rows = into.rows_before;
  const auto begin_rows_to = [&](std::int64_t end) {
    for (; rows < end; ++rows) {
      const auto place = static_cast<std::size_t>(rows - into.rows_before);
      if (place < into.row_begin.size())
        into.row_begin[place] = into.entries_before + static_cast<std::int64_t>(at);
    }
  };
  rt::each_entry(text, shape, made, [&](rt::word_taker& words) {
    const auto entry = rt::entry_of<std::int32_t>(words, shape);
    if (entry.row + 1 < rows)
      throw std::runtime_error(
          fmt::format("document {} follows document {}: they must ascend", entry.row + 1, rows));
    begin_rows_to(entry.row + 1);
    if (at < into.index.size()) {
      into.index[at] = entry.column;
      into.value[at] = entry.value;
    }
    ++at;
  });
  if (!made.message.empty()) return;
  begin_rows_to(into.rows_before + static_cast<std::int64_t>(into.row_begin.size()));
  made.expect(into.index.size(), at);
}

void require_entries(const opened_matrix& of, const std::vector<text_file>& files, std::uint64_t found) {
  if (found == static_cast<std::uint64_t>(of.shape.entries)) return;
  throw error(errc::bad_input, fmt::format("{}: has {} entries, and its header says {}", files[0].name, found,
                                           of.shape.entries));
}

#define STRADSAP_PARSE_ENTRIES(V)                                                                   \
  template void parse_entries<V>(std::string_view, const matrix_shape&, std::span<matrix_entry<V>>, \
                                 piece_report&);
STRADSAP_PARSE_ENTRIES(float)
STRADSAP_PARSE_ENTRIES(double)
STRADSAP_PARSE_ENTRIES(std::int32_t)
STRADSAP_PARSE_ENTRIES(std::int64_t)
#undef STRADSAP_PARSE_ENTRIES

}  // namespace stradsap::abi
