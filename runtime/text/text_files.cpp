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
#include <memory>

#include <fmt/format.h>
#include <stradsap/abi/program.hpp>
#include <stradsap/abi/text_files.hpp>

#include "runtime/text/byte_source.hpp"

namespace stradsap::abi {

using rt::open_file;

void text_files::stradsap_write_(writer& out) const {
  out(static_cast<std::uint64_t>(files.size()), static_cast<std::uint64_t>(cuts.size()));
  for (const file& f : files) out(f.name, f.path, f.size, f.changed, f.first_line);
  for (const cut& c : cuts) out(c.file, c.begin, c.end);
}

void text_files::stradsap_read_(reader& in) {
  constexpr std::size_t least = 3 * sizeof(std::uint64_t);
  files.resize(in.count(least));
  cuts.resize(in.count(least));
  for (file& f : files) in(f.name, f.path, f.size, f.changed, f.first_line);
  for (cut& c : cuts) in(c.file, c.begin, c.end);
}

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
  head_taker(const is_head_line& is_head, std::size_t number, text_files::file& file)
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
  text_files::file& file_;
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

/// The offset of the first byte behind the head.
static std::uint64_t end_of_head(const open_file& file, head_taker& head) {
  std::string text;
  std::uint64_t offset = 0;
  for (std::size_t room = 4096; true; room *= 2) {
    text.resize(room);
    text.resize(file.read_at(offset, text.data(), room));
    const std::size_t taken = head.head_of(text, text.size() < room);
    offset += taken;
    if (!head.needs_more()) return offset;
    if (taken != 0) room = 2048;
  }
}

static void cut(opened_text& all, std::size_t number, std::uint64_t begin) {
  const std::uint64_t end = all.files.files[number].size;
  for (const std::uint64_t size = size_of_pieces(end); begin < end; begin += size) {
    all.files.cuts.push_back({number, begin, std::min(begin + size, end)});
    all.held.emplace_back();
  }
}

/// Reads the source whole, in pieces of whole lines.
static void hold(opened_text& all, std::size_t number, rt::byte_source& source, head_taker& head) {
  std::string rest;  // a line that has begun
  bool in_head = true;
  for (bool is_all = false; !is_all;) {
    std::string text = std::move(rest);
    std::size_t filled = text.size();
    text.resize(std::max(most_piece >> 1, 2 * filled));
    filled += source.read(text.data() + filled, text.size() - filled);
    is_all = filled < text.size();
    text.resize(filled);
    if (in_head) {
      text.erase(0, head.head_of(text, is_all));
      in_head = head.needs_more() && !is_all;
    }
    const std::size_t end = in_head ? 0 : is_all ? text.size() : text.rfind('\n') + 1;  // 0 without a line
    rest = text.substr(end);
    text.resize(end);
    if (text.empty()) continue;
    all.files.cuts.push_back({number, 0, 0});
    all.held.push_back(std::move(text));
  }
}

static void open_one(opened_text& all, const std::string& name, const is_head_line& is_head) {
  const std::size_t number = all.files.files.size();
  text_files::file& file = all.files.files.emplace_back();
  file.name = name;
  try {
    const open_file opened(name);
    head_taker head(is_head, number, file);
    if (const auto source = opened.stream()) return hold(all, number, *source, head);
    file.size = opened.size();
    file.changed = opened.changed();
    const std::unique_ptr<char, void (*)(void*)> absolute(::realpath(name.c_str(), nullptr), &std::free);
    file.path = absolute == nullptr ? name : absolute.get();
    cut(all, number, end_of_head(opened, head));
  } catch (const rt::unreadable& e) {
    throw error(errc::bad_input, fmt::format("{}: {}", name, e.what()));
  }
}

opened_text open_text(const std::string& pattern, const is_head_line& is_head) {
  opened_text all;
  for (const std::string& name : names_of(pattern)) open_one(all, name, is_head);
  return all;
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

static void require_same(const open_file& opened, const text_files::file& file) {
  if (opened.size() == file.size && opened.changed() == file.changed) return;
  if (rank() == 0) throw rt::unreadable("has changed while it was read");
  throw rt::unreadable(fmt::format("rank {} has another file of this name: {} bytes, expected {}", rank(),
                                   opened.size(), file.size));
}

std::string_view text_of_piece(const text_files& files, std::int64_t p, const std::string& held) {
  const text_files::cut& cut = files.cuts[static_cast<std::size_t>(p)];
  const text_files::file& file = files.files[cut.file];
  if (file.path.empty()) return held;
  static thread_local std::string buffer;
  const open_file opened(file.path);
  require_same(opened, file);
  const bool is_first = p == 0 || files.cuts[static_cast<std::size_t>(p) - 1].file != cut.file;
  const std::uint64_t begin = cut.begin - (is_first ? 0 : 1);
  const std::uint64_t size = cut.end - begin;
  buffer.resize(size);
  if (opened.read_at(begin, buffer.data(), size) != size)
    throw rt::unreadable("has changed while it was read");
  if (!is_first && lines_from(buffer, size).empty()) return {};
  if (cut.end != file.size) complete_last_line(opened, begin, buffer);
  return is_first ? std::string_view(buffer) : lines_from(buffer, size);
}

piece_table sum_of_pieces(const text_files& files, const std::vector<piece_report>& all) {
  piece_table sums{{0}, {0}, {0}};
  std::uint64_t line = 0;
  for (std::size_t p = 0; p < all.size(); ++p) {
    const std::uint64_t number = files.cuts[p].file;
    const text_files::file& file = files.files[number];
    if (p == 0 || files.cuts[p - 1].file != number) line = file.first_line;
    const piece_report& one = all[p];
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
