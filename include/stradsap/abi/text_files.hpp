// Text files cut into pieces of whole lines, and the reports of the loops over them. Pieces depend on the
// files alone. Thread rule: files are opened on the driver's thread; the rest may run on any thread of any
// rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/serialize.hpp>

namespace stradsap::abi {

/// A number that readers make.
template <class T_>
concept text_number = std::is_same_v<T_, float> || std::is_same_v<T_, double> ||
                      std::is_same_v<T_, std::int32_t> || std::is_same_v<T_, std::int64_t>;

/// A file of a reader, for messages.
struct text_file {
  std::string name;              // as the program gave it
  std::uint64_t first_line = 1;  // number of the first line behind the head
};

/// The lines of one file that begin in some of its bytes. Any rank reads them, or the piece has their text.
struct text_piece {
  std::uint64_t file = 0;  // number
  std::string text;        // if there is no path
  std::string path;        // absolute
  std::uint64_t size = 0;  // of the file, bytes
  std::int64_t changed = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool is_first = false;  // of its file

  void stradsap_write_(writer& out) const { out(file, text, path, size, changed, begin, end, is_first); }
  void stradsap_read_(reader& in) { in(file, text, path, size, changed, begin, end, is_first); }
};

/// The pieces of opened files. The driver reads pipes and compressed files itself, some pieces at a time; a
/// thread of its own decompresses those that follow.
class opened_text {
 public:
  opened_text();
  ~opened_text();
  opened_text(opened_text&& other) noexcept;
  opened_text& operator=(opened_text&& other) noexcept;

  [[nodiscard]] const std::vector<text_file>& files() const;
  /// Some pieces, in order; none at the end, and then the first ones again. Each pass gives the same pieces.
  /// Throws error(errc::bad_input).
  [[nodiscard]] std::vector<text_piece> next();

 private:
  struct state;
  explicit opened_text(std::unique_ptr<state> made);
  std::unique_ptr<state> state_;
  friend opened_text open_text(const std::string& pattern, const class is_head_line& is_head);
};

/// Whether a line belongs to the head of its file. It gets the lines one after the other, until one does not.
class is_head_line {
 public:
  template <class F_>
  is_head_line(const F_& f_)
      : of_(&f_), call_([](const void* of, std::size_t file, std::string_view line) -> bool {
          return (*static_cast<const F_*>(of))(file, line);
        }) {}
  bool operator()(std::size_t file, std::string_view line) const { return call_(of_, file, line); }

 private:
  const void* of_;
  bool (*call_)(const void* of, std::size_t file, std::string_view line);
};

/// Opens the file of this name, or the files that match it as a pattern of glob(3), in sorted order. Throws
/// error(errc::bad_input), with "file:line: " before the message of a std::exception of `is_head`.
[[nodiscard]] opened_text open_text(const std::string& pattern, const is_head_line& is_head);

/// The findings in one piece.
struct piece_report {
  std::uint64_t file = 0;  // number
  std::uint64_t lines = 0;
  std::uint64_t rows = 0;
  std::uint64_t values = 0;
  std::int64_t most = -1;      // greatest column
  std::uint64_t bad_line = 0;  // from 1, in the piece; 0 if the message is on the file
  std::string message;         // empty if all is well

  void fail(std::uint64_t line, std::string text) {
    bad_line = line;
    message = std::move(text);
  }
  /// The second pass must find the number that the first has counted.
  void expect(std::uint64_t counted, std::uint64_t found) {
    if (message.empty() && counted != found) fail(0, "has changed while it was read");
  }
  void stradsap_write_(writer& out) const { out(file, lines, rows, values, most, bad_line, message); }
  void stradsap_read_(reader& in) { in(file, lines, rows, values, most, bad_line, message); }
};

/// The text of a piece: whole lines. Reads of one thread may be within each other.
class piece_text {
 public:
  /// Throws std::exception if the file is not the one that the driver opened.
  explicit piece_text(const text_piece& piece);
  ~piece_text();
  piece_text(const piece_text&) = delete;
  piece_text& operator=(const piece_text&) = delete;
  [[nodiscard]] std::string_view view() const { return text_; }

 private:
  std::string buffer_;
  std::string_view text_;
};

/// Calls `parse(text, report)` with the text of a piece. An exception becomes the report's message.
template <class F_> piece_report report_of_piece(const text_piece& piece, const F_& parse) {
  piece_report made;
  try {
    const piece_text text(piece);
    parse(text.view(), made);
  } catch (const std::exception& e_) {
    made.fail(0, e_.what());
  }
  made.file = piece.file;
  return made;
}

/// Sums over the pieces before each piece; one entry more than pieces.
struct piece_table {
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> ends;  // greatest `most`, plus 1
  std::int64_t most = -1;

  [[nodiscard]] std::uint64_t num_rows() const { return rows.back(); }
  [[nodiscard]] std::uint64_t num_values() const { return values.back(); }
};

/// Throws error(errc::bad_input), "file:line: message", for the first bad line of the files.
[[nodiscard]] piece_table sum_of_pieces(const std::vector<text_file>& files,
                                        const std::vector<piece_report>& all);

// ---- functions of the program, on other ranks ----

/// The place of a function in the executable, which all ranks run; -1 if it is in another file.
[[nodiscard]] std::int64_t place_of_function(const void* function);
[[nodiscard]] const void* function_at(std::int64_t place);

/// The lines of a piece that are neither blank nor comments: calls f(number, line), numbers from 1, until it
/// returns false. Returns the number of lines.
template <class F_> std::uint64_t each_row(std::string_view text, std::string_view comment, const F_& f_) {
  std::uint64_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    if (!comment.empty() && line.substr(first).starts_with(comment)) continue;
    if (!f_(number, line)) break;
  }
  return number;
}

}  // namespace stradsap::abi
