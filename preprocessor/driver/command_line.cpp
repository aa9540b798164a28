#include "driver/command_line.hpp"

#include <algorithm>
#include <sstream>

#include "driver/arguments.hpp"
#include "driver/native_options.hpp"
#include "driver/own_options.hpp"

namespace stradsap::pp {

namespace {

class parser {
 public:
  parser(const std::vector<std::string>& words, const std::string& cxx) : words_(expanded(words)) {
    if (!take_native_compiler()) take_variable(cxx);
  }

  command_line parse() {
    while (at_ < words_.size()) take(words_[at_++]);
    take_options_of_preprocessor();
    check();
    return std::move(line_);
  }

 private:
  /// Takes the native compiler from the first words: `stradsap-cc ccache g++ ...`, as build systems call a
  /// launcher.
  bool take_native_compiler() {
    std::size_t end = 0;
    while (end < words_.size() && is_compiler_launcher(words_[end])) ++end;
    if (end == words_.size() || !is_compiler_name(words_[end])) return false;
    at_ = end + 1;
    line_.native.assign(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(at_));
    return true;
  }

  void take_variable(const std::string& cxx) {
    // A build system configured with CXX=stradsap-cc passes the same CXX on, with a path that may contain
    // blanks.
    static const std::string self = "stradsap-cc";
    const std::size_t named = cxx.find(self + " ") != std::string::npos ? cxx.find(self + " ")
                              : cxx.ends_with(self)                     ? cxx.size() - self.size()
                                                                        : std::string::npos;
    std::istringstream in(named == std::string::npos ? cxx : self + cxx.substr(named + self.size()));
    std::vector<std::string> options;
    for (std::string word; in >> word;) {
      const bool option = !options.empty() || word[0] == '-';
      (option ? options : line_.native).push_back(word);
    }
    if (line_.native.empty() || line_.native.front() == self) line_.native = {"g++"};
    words_.insert(words_.begin(), options.begin(), options.end());
    for (const std::string& option : options) line_.native_options += " " + option;
  }

  void take(const std::string& word) {
    if (word == "-" || word.empty() || word[0] != '-') {
      line_.verbatim.push_back(word);
      return input(word);
    }
    if (take_own_option(word, line_) || line_.warnings.take(word)) return;
    if (const auto meant = likely_meant(word)) {
      return fail("unknown option " + word + ", did you mean " + *meant + "?");
    }
    const std::vector<std::string> spelled = short_spelling(word);
    std::optional<std::string> argument;
    if (spelled.size() == 2) argument = spelled[1];
    if (!argument && takes_next_word(spelled[0])) {
      if (at_ == words_.size())
        return fail(spelled[0] + (spelled[0] == "-o" ? " needs a file name" : " needs an argument"));
      argument = words_[at_++];
    }
    line_.verbatim.push_back(spelled[0]);
    if (argument) line_.verbatim.push_back(*argument);
    option(spelled[0], argument);
  }

  void input(const std::string& word) {
    const bool cxx = language_.empty() ? is_cxx_name(word) : language_ == "c++";
    line_.words.push_back({word, cxx ? word_kind::source : word_kind::other_input, language_});
  }

  void option(const std::string& word, const std::optional<std::string>& argument) {
    if (word == "-x") {
      language_ = *argument == "none" ? "" : *argument;
    } else if (word.starts_with("-x") && word.size() > 2) {
      language_ = word == "-xnone" ? "" : word.substr(2);
    } else if (word == "-o") {
      line_.output = *argument;
    } else if (word.starts_with("-o") && !word.starts_with("-objc")) {
      line_.output = word.substr(2);
    } else {
      note_goal(word);
      note_facts(word, argument);
      keep(word, argument);
    }
  }

  void keep(const std::string& word, const std::optional<std::string>& argument) {
    std::vector<std::string> all{word};
    if (argument) all.push_back(*argument);
    for (const std::string& one : all) line_.words.push_back({one, word_kind::option, {}});
    if (changes_meaning(word)) line_.parse_flags.insert(line_.parse_flags.end(), all.begin(), all.end());
  }

  void note_goal(const std::string& word) {
    if (word == "-c") line_.goal = stage::object;
    if (word == "-S") line_.goal = stage::assembly;
    if (word == "-E") line_.goal = stage::preprocessed;
    if (word == "-M" || word == "-MM") line_.goal = stage::dependencies;
    if (word == "-fsyntax-only") line_.goal = stage::syntax;
  }

