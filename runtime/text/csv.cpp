// Rows of comma-separated values. A quoted field ends on its line. Thread rule: pure functions.
#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <stradsap/abi/csv.hpp>

#include "runtime/text/fields.hpp"

namespace stradsap::rt {

namespace {

/// Takes the fields off a line.
class field_taker {
 public:
  field_taker(const char* at, const char* end, char delimiter) : at_(at), end_(end), delimiter_(delimiter) {}

  /// Whether there is another field: the first call, and after each delimiter.
  [[nodiscard]] bool has_next() const { return has_next_; }
  /// The next field, without its quotes and the blanks around it. Valid until the next call.
  std::string_view next() {
    skip_spaces();
    if (at_ != end_ && *at_ == '"') return next_quoted();
    const char* const first = at_;
    const auto* found =
        static_cast<const char*>(std::memchr(at_, delimiter_, static_cast<std::size_t>(end_ - at_)));
    const char* last = found == nullptr ? end_ : found;
    at_ = last;
    step_over_delimiter();
    while (last != first && is_space(last[-1])) --last;
    return {first, static_cast<std::size_t>(last - first)};
  }
  /// Takes the next field if it is a plain number.
  template <class V> bool take_number(V& value) {
    skip_spaces();
    number_fault fault = number_fault::none;
    const char* stop = parse_number(at_, end_, value, fault);
    while (stop != end_ && is_space(*stop)) ++stop;
    if (fault != number_fault::none || (stop != end_ && *stop != delimiter_)) return false;
    if constexpr (std::is_floating_point_v<V>) {
      if (!std::isfinite(value)) return false;
    }
    at_ = stop;
    step_over_delimiter();
    return true;
  }

 private:
  [[nodiscard]] bool is_space(char c) const { return is_blank(c) && c != delimiter_; }
  void skip_spaces() {
    while (at_ != end_ && is_space(*at_)) ++at_;
  }
  void step_over_delimiter() {
    has_next_ = at_ != end_;
    if (has_next_) ++at_;
  }
  std::string_view next_quoted() {
    unquoted_.clear();
    for (++at_; true; ++at_) {
      if (at_ == end_) throw std::runtime_error("a quoted field does not end on its line");
      if (*at_ == '"' && (++at_ == end_ || *at_ != '"')) break;
      unquoted_ += *at_;
    }
    skip_spaces();
    if (at_ != end_ && *at_ != delimiter_)
      throw std::runtime_error(fmt::format("{} follows a quoted field", quoted(at_, at_ + 1)));
    step_over_delimiter();
    return unquoted_;
  }

  const char* at_;
  const char* end_;
  char delimiter_;
  bool has_next_ = true;
  std::string unquoted_;
};

/// As -999 for a missing number.
bool looks_like_number(const std::string& text) {
  return text.find_first_of("0123456789") != std::string::npos;
}

/// Numbers of a row into an array.
template <class V> struct number_row {
  const abi::csv_shape& shape;
  std::span<V> into;
  std::size_t row = 0;
  bool is_slow = std::any_of(shape.missing.begin(), shape.missing.end(), looks_like_number);

  void take(field_taker& fields, std::size_t target) {
    V value{};
    if (is_slow || !fields.take_number(value)) value = slow(fields.next(), target);
    const std::size_t at = row * shape.chosen.size() + target;
    if (at < into.size()) into[at] = value;
  }
  void end_row() { ++row; }

 private:
  [[nodiscard]] V slow(std::string_view field, std::size_t target) const {
    const std::string& name = shape.chosen[target];
    if (std::find(shape.missing.begin(), shape.missing.end(), field) == shape.missing.end()) {
      if (is_text(field) && shape.chosen.size() > 1) refuse_text(name, field);
      return abi::number_of_field<V>(name, field);
    }
    if constexpr (!std::is_floating_point_v<V>) abi::refuse_missing(name);
    return std::numeric_limits<V>::quiet_NaN();
  }
  static bool is_text(std::string_view field) {
    V value{};
    number_fault fault = number_fault::none;
    (void)parse_number(field.data(), field.data() + field.size(), value, fault);
    return fault == number_fault::no_number;
  }
  [[noreturn]] static void refuse_text(const std::string& name, std::string_view field) {
    constexpr bool is_real = std::is_floating_point_v<V>;
    throw std::runtime_error(fmt::format(
        "column '{}' is not a {} number: {}; .columns can leave it out{}", name, is_real ? "finite" : "whole",
        quoted(field.data(), field.data() + field.size()), is_real ? ", .missing can make it NaN" : ""));
  }
};

/// Fields of a row, to the program's types.
struct field_row {
  const abi::csv_shape& shape;
  abi::csv_row_sink& into;

