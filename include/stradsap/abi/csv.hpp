// Rows of comma-separated values: options, and the parsers of a piece, without containers.
// Thread rule: values, pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <stradsap/abi/text_files.hpp>

namespace stradsap {

struct csv_options {
  char delimiter = ',';
  bool header = true;                     // the first row of each file has the names of the columns
  std::vector<std::string> columns = {};  // names of the columns to read, in this order; none: all
  std::vector<std::string> missing = {"", "NA", "NaN", "nan", "null"};  // fields without a value
  std::string comment = {};  // lines that begin with it are skipped, after blanks
};

namespace abi {

/// The columns of all files of a reader, as their first rows say. Every rank has it.
struct csv_shape {
  char delimiter = ',';
  std::string comment;
  std::vector<std::string> missing;
  std::vector<std::string> names;     // of all columns of the file
  std::vector<std::int64_t> targets;  // for each of them, its number among those read; -1 if it is not read
  std::vector<std::string> chosen;    // names of those read, in order

  void stradsap_write_(writer& out) const { out(delimiter, comment, missing, names, targets, chosen); }
  void stradsap_read_(reader& in) { in(delimiter, comment, missing, names, targets, chosen); }
};

struct opened_csv {
  opened_text text;
  csv_shape shape;
};
/// Opens files and reads their headers. Throws error(errc::bad_input).
[[nodiscard]] opened_csv open_csv(const std::string& pattern, const csv_options& options);

void count_csv(std::string_view text, char delimiter, const std::string& comment, piece_report& made);

/// Parses rows of numbers. For float, double, std::int32_t and std::int64_t.
template <class V_>
void parse_csv(std::string_view text, const csv_shape& shape, std::span<V_> into, piece_report& made);

/// Receives the fields of a row.
class csv_row_sink {
 public:
  /// Field number `target` of those read. Throws std::exception.
  virtual void set(std::size_t target, std::string_view field, bool is_missing) = 0;
  virtual void end_row() = 0;

 protected:
  ~csv_row_sink() = default;
};
void parse_csv(std::string_view text, const csv_shape& shape, csv_row_sink& into, piece_report& made);

/// The whole field as a number, which is finite. Throws std::exception. For the same types.
template <class V_> [[nodiscard]] V_ number_of_field(const std::string& column, std::string_view field);
/// Throws std::exception: a whole number cannot be missing.
[[__noreturn__]] void refuse_missing(const std::string& column);

}  // namespace abi
}  // namespace stradsap