  void note_facts(const std::string& word, const std::optional<std::string>& argument) {
    if (word.starts_with("-std=") || word == "-ansi") line_.has_standard = true;
    if (word.starts_with("-frandom-seed=")) line_.has_random_seed = true;
    if (word.starts_with("-g")) line_.has_debug_level = true;
    if (word == "-fdiagnostics-parseable-fixits") line_.prints_fixes = true;
    if (word == "-time" || word == "--time") line_.times = true;
    if (word.starts_with("-dumpdir") || word.starts_with("-dumpbase")) line_.names_dumps = true;
    note_sanitizers(word);
    if (word == "--coverage" || word == "-fprofile-arcs" || word == "-ftest-coverage")
      line_.counts_lines = true;
    if (word == "-P" || (word.starts_with("-d") && word.size() == 3)) line_.prints_no_markers = true;
    if (word == "-MD" || word == "-MMD") line_.writes_dependencies = true;
    if (word.starts_with("-MT") || word.starts_with("-MQ")) line_.names_target = true;
    if (word.starts_with("-MF")) line_.dependency_file = argument.value_or(word.substr(3));
    if (word == "-Xpreprocessor") for_preprocessor_.push_back(*argument);
    if (word.starts_with("-Wp,")) {
      std::istringstream parts(word.substr(4));
      for (std::string part; std::getline(parts, part, ',');) for_preprocessor_.push_back(part);
    }
  }

  void note_sanitizers(const std::string& word) {
    const bool begins = word.starts_with("-fsanitize=");
    if (!begins && !word.starts_with("-fno-sanitize=")) return;
    std::istringstream names(word.substr(word.find('=') + 1));
    for (std::string name; std::getline(names, name, ',');) {
      if (name == "thread" || name == "all") line_.sanitizes_threads = begins;
      if (name == "address" || name == "all") line_.sanitizes_addresses = begins;
    }
  }

  /// Takes the words of -Wp,-DX,-MMD,FILE and of -Xpreprocessor.
  void take_options_of_preprocessor() {
    for (std::size_t i = 0; i < for_preprocessor_.size(); ++i) {
      const std::string& word = for_preprocessor_[i];
      const bool last = i + 1 == for_preprocessor_.size();
      if ((word == "-MD" || word == "-MMD") && !last) {
        line_.more_dependency_files.push_back(for_preprocessor_[++i]);
      } else if (changes_meaning(word)) {
        line_.parse_flags.push_back(word);
        if (takes_next_word(word) && !last) line_.parse_flags.push_back(for_preprocessor_[++i]);
      }
    }
  }

  void check() {
    if (!line_.error.empty()) return;
    if (!line_.warnings.unknown().empty())
      return fail("unknown warning " + line_.warnings.unknown() + ": docs/diagnostics.md names all");
    const bool known =
        !line_.showme || line_.showme->empty() || *line_.showme == "compile" || *line_.showme == "link";
    if (!known)
      return fail("unknown option --showme:" + *line_.showme +
                  " (--showme, --showme:compile, --showme:link)");
    if (line_.help || line_.version || line_.showme) return;
    const bool asks = std::any_of(line_.words.begin(), line_.words.end(),
                                  [](const command_word& word) { return is_question(word.text); });
    if (!line_.has_inputs() && !asks) return fail("no input files");
    if (line_.emit_source && line_.sources().size() != 1)
      return fail("--emit-source takes exactly one C++ source");
    if (line_.output && num_compiled() > 1 && line_.goal != stage::link &&
        line_.goal != stage::dependencies) {
      fail("-o with several sources is possible only when linking");
    }
  }

  std::size_t num_compiled() const {
    return static_cast<std::size_t>(
        std::count_if(line_.words.begin(), line_.words.end(), [](const command_word& word) {
          const bool linked =
              word.text.ends_with(".o") || word.text.ends_with(".a") || word.text.ends_with(".so");
          return word.kind == word_kind::source || (word.kind == word_kind::other_input && !linked);
        }));
  }

  void fail(std::string why) {
    if (line_.error.empty()) line_.error = std::move(why);
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::string language_;
  std::vector<std::string> for_preprocessor_;
  command_line line_;
};

}  // namespace

std::vector<command_word> command_line::sources() const {
  std::vector<command_word> found;
  for (const command_word& word : words) {
    if (word.kind == word_kind::source) found.push_back(word);
  }
  return found;
}

std::vector<command_word> command_line::inputs() const {
  std::vector<command_word> found;
  for (const command_word& word : words) {
    if (word.kind != word_kind::option) found.push_back(word);
  }
  return found;
}

bool command_line::has_inputs() const {
  return std::any_of(words.begin(), words.end(), [](const command_word& word) {
    return word.kind != word_kind::option || word.text.starts_with("-l");
  });
}

bool command_line::reads_header() const {
  return std::any_of(words.begin(), words.end(), [](const command_word& word) {
    const bool header = word.language.empty() ? is_header_name(word.text) : word.language == "c++-header";
    return word.kind == word_kind::other_input && header;
  });
}

command_line parse_command_line(const std::vector<std::string>& words, const std::string& cxx) {
  return parser(words, cxx).parse();
}

}  // namespace stradsap::pp