  void take(field_taker& fields, std::size_t target) {
    const std::string_view field = fields.next();
    const bool is_missing =
        std::find(shape.missing.begin(), shape.missing.end(), field) != shape.missing.end();
    into.set(target, field, is_missing);
  }
  void end_row() { into.end_row(); }
};

}  // namespace

template <class Row> static void parse_line(const line_taker& line, const abi::csv_shape& shape, Row& row) {
  field_taker fields(line.begin(), line.end(), shape.delimiter);
  const std::size_t expected = shape.targets.size();
  std::size_t found = 0;
  for (; fields.has_next() && found < expected; ++found) {
    const std::int64_t target = shape.targets[found];
    target < 0 ? void(fields.next()) : row.take(fields, static_cast<std::size_t>(target));
  }
  for (; fields.has_next(); ++found) (void)fields.next();
  if (found != expected) throw std::runtime_error(fmt::format("{} fields, expected {}", found, expected));
  row.end_row();
}

/// A question about the delimiter, if the line of a file with one column has another.
static std::string question_about(const line_taker& line, const abi::csv_shape& shape) {
  const std::string_view text(line.begin(), static_cast<std::size_t>(line.end() - line.begin()));
  if (shape.names.size() != 1) return {};
  for (const char other : {';', '\t', ',', '|'}) {
    if (other == shape.delimiter || text.find(other) == std::string_view::npos) continue;
    return fmt::format("; is the delimiter '{}'?", other == '\t' ? "\\t" : std::string(1, other));
  }
  return {};
}

/// Whether the line has a row. Delimiters are no blanks.
static bool is_row(const line_taker& line, char delimiter, const std::string& comment) {
  const char* at = line.begin();
  while (at != line.end() && is_blank(*at) && *at != delimiter) ++at;
  if (at == line.end()) return false;
  return comment.empty() ||
         !std::string_view(at, static_cast<std::size_t>(line.end() - at)).starts_with(comment);
}

template <class Row>
static void parse_lines(std::string_view text, const abi::csv_shape& shape, Row& row,
                        abi::piece_report& made) {
  line_taker line(text);
  while (line.next()) {
    if (!is_row(line, shape.delimiter, shape.comment)) continue;
    try {
      parse_line(line, shape, row);
    } catch (const std::exception& e) {
      return made.fail(line.number(), e.what() + question_about(line, shape));
    }
  }
  made.lines = line.number();
}

namespace {

/// Reads the first row of each file.
class csv_head {
 public:
  csv_head(const csv_options& options, abi::csv_shape& shape) : options_(options), shape_(shape) {}

  bool operator()(std::size_t file, std::string_view text) {
    line_taker line(text);
    if (file < num_files_) return false;
    if (!line.next() || !is_row(line, options_.delimiter, options_.comment)) return true;
    num_files_ = file + 1;
    std::vector<std::string> names = fields_of(line);
    if (shape_.names.empty()) {
      shape_.names = std::move(names);
      choose(line);
    } else if (options_.header && names != shape_.names) {
      throw std::runtime_error("the header is not that of the first file");
    }
    return options_.header;
  }
  /// The number of files with a row at their head.
  [[nodiscard]] std::size_t num_files() const { return num_files_; }

