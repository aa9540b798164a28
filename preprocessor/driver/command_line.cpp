#include "driver/command_line.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

namespace stradsap::pp {

namespace {

template <std::size_t N> bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

template <std::size_t N>
bool begins_with_one_of(std::string_view word, const std::string_view (&beginnings)[N]) {
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view beginning) { return word.starts_with(beginning); });
}

/// Options whose argument is the next word.
constexpr std::string_view with_argument[] = {
    "-I",       "-D",         "-U",        "-include", "-imacros",     "-isystem",
    "-iquote",  "-idirafter", "-isysroot", "-iprefix", "-iwithprefix", "-iwithprefixbefore",
    "-L",       "-l",         "-T",        "-u",       "-z",           "-e",
    "-G",       "-A",         "-B",        "-Xlinker", "-Xassembler",  "-Xpreprocessor",
    "-arch",    "--param",    "-aux-info", "-wrapper", "-dumpbase",    "-dumpbase-ext",
    "-dumpdir", "-MF",        "-MT",       "-MQ",      "-x",           "--sysroot",
    "-specs"};

/// What the analysis has to know: whatever changes the meaning of the source. All else is the native
/// compiler's.
constexpr std::string_view parsed_with_argument[] = {
    "-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot", "--sysroot"};
constexpr std::string_view parsed_beginnings[] = {
    "-I",      "-D",      "-U",     "-isystem", "-iquote", "-idirafter", "-std=", "--sysroot=",
    "-march=", "-mtune=", "-mcpu=", "-mavx",    "-msse",   "-mfma",      "-mbmi", "-mf16c"};
constexpr std::string_view parsed_words[] = {"-fexceptions",
                                             "-fno-exceptions",
                                             "-frtti",
                                             "-fno-rtti",
                                             "-fopenmp",
                                             "-pthread",
                                             "-fsigned-char",
                                             "-funsigned-char",
                                             "-fshort-enums",
                                             "-fchar8_t",
                                             "-fno-char8_t",
                                             "-ffast-math",
                                             "-fpic",
                                             "-fPIC",
                                             "-fpie",
                                             "-fPIE",
                                             "-fno-access-control",
                                             "-nostdinc",
                                             "-nostdinc++",
                                             "-ansi",
                                             "-m32",
                                             "-m64",
                                             "-fno-operator-names",
                                             "-fms-extensions",
                                             "-fpermissive",
                                             "-mpopcnt",
                                             "-maes"};

