#include "driver/original_names.hpp"

#include <filesystem>

#include "driver/temporary_files.hpp"

namespace stradsap::pp {

/// As make wants a blank in a name.
static std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == ' ' || c == '#') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

static void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string restore_dependencies(const std::string& from, const std::string& to,
                                 const original_names& originals) {
  std::error_code absent;
  if (!std::filesystem::is_regular_file(from, absent)) return {};
  std::string text = read_file(from);
  for (const auto& [copy, original] : originals) replace_all(text, escaped(copy), escaped(original));
  replace_all(text, " ./", " ");
  return write_file(to, text);
}

std::string with_original_markers(const std::string& preprocessed, const original_names& originals) {
  std::string text;
  for (std::size_t at = 0; at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size() - 1) + 1;
    std::string line = preprocessed.substr(at, end - at);
    if (line[0] == '#') {
      for (const auto& [copy, original] : originals)
        replace_all(line, '"' + copy + '"', '"' + original + '"');
    }
    text += line;
    at = end;
  }
  return text;
}

}  // namespace stradsap::pp