 private:
  [[nodiscard]] std::vector<std::string> fields_of(const line_taker& line) const {
    field_taker fields(line.begin(), line.end(), options_.delimiter);
    std::vector<std::string> names;
    while (fields.has_next()) {
      const std::string_view field = fields.next();
      names.push_back(options_.header ? std::string(field) : std::to_string(names.size()));
    }
    return names;
  }
  /// A file without a header would lose its first row without a word.
  void refuse_numbers_for_names() const {
    if (!options_.header || !std::all_of(shape_.names.begin(), shape_.names.end(), is_number)) return;
    throw std::runtime_error(
        "all names in the header are numbers: set .header = false if there is no header, else name the "
        "columns in .columns");
  }
  static bool is_number(const std::string& name) {
    double value = 0;
    number_fault fault = number_fault::none;
    return !name.empty() &&
           parse_number(name.data(), name.data() + name.size(), value, fault) == name.data() + name.size() &&
           fault == number_fault::none;
  }
  void choose(const line_taker& line) {
    shape_.chosen = options_.columns.empty() ? shape_.names : options_.columns;
    shape_.targets.assign(shape_.names.size(), -1);
    std::int64_t target = 0;
    if (options_.columns.empty()) {
      refuse_numbers_for_names();
      for (std::int64_t& one : shape_.targets) one = target++;
      return;
    }
    for (const std::string& name : shape_.chosen) {
      const auto found = std::find(shape_.names.begin(), shape_.names.end(), name);
      if (found == shape_.names.end())
        throw std::runtime_error(
            fmt::format("there is no column '{}'{}", name, question_about(line, shape_)));
      std::int64_t& one = shape_.targets[static_cast<std::size_t>(found - shape_.names.begin())];
      const bool is_double = std::find(found + 1, shape_.names.end(), name) != shape_.names.end();
      if (is_double || one != -1) throw std::runtime_error(fmt::format("column '{}' is there twice", name));
      one = target++;
    }
  }

  const csv_options& options_;
  abi::csv_shape& shape_;
  std::size_t num_files_ = 0;
};

}  // namespace

}  // namespace stradsap::rt

namespace stradsap::abi {

opened_csv open_csv(const std::string& pattern, const csv_options& options) {
  opened_csv all;
  all.shape.delimiter = options.delimiter;
  all.shape.comment = options.comment;
  all.shape.missing = options.missing;
  rt::csv_head head(options, all.shape);
  all.text = open_text(pattern, [&](std::size_t file, std::string_view line) { return head(file, line); });
  const std::vector<text_file>& files = all.text.files();
  if (options.header && head.num_files() < files.size())
    throw error(errc::bad_input, files[head.num_files()].name + ": has no header line");
  return all;
}

void count_csv(std::string_view text, char delimiter, const std::string& comment, piece_report& made) {
  rt::line_taker line(text);
  while (line.next()) made.rows += rt::is_row(line, delimiter, comment) ? 1 : 0;
  made.lines = line.number();
}

template <class V>
void parse_csv(std::string_view text, const csv_shape& shape, std::span<V> into, piece_report& made) {
  rt::number_row<V> row{shape, into};
  rt::parse_lines(text, shape, row, made);
  made.expect(into.size(), row.row * shape.chosen.size());
}

void parse_csv(std::string_view text, const csv_shape& shape, csv_row_sink& into, piece_report& made) {
  rt::field_row row{shape, into};
  rt::parse_lines(text, shape, row, made);
}

template <class V> V number_of_field(const std::string& column, std::string_view field) {
  return rt::number_in<V>(fmt::format("column '{}'", column).c_str(), field.data(),
                          field.data() + field.size());
}

void refuse_missing(const std::string& column) {
  throw std::runtime_error(fmt::format("column '{}' has no value: whole numbers cannot be missing", column));
}

#define STRADSAP_PARSE_CSV(V)                                                                  \
  template void parse_csv<V>(std::string_view, const csv_shape&, std::span<V>, piece_report&); \
  template V number_of_field<V>(const std::string&, std::string_view);
STRADSAP_PARSE_CSV(float)
STRADSAP_PARSE_CSV(double)
STRADSAP_PARSE_CSV(std::int32_t)
STRADSAP_PARSE_CSV(std::int64_t)
#undef STRADSAP_PARSE_CSV

}  // namespace stradsap::abi
