// Rows of LIBSVM: label index:value index:value # comment. Thread rule: pure functions.
#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <stradsap/abi/libsvm.hpp>

#include "runtime/text/fields.hpp"

namespace stradsap::rt {

void refuse_field(const char* thing, const char* fault, const char* at, const char* end) {
  throw std::runtime_error(fmt::format("{} {}: {}", thing, fault, quoted(at, end)));
}

/// The number of characters `wanted`.
static std::uint64_t count_of(const char* at, const char* end, char wanted) {
  std::uint64_t found = 0;
  const __m128i all = _mm_set1_epi8(wanted);
  while (end - at >= 16) {
    __m128i sums = _mm_setzero_si128();
    for (int round = 0; round < 255 && end - at >= 16; ++round, at += 16) {
      const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      sums = _mm_sub_epi8(sums, _mm_cmpeq_epi8(some, all));
    }
    const __m128i halves = _mm_sad_epu8(sums, _mm_setzero_si128());
    found += static_cast<std::uint64_t>(_mm_cvtsi128_si64(halves)) +
             static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(halves, halves)));
  }
  for (; at != end; ++at) found += *at == wanted ? 1 : 0;
  return found;
}

static const char* end_of_data(const char* at, const char* end) {
  const auto* const comment =
      static_cast<const char*>(std::memchr(at, '#', static_cast<std::size_t>(end - at)));
  return comment == nullptr ? end : comment;
}

namespace {

/// The next index:value of a row.
template <class V> struct entry_parser {
  const libsvm_options& options;
  std::int64_t least;  // the smallest index that may follow
  std::int32_t column = 0;
  V value{};

  const char* parse(const char* at, const char* end) {
    const char* const begin = at;
    std::int64_t index = 0;
    if (end - at > 0 && is_digit(*at)) {
      while (at != end && is_digit(*at) && at - begin < 11) index = 10 * index + (*at++ - '0');
    }
    if (at == begin || at == end || *at != ':') refuse_entry(begin, end);
    if (index < least || index > greatest()) refuse_index(index);
    number_fault fault = number_fault::none;
    const char* const first = at + 1;
    at = parse_number(first, end, value, fault);
    if (fault != number_fault::none || (at != end && !is_blank(*at)) || !is_finite())
      refuse_number<V>("value", fault, first, end_of_field(first, end));
    column = static_cast<std::int32_t>(index - options.index_base);
    least = index + 1;
    return at;
  }

 private:
  [[nodiscard]] bool is_finite() const {
    if constexpr (std::is_floating_point_v<V>) return std::isfinite(value);
    return true;
  }
  [[nodiscard]] std::int64_t greatest() const {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::int64_t columns = options.columns == 0 ? most : std::min(most, options.columns);
    return options.index_base + columns - 1;
  }
  [[noreturn]] void refuse_entry(const char* at, const char* end) const {
    const char* const stop = end_of_field(at, end);
    if (std::string_view(at, static_cast<std::size_t>(stop - at)).starts_with("qid:"))
      throw std::runtime_error("query ids (qid:) are not supported");
    throw std::runtime_error(fmt::format("expected index:value, found {}", quoted(at, stop)));
  }
  [[noreturn]] void refuse_index(std::int64_t index) const {
    const std::int32_t base = options.index_base;
    if (index > greatest())
      throw std::runtime_error(fmt::format("index {} is beyond the last one, {}", index, greatest()));
    if (index == 0 && base == 1)
      throw std::runtime_error("index 0, but the first index is 1: set .index_base = 0");
    if (index < base)
      throw std::runtime_error(fmt::format("index {} is below the first one, {}", index, base));
    throw std::runtime_error(fmt::format("index {} follows index {}: indices must ascend", index, least - 1));
  }
};

/// Rows into arrays.
template <class V> struct into_arrays {
  const abi::libsvm_arrays<V>& to;
  std::uint64_t before;
  std::uint64_t row = 0, at = 0;

  void begin_row(V label) {
    if (row < to.label.size()) to.label[row] = label;
  }
  void add(std::int32_t column, V value) {
    if (at < to.index.size()) {
      to.index[at] = column;
      to.value[at] = value;
    }
    ++at;
  }
  void end_row() {
    if (row < to.row_end.size()) to.row_end[row] = static_cast<std::int64_t>(before + at);
    ++row;
  }
};

/// Rows into structs; entries are collected first, so that each vector allocates once.
template <class V> struct into_rows {
  std::span<libsvm_row<V>> to;
  std::uint64_t row = 0;
  V label_of_row{};
  std::vector<std::pair<std::int32_t, V>> entries = {};

  void begin_row(V label) {
    label_of_row = label;
    entries.clear();
  }
  void add(std::int32_t column, V value) { entries.emplace_back(column, value); }
  void end_row() {
    if (row < to.size()) {
      to[row].first = label_of_row;
      to[row].second = entries;
    }
    ++row;
  }
};

}  // namespace

