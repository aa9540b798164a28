#include "driver/own_options.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace stradsap::pp {

const char* const help_text = R"(usage: stradsap-cc [COMPILER] [any g++ option] files...

Compiles C++ whose loops run on many processes: checks and rewrites each source, then runs the native compiler:
COMPILER, else $CXX, else g++. -std=c++20 is added where no -std= is given.

  --emit-source        write the rewritten source (to -o, else NAME.sap.cpp) and compile nothing;
                       compile it with: g++ $(stradsap-cc --showme:compile) X.sap.cpp $(stradsap-cc --showme:link)
  --check              check build: every access is compared with what was planned
  --strict             stradsap-cc's own warnings are errors
  --explain            say of each loop what it touches and where its parallelism comes from
  --show-rewrite       print what would be inserted, with its place, and compile nothing
  --save-temps[=DIR]   keep the rewritten files, as NAME.sap.cpp in DIR (default: here)
  --dry-run            print the commands that do the same by hand and run none of them
  --showme[:compile|:link]   print the native compiler and what is added to its command line
  -time                print the seconds that reading and every native process take
  --version, --help

Errors of the form [SAP012] are stradsap-cc's own; all others are the native compiler's.
Exit status: 0; 1 if a source was refused or the native compiler failed; 2 for a wrong command line.
)";

namespace {

struct own_option {
  std::string_view name;
  void (*store)(command_line& line, const std::string& value);  // gets the text behind the separator
  char separator = 0;                                           // 0: takes no value
};

constexpr own_option own_options[] = {
    {"--emit-source", [](command_line& line, const std::string&) { line.emit_source = true; }},
    {"--show-rewrite", [](command_line& line, const std::string&) { line.show_rewrite = true; }},
    {"--dry-run", [](command_line& line, const std::string&) { line.dry_run = true; }},
    {"--check", [](command_line& line, const std::string&) { line.check = true; }},
    {"--strict", [](command_line& line, const std::string&) { line.warnings.take("-Werror=stradsap"); }},
    {"--explain", [](command_line& line, const std::string&) { line.explain = true; }},
    {"--help", [](command_line& line, const std::string&) { line.help = true; }},
    {"--version", [](command_line& line, const std::string&) { line.version = true; }},
    {"--showme", [](command_line& line, const std::string& part) { line.showme = part; }, ':'},
    {"--save-temps",
     [](command_line& line, const std::string& folder) { line.save_temps = folder.empty() ? "." : folder; },
     '='}};

/// The number of letters to insert, remove or replace.
std::size_t distance(std::string_view one, std::string_view two) {
  std::vector<std::size_t> row(two.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < two.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == two[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

bool take_own_option(const std::string& word, command_line& line) {
  for (const own_option& option : own_options) {
    if (!word.starts_with(option.name)) continue;
    const std::string rest = word.substr(option.name.size());
    if (!rest.empty() && (option.separator == 0 || rest[0] != option.separator)) continue;
    option.store(line, rest.empty() ? rest : rest.substr(1));
    return true;
  }
  return false;
}

std::optional<std::string> likely_meant(const std::string& word) {
  if (!word.starts_with("--")) return std::nullopt;
  const std::string_view name = std::string_view(word).substr(0, word.find_first_of(":="));
  std::size_t least = 3;  // up to two wrong letters count as a typing error
  std::optional<std::string> best;
  for (const own_option& option : own_options) {
    const std::size_t letters = distance(name, option.name);
    if (letters == 0 || letters >= least) continue;
    least = letters;
    best = std::string(option.name);
  }
  return best;
}

}  // namespace stradsap::pp
