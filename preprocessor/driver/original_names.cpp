#include "driver/original_names.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "driver/temporary_files.hpp"

namespace stradsap::pp {

/// Escapes a name for make.
static std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == ' ' || c == '#') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

/// The beginning of the word around `at` in a list of dependencies; a blank after a backslash belongs to the
/// word.
static std::size_t word_begin(const std::string& text, std::size_t at) {
  const auto ends_word = [&](std::size_t i) {
    const bool blank = text[i] == ' ' || text[i] == '\n' || text[i] == '\t';
    return blank && (i == 0 || text[i - 1] != '\\' || text[i] == '\n');
  };
  while (at > 0 && !ends_word(at - 1)) --at;
  return at;
}

/// Whether the text before a copy's name ends with a temporary folder of this run or of another.
static bool ends_in_our_folder(std::string_view before) {
  const std::size_t slash = before.rfind('/');
  const std::string_view last = before.substr(slash + 1);  // npos + 1 is 0
  if (temporary_directory::is_name(last)) return true;
  const bool is_number = !last.empty() && last.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number && slash != std::string_view::npos && before.substr(0, slash).ends_with("proc/self/fd");
}

/// Replaces other names of a copy or its inserted text. A compiler cache may name them by another path to the
/// same folder, or by the folder of the cached run.
static void replace_other_names(std::string& text, const std::string& copy) {
  const std::string name = escaped(copy);
  const std::string tail = "/" + escaped(temporary_directory::name_below(copy));
  for (std::size_t at = text.find(tail); at != std::string::npos; at = text.find(tail, at + 1)) {
    const std::size_t begin = word_begin(text, at);
    const std::size_t end = at + tail.size();
    const bool is_whole =
        end == text.size() || std::string_view(" \n\t:\\.").find(text[end]) != std::string::npos;
    if (!is_whole || !ends_in_our_folder(std::string_view(text).substr(begin, at - begin))) continue;
    text.replace(begin, end - begin, name);
    at = begin + name.size() - tail.size();
  }
}

static void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string numbered(const std::string& name, std::size_t i) { return name + "." + std::to_string(i); }

/// The end of the name of an inserted text's file, which begins with its copy's name; `at` if there is no
/// such name.
static std::size_t end_of_numbered(const std::string& text, std::size_t at, const std::string& copy) {
  std::size_t end = at + copy.size();
  if (text.compare(at, copy.size(), copy) != 0 || end >= text.size() || text[end] != '.') return at;
  const std::size_t digits = ++end;
  end = std::min(text.find_first_not_of("0123456789", end), text.size());
  return end == digits ? at : end;
}

/// The beginning of the blanks and continued lines before `at`.
static std::size_t begin_of_blanks(const std::string& text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text.compare(at - 1, 2, "\\\n") == 0 ||
                    (at > 1 && text.compare(at - 2, 2, "\\\n") == 0))) {
    --at;
  }
  return at;
}

/// Removes the files of inserted text: as prerequisites, and as targets of their own (-MP).
static void drop_inserted(std::string& text, const std::string& copy) {
  for (std::size_t at = text.find(copy); at != std::string::npos; at = text.find(copy, at)) {
    const std::size_t end = end_of_numbered(text, at, copy);
    const bool is_target = text.compare(end, 2, ":\n") == 0;
    const std::size_t begin = is_target ? at : begin_of_blanks(text, at);
    if (end == at) {
      at += copy.size();
    } else {
      text.erase(begin, end - begin + (is_target ? 2 : 0));
      at = begin;
    }
  }
}

std::string restore_dependencies(const std::string& from, const std::string& to,
                                 const original_names& originals) {
  std::error_code absent;
  if (!std::filesystem::is_regular_file(from, absent)) return {};
  std::string text = read_file(from);
  for (const auto& [copy, original] : originals) replace_other_names(text, copy);
  for (const auto& [copy, original] : originals) {
    drop_inserted(text, escaped(copy));
    replace_all(text, escaped(copy), escaped(original));
  }
  replace_all(text, " ./", " ");
  return write_file(to, text);
}

static void restore_marker(std::string& line, const std::string& copy, const std::string& original) {
  const std::size_t at = line.find('"' + copy);
  if (at == std::string::npos) return;
  const std::size_t end = std::max(end_of_numbered(line, at + 1, copy), at + 1 + copy.size());
  if (end < line.size() && line[end] == '"') line.replace(at + 1, end - at - 1, original);
}

std::string with_original_markers(const std::string& preprocessed, const original_names& originals) {
  std::string text;
  for (std::size_t at = 0; at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size() - 1) + 1;
    std::string line = preprocessed.substr(at, end - at);
    if (line[0] == '#') {
      for (const auto& [copy, original] : originals) restore_marker(line, copy, original);
    }
    text += line;
    at = end;
  }
  return text;
}

}  // namespace stradsap::pp
