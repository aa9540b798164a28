// Text on the driver and on the ranks: opening, cutting, reading pieces, messages.
// Thread rule: see abi/text_files.hpp.
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <stradsap/abi/program.hpp>
#include <stradsap/abi/text_files.hpp>

#include "runtime/text/byte_source.hpp"

namespace stradsap::abi {

using rt::open_file;

// ---- on the driver ----

static std::vector<std::string> names_of(const std::string& pattern) {
  struct stat about{};
  if (::stat(pattern.c_str(), &about) == 0) return {pattern};
  const int reason = errno;
  glob_t found{};
  std::vector<std::string> names;
  if (pattern.find_first_of("*?[") != std::string::npos && ::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (names.empty())
    throw error(errc::bad_input, fmt::format("{}: cannot be read: {}", pattern, std::strerror(reason)));
  return names;
}

namespace {

/// Takes the head off a file, line by line.
class head_taker {
 public:
  head_taker(const is_head_line& is_head, std::size_t number, text_file& file)
      : is_head_(is_head), number_(number), file_(file) {}

  /// The bytes of `text` that belong to the head. `is_all`: the file has no more. Sets needs_more() if the
  /// head may go on beyond the text.
  std::size_t head_of(std::string_view text, bool is_all) {
    needs_more_ = false;
    std::size_t taken = file_.first_line == 1 && text.starts_with("\xef\xbb\xbf") ? 3 : 0;
    while (taken < text.size()) {
      std::size_t end = text.find('\n', taken);
      needs_more_ = end == std::string_view::npos && !is_all;
      if (needs_more_) return taken;
      end = std::min(end, text.size());
      if (!takes(text.substr(taken, end - taken))) return taken;
      ++file_.first_line;
      taken = std::min(end + 1, text.size());
    }
    needs_more_ = !is_all;
    return taken;
  }
  [[nodiscard]] bool needs_more() const { return needs_more_; }

 private:
  bool takes(std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    try {
      return is_head_(number_, line);
    } catch (const std::exception& e) {
      throw error(errc::bad_input, fmt::format("{}:{}: {}", file_.name, file_.first_line, e.what()));
    }
  }

  const is_head_line& is_head_;
  std::size_t number_;
  text_file& file_;
  bool needs_more_ = false;
};

}  // namespace

static constexpr std::uint64_t least_piece = std::uint64_t{1} << 16;
static constexpr std::uint64_t most_piece = std::uint64_t{1} << 21;

/// The pieces of large files are large, for reads in few calls; those of small ones enough for many
/// executors.
static std::uint64_t size_of_pieces(std::uint64_t bytes) {
  return std::clamp((bytes / 256 + 4095) / 4096 * 4096, least_piece, most_piece);
}

/// The bytes of the head.
static std::uint64_t size_of_head(rt::byte_source& contents, head_taker& head) {
  std::string text;
  std::uint64_t size = 0;
  for (std::size_t room = 4096; true; room *= 2) {
    const std::size_t kept = text.size();
    text.resize(kept + room);
    text.resize(kept + contents.read(text.data() + kept, room));
    const std::size_t taken = head.head_of(text, text.size() < kept + room);
    size += taken;
    if (!head.needs_more()) return size;
    text.erase(0, taken);
  }
}

static constexpr std::size_t size_of_held = std::size_t{1} << 20;  // bytes of a piece that the driver reads
static constexpr std::size_t most_held = 8;                        // pieces

/// The pieces of a file that the driver reads. It is named, as are the members of opened_text::state.
class held_pieces {
 public:
  /// Skips the head.
  held_pieces(std::shared_ptr<const open_file> file, std::uint64_t head)
      : file_(std::move(file)), contents_(file_->contents()), line_(head, '\0') {
    (void)contents_->read(line_.data(), head);
    line_.clear();
  }
  /// Some whole lines; none at the end. Throws rt::unreadable, also if the file has changed.
  std::string next() {
    std::string text;
    while (text.empty() && !is_all_) {
      text = std::move(line_);
      const std::size_t kept = text.size();
      text.resize(std::max(size_of_held, 2 * kept));
      const std::size_t filled = kept + contents_->read(text.data() + kept, text.size() - kept);
      is_all_ = filled < text.size();
      text.resize(filled);
      const std::size_t end = is_all_ ? filled : text.rfind('\n') + 1;  // 0 without a line
      line_ = text.substr(end);
      text.resize(end);
    }
    file_->require_unchanged();  // for each piece: a parser of the driver sees no line of a changed file
    return text;
  }

 private:
  std::shared_ptr<const open_file> file_;
  std::unique_ptr<rt::byte_source> contents_;
  std::string line_;  // one that has begun
  bool is_all_ = false;
};

/// Where the text of a file is.
struct text_place {
  std::string path;                       // absolute
  std::shared_ptr<const open_file> pipe;  // null for other files
  bool is_held = false;                   // the driver reads it
  std::uint64_t size = 0;
  std::int64_t changed = 0;
  std::uint64_t head = 0;  // bytes
};

static void require_same(const open_file& opened, std::uint64_t size, std::int64_t changed) {
  if (opened.size() == size && opened.changed() == changed) return;
  if (rank() == 0) throw rt::unreadable("has changed while it was read");
  throw rt::unreadable(fmt::format("rank {} has another file of this name: {} bytes, expected {}", rank(),
                                   opened.size(), size));
}

/// Thread rule: next() of opened_text and the thread of `ahead` take turns.
struct opened_text::state {
  std::vector<text_file> files;
  std::vector<text_place> places;
  std::size_t at = 0;                 // number of the file with the next piece
  std::optional<held_pieces> now;     // of this file
  std::vector<std::size_t> found;     // pieces of each file that the driver reads, in this pass
  std::vector<std::size_t> expected;  // in each pass; empty in the first
  std::future<std::vector<text_piece>> ahead;

  [[nodiscard]] bool is_held() const { return at < places.size() && places[at].is_held; }

  std::vector<text_piece> make() {
    std::vector<text_piece> made;
    while (at < places.size() && made.empty()) {
      const bool held = is_held();
      while (at < places.size() && is_held() == held && (!held || made.size() < most_held))
        held ? add_held(made) : add_cuts(made);
    }
    return made;
  }
  void begin_pass() {
    expected = std::exchange(found, std::vector<std::size_t>(places.size()));
    at = 0;
  }

 private:
  void add_cuts(std::vector<text_piece>& to) {
    const text_place& place = places[at];
    const std::uint64_t size = size_of_pieces(place.size);
    for (std::uint64_t begin = place.head; begin < place.size; begin += size)
      to.push_back({.file = at,
                    .text = {},
                    .path = place.path,
                    .size = place.size,
                    .changed = place.changed,
                    .begin = begin,
                    .end = std::min(begin + size, place.size),
                    .is_first = begin == place.head});
    ++at;
  }
  void add_held(std::vector<text_piece>& to) {
    try {
      if (!now) now.emplace(reopened(), places[at].head);
      std::string text = now->next();
      found[at] += text.empty() ? 0 : 1;
      if (!expected.empty() && (text.empty() ? found[at] != expected[at] : found[at] > expected[at]))
        throw rt::unreadable("has changed while it was read");
      if (!text.empty()) {
        to.emplace_back().file = at;
        to.back().text = std::move(text);
        return;
      }
    } catch (const rt::unreadable& e) {
      throw error(errc::bad_input, fmt::format("{}: {}", files[at].name, e.what()));
    }
    now.reset();
    ++at;
  }
  [[nodiscard]] std::shared_ptr<const open_file> reopened() const {
    const text_place& place = places[at];
    if (place.pipe != nullptr) return place.pipe;
    auto opened = std::make_shared<open_file>(place.path);
    require_same(*opened, place.size, place.changed);
    return opened;
  }
};

opened_text::opened_text() = default;
opened_text::opened_text(std::unique_ptr<state> made) : state_(std::move(made)) {}
opened_text::~opened_text() = default;
opened_text::opened_text(opened_text&& other) noexcept = default;
opened_text& opened_text::operator=(opened_text&& other) noexcept = default;

const std::vector<text_file>& opened_text::files() const { return state_->files; }

std::vector<text_piece> opened_text::next() {
  state& all = *state_;
  std::vector<text_piece> made = all.ahead.valid() ? all.ahead.get() : all.make();
  if (made.empty()) {
    all.begin_pass();
  } else if (all.is_held()) {
    all.ahead = std::async(std::launch::async, &state::make, &all);
  }
  return made;
}

static text_place place_of(const std::string& name, head_taker& head) {
  const auto opened = std::make_shared<const open_file>(name);
  const std::unique_ptr<char, void (*)(void*)> absolute(::realpath(name.c_str(), nullptr), &std::free);
  const bool is_pipe = opened->is_pipe() || absolute == nullptr;  // also a file that was deleted
  return {.path = is_pipe ? name : absolute.get(),
          .pipe = is_pipe ? opened : nullptr,
          .is_held = is_pipe || opened->is_compressed(),
          .size = opened->size(),
          .changed = opened->changed(),
          .head = size_of_head(*opened->contents(), head)};
}

opened_text open_text(const std::string& pattern, const is_head_line& is_head) {
  auto all = std::make_unique<opened_text::state>();
  for (const std::string& name : names_of(pattern)) {
    const std::size_t number = all->files.size();
    text_file& file = all->files.emplace_back(text_file{.name = name});
    try {
      head_taker head(is_head, number, file);
      all->places.push_back(place_of(name, head));
    } catch (const rt::unreadable& e) {
      throw error(errc::bad_input, fmt::format("{}: {}", name, e.what()));
    }
  }
  all->found.resize(all->places.size());
  return opened_text(std::move(all));
}

// ---- on any rank ----

/// The whole lines of a text that begin in its part [1, size); the byte before them is at 0. Empty if none
/// begins there.
static std::string_view lines_from(std::string_view text, std::size_t size) {
  const std::size_t before = text.find('\n');
  return before >= size - 1 ? std::string_view() : text.substr(before + 1);
}

/// Reads `buffer` on until a line ends in or behind its last byte; removes the bytes behind that line.
static void complete_last_line(const open_file& file, std::uint64_t begin, std::string& buffer) {
  for (std::size_t from = buffer.size() - 1, room = 4096; true; room *= 2) {
    const std::size_t before = buffer.size();
    buffer.resize(before + room);
    buffer.resize(before + file.read_at(begin + before, buffer.data() + before, room));
    const std::size_t end = buffer.find('\n', from);
    if (end != std::string::npos) return buffer.resize(end + 1);
    if (buffer.size() - before < room) return;
    from = before;
  }
}

/// The buffer that the thread's last piece left.
static std::string& spare_buffer() {
  static thread_local std::string spare;
  return spare;
}

piece_text::piece_text(const text_piece& piece) {
  if (piece.path.empty()) {
    text_ = piece.text;
    return;
  }
  buffer_ = std::exchange(spare_buffer(), {});
  const open_file opened(piece.path);
  require_same(opened, piece.size, piece.changed);
  const std::uint64_t begin = piece.begin - (piece.is_first ? 0 : 1);
  const std::uint64_t size = piece.end - begin;
  buffer_.resize(size);
  if (opened.read_at(begin, buffer_.data(), size) != size)
    throw rt::unreadable("has changed while it was read");
  if (piece.is_first || !lines_from(buffer_, size).empty()) {
    if (piece.end != piece.size) complete_last_line(opened, begin, buffer_);
    text_ = piece.is_first ? std::string_view(buffer_) : lines_from(buffer_, size);
  }
  opened.require_unchanged();
}

piece_text::~piece_text() { spare_buffer() = std::move(buffer_); }

piece_table sum_of_pieces(const std::vector<text_file>& files, const std::vector<piece_report>& all) {
  piece_table sums{{0}, {0}, {0}};
  std::uint64_t line = 0;
  for (std::size_t p = 0; p < all.size(); ++p) {
    const piece_report& one = all[p];
    const text_file& file = files[one.file];
    if (p == 0 || all[p - 1].file != one.file) line = file.first_line;
    if (!one.message.empty()) {
      const std::string at = one.bad_line == 0 ? "" : fmt::format(":{}", line + one.bad_line - 1);
      throw error(errc::bad_input, fmt::format("{}{}: {}", file.name, at, one.message));
    }
    line += one.lines;
    sums.rows.push_back(sums.rows.back() + one.rows);
    sums.values.push_back(sums.values.back() + one.values);
    sums.most = std::max(sums.most, one.most);
    sums.ends.push_back(static_cast<std::uint64_t>(sums.most + 1));
  }
  return sums;
}

static std::int64_t base_of_executable(const void* address) {
  Dl_info image{};
  if (dladdr(address, &image) == 0) return 0;
  return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(image.dli_fbase));
}
static std::int64_t own_base() { return base_of_executable(reinterpret_cast<const void*>(&own_base)); }

std::int64_t place_of_function(const void* function) {
  const std::int64_t base = base_of_executable(function);
  return base == own_base() ? static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(function)) - base
                            : -1;
}

const void* function_at(std::int64_t place) {
  return reinterpret_cast<const void*>(static_cast<std::intptr_t>(own_base() + place));
}

}  // namespace stradsap::abi
