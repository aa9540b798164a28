#include "driver/dependency_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "driver/temporary_directory.hpp"

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

void restore_names(const std::string& dependency_file, const std::map<std::string, std::string>& originals) {
  std::error_code absent;
  if (!std::filesystem::is_regular_file(dependency_file, absent)) return;
  std::ifstream in(dependency_file, std::ios::binary);
  std::ostringstream buffer;
  buffer << in.rdbuf();
  std::string text = buffer.str();
  for (const auto& [temporary, original] : originals)
    replace_all(text, escaped(temporary), escaped(original));
  replace_all(text, " ./", " ");
  (void)write_file(dependency_file, text);
}

}  // namespace stradsap::pp
