#include "rewrite/separation.hpp"

#include <algorithm>
#include <regex>

#include "rewrite/insertions.hpp"

namespace stradsap::pp {

std::string line_directive(unsigned line, const std::string& file) {
  const bool here = file.starts_with("./");  // Clang says "./x.hpp" where gcc says "x.hpp"
  return "#line " + std::to_string(line) + " " + quoted(here ? file.substr(2) : file) + "\n";
}

unsigned line_at(const std::string& text, unsigned offset) {
  return 1 + static_cast<unsigned>(std::count(text.begin(), text.begin() + offset, '\n'));
}

static bool has_line_directives(const std::string& text) {
  static const std::regex directive("(^|\\n)[ \\t]*#[ \\t]*(line\\b|[0-9])");
  return text.find('#') != std::string::npos && std::regex_search(text, directive);
}

/// Blanks as wide as the text before an offset on its line; tabs stay.
static std::string indent(const std::string& text, unsigned offset) {
  const std::size_t begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;  // npos + 1 is 0
  std::string blanks = text.substr(begin, offset - begin);
  std::replace_if(blanks.begin(), blanks.end(), [](char c) { return c != '\t'; }, ' ');
  return blanks;
}

static bool is_in_arguments(const translation_unit& unit, const std::string& file, unsigned offset) {
  const auto of_file = unit.invocations.find(file);
  return of_file != unit.invocations.end() &&
         std::any_of(of_file->second.begin(), of_file->second.end(), [&](const auto& invocation) {
           return invocation.first < offset && offset <= invocation.second;
         });
}

std::vector<edit> separated(const translation_unit& unit, const std::string& file, std::vector<edit> edits,
                            const std::string& placed, std::vector<std::string>& apart) {
  const std::string& text = unit.texts.at(file);
  if (has_line_directives(text)) return edits;
  for (edit& one : edits) {
    if (is_in_arguments(unit, file, one.offset)) continue;
    const std::string here = line_directive(line_at(text, one.offset), file);
    for (auto part = one.inserted.rbegin(); part != one.inserted.rend(); ++part) {
      const auto [begin, end] = *part;
      const std::string name = placed + "." + std::to_string(apart.size());
      apart.push_back("#pragma GCC system_header\n" + here + one.text.substr(begin, end - begin) + "\n");
      one.text.replace(begin, end - begin,
                       "\n#include " + quoted(name) + "\n" + here + indent(text, one.offset));
    }
  }
  return edits;
}

}  // namespace stradsap::pp