bool is_cxx_name(std::string_view name) {
  static constexpr std::string_view endings[] = {".cpp", ".cc", ".cxx", ".C", ".c++", ".CPP", ".cp"};
  return std::any_of(std::begin(endings), std::end(endings),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

/// Words of an @file: separated by blanks, quotes and backslashes as in g++.
std::vector<std::string> words_of_file(std::istream& in) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (char c = 0; in.get(c);) {
    if (c == '\\') {
      if (in.get(c)) word += c;
      open = true;
    } else if (quote != 0) {
      c == quote ? void(quote = 0) : word.push_back(c);
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (open) words.push_back(std::move(word));
      word.clear();
      open = false;
    } else {
      word += c;
      open = true;
    }
  }
  if (open) words.push_back(std::move(word));
  return words;
}

void expand(const std::string& word, std::vector<std::string>& words, int depth) {
  std::ifstream in;
  if (word.size() > 1 && word[0] == '@' && depth < 16) in.open(word.substr(1));
  if (!in.is_open()) {
    words.push_back(word);
    return;
  }
  for (const std::string& inner : words_of_file(in)) expand(inner, words, depth + 1);
}

class parser {
 public:
  explicit parser(const std::vector<std::string>& words) {
    for (const std::string& word : words) expand(word, words_, 0);
  }

  command_line parse() {
    while (at_ < words_.size()) {
      const std::string word = words_[at_++];
      if (word == "-" || word.empty() || word[0] != '-') {
        input(word);
      } else if (!own_option(word)) {
        option(word);
      }
    }
    check();
    return std::move(line_);
  }

 private:
  void input(const std::string& word) {
    const bool cxx = language_.empty() ? is_cxx_name(word) : language_ == "c++";
    line_.words.push_back({word, cxx && word != "-" ? word_kind::source : word_kind::other_input});
  }

  bool own_option(const std::string& word) {
    if (word == "--emit-source") return line_.emit_source = true;
    if (word == "--show-rewrite") return line_.show_rewrite = true;
    if (word == "--dry-run") return line_.dry_run = true;
    if (word == "--help") return line_.help = true;
    if (word == "--version") return line_.version = true;
    if (word == "--save-temps") {
      line_.save_temps = ".";
      return true;
    }
    if (word.starts_with("--save-temps=")) {
      line_.save_temps = word.substr(13);
      return true;
    }
    if (word != "--showme" && !word.starts_with("--showme:")) return false;
    line_.showme = word == "--showme" ? "" : word.substr(9);
    return true;
  }

  void option(const std::string& word) {
    if (word == "-o") {
      if (at_ == words_.size()) return fail("-o needs a file name");
      line_.output = words_[at_++];
      return;
    }
    if (word.starts_with("-o") && word.size() > 2 && !word.starts_with("-objc")) {
      line_.output = word.substr(2);
      return;
    }
    note_goal(word);
    note_facts(word);
    line_.words.push_back({word, word_kind::option});
    const bool parsed_word = is_one_of(word, parsed_words);
    if (is_one_of(word, with_argument)) {
      if (at_ == words_.size()) return fail(word + " needs an argument");
      const std::string argument = words_[at_++];
      line_.words.push_back({argument, word_kind::option});
      if (is_one_of(word, parsed_with_argument))
        line_.parse_flags.insert(line_.parse_flags.end(), {word, argument});
      if (word == "-x") language_ = argument == "none" ? "" : argument;
      if (word == "-MF") line_.dependency_file = argument;
    } else if (parsed_word || begins_with_one_of(word, parsed_beginnings)) {
      line_.parse_flags.push_back(word);
    }
  }

  void note_goal(const std::string& word) {
    if (word == "-c") line_.goal = stage::object;
    if (word == "-S") line_.goal = stage::assembly;
    if (word == "-E") line_.goal = stage::preprocessed;
    if (word == "-M" || word == "-MM") line_.goal = stage::dependencies;
    if (word == "-fsyntax-only") line_.goal = stage::syntax;
  }

  void note_facts(const std::string& word) {
    if (word.starts_with("-std=") || word == "-ansi") line_.has_standard = true;
    if (word.starts_with("-frandom-seed=")) line_.has_random_seed = true;
    if (word == "-MD" || word == "-MMD") line_.writes_dependencies = true;
    if (word == "-MT" || word == "-MQ") line_.names_target = true;
    if (word.starts_with("-MF") && word.size() > 3) line_.dependency_file = word.substr(3);
  }

  void check() {
    if (!line_.error.empty()) return;
    const bool known =
        !line_.showme || line_.showme->empty() || *line_.showme == "compile" || *line_.showme == "link";
    if (!known)
      return fail("unknown option --showme:" + *line_.showme +
                  " (--showme, --showme:compile, --showme:link)");
    if (line_.help || line_.version || line_.showme) return;
    const bool asks = std::any_of(line_.words.begin(), line_.words.end(), [](const command_word& word) {
      return word.text == "-v" || word.text == "-###" || word.text.starts_with("-print-") ||
             word.text.starts_with("-dump") || word.text.starts_with("--print-") ||
             word.text.starts_with("--help=");
    });
    if (!line_.has_inputs() && !asks) return fail("no input files");
    const std::size_t num_sources = line_.sources().size();
    if (line_.emit_source && num_sources != 1) return fail("--emit-source takes exactly one C++ source");
    if (line_.output && num_sources > 1 && line_.goal != stage::link) {
      fail("-o with several sources is possible only when linking");
    }
  }

  void fail(std::string why) {
    if (line_.error.empty()) line_.error = std::move(why);
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::string language_;
  command_line line_;
};

}  // namespace

std::vector<std::string> command_line::sources() const {
  std::vector<std::string> found;
  for (const command_word& word : words) {
    if (word.kind == word_kind::source) found.push_back(word.text);
  }
  return found;
}

bool command_line::has_inputs() const {
  return std::any_of(words.begin(), words.end(), [](const command_word& word) {
    return word.kind != word_kind::option || word.text.starts_with("-l");
  });
}

command_line parse_command_line(const std::vector<std::string>& words) { return parser(words).parse(); }

}  // namespace stradsap::pp