template <class V, class Into>
static void parse_row(const char* at, const char* end, const libsvm_options& options, Into& into,
                      abi::piece_report& made) {
  const char* const after = end_of_field(at, end);
  into.begin_row(number_in<V>("label", at, after));
  entry_parser<V> entry{options, options.index_base};
  for (at = skip_blanks(after, end); at != end; at = skip_blanks(at, end)) {
    at = entry.parse(at, end);
    into.add(entry.column, entry.value);
  }
  into.end_row();
  made.most = std::max(made.most, entry.least - 1 - options.index_base);
}

template <class V, class Into>
static void parse_rows(std::string_view text, const libsvm_options& options, Into& into,
                       abi::piece_report& made) {
  line_taker line(text);
  while (line.next()) {
    const char* const end = end_of_data(line.begin(), line.end());
    const char* const at = skip_blanks(line.begin(), end);
    if (at == end) continue;
    try {
      parse_row<V>(at, end, options, into, made);
    } catch (const std::exception& e) {
      return made.fail(line.number(), e.what());
    }
  }
  made.lines = line.number();
}

}  // namespace stradsap::rt

namespace stradsap::abi {

void count_libsvm(std::string_view text, piece_report& made) {
  const bool has_comments = text.find('#') != std::string_view::npos;
  if (!has_comments) made.values = rt::count_of(text.data(), text.data() + text.size(), ':');
  rt::line_taker line(text);
  while (line.next()) {
    const char* const end = has_comments ? rt::end_of_data(line.begin(), line.end()) : line.end();
    if (rt::skip_blanks(line.begin(), end) == end) continue;
    ++made.rows;
    if (has_comments) made.values += rt::count_of(line.begin(), end, ':');
  }
  made.lines = line.number();
}

template <class V>
void parse_libsvm(std::string_view text, const libsvm_options& options, std::uint64_t values_before,
                  const libsvm_arrays<V>& into, piece_report& made) {
  rt::into_arrays<V> arrays{into, values_before};
  rt::parse_rows<V>(text, options, arrays, made);
  made.expect(into.label.size(), arrays.row);
  made.expect(into.index.size(), arrays.at);
}

template <class V>
void parse_libsvm(std::string_view text, const libsvm_options& options, std::span<libsvm_row<V>> into,
                  piece_report& made) {
  rt::into_rows<V> rows{into};
  rt::parse_rows<V>(text, options, rows, made);
  made.expect(into.size(), rows.row);
}

#define STRADSAP_PARSE_LIBSVM(V)                                                                   \
  template void parse_libsvm<V>(std::string_view, const libsvm_options&, std::uint64_t,            \
                                const libsvm_arrays<V>&, piece_report&);                           \
  template void parse_libsvm<V>(std::string_view, const libsvm_options&, std::span<libsvm_row<V>>, \
                                piece_report&);
STRADSAP_PARSE_LIBSVM(float)
STRADSAP_PARSE_LIBSVM(double)
STRADSAP_PARSE_LIBSVM(std::int32_t)
STRADSAP_PARSE_LIBSVM(std::int64_t)
#undef STRADSAP_PARSE_LIBSVM

}  // namespace stradsap::abi
