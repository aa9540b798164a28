#include "driver/native_commands.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include "driver/native_options.hpp"

namespace stradsap::pp {

namespace fs = std::filesystem;

static void append(command& words, const command& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::string spelled(const command& command) {
  std::string text;
  for (const std::string& word : command) {
    const bool plain = word.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                           "-_=+./,:@%") == std::string::npos;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += (text.empty() ? "" : " ") + (plain && !word.empty() ? word : quoted + "'");
  }
  return text;
}

// The bodies of loops are fused where the rest of the text is not.
static constexpr char fuses_bodies[] = "-DSTRADSAP_FUSES_BODIES";

// All copies of a body are fused in the same places.
static constexpr char fuses_alike_everywhere[] = "-DSTRADSAP_FUSES_ALIKE";

// Roots and other functions of <cmath> can be packed if they need not set errno. No result changes.
static constexpr char ignores_math_errors[] = "-fno-math-errno";

static bool has_forced_header(const command_line& line) {
  return std::any_of(line.words.begin(), line.words.end(),
                     [](const command_word& word) { return word.text == "-include"; });
}

/// The copy of a file; empty if it has none.
static std::string copy_of(const std::string& file, const original_names& originals) {
  for (const auto& [copy, original] : originals) {
    std::error_code absent;
    if (fs::equivalent(original, file, absent)) return copy;
  }
  return {};
}

/// The input, inside a pair of -x if its name does not determine its language.
static command named_input(const std::string& file, const std::string& language) {
  if (language.empty()) return {file};
  return {"-x", language, file, "-x", "none"};
}

command native_commands::untouched() const {
  command words = tools_.native;
  const bool reads_cxx = !line_.sources().empty() || line_.reads_header();
  if (reads_cxx && !line_.has_standard) words.push_back("-std=c++20");
  // as for sources with loops, which else could not use the precompiled header, or get its limits
  if (line_.reads_header()) {
    append(words, limits());
    words.push_back(ignores_math_errors);
    append(words, fusing(/*has_loops=*/true));
  }
  append(words, line_.verbatim);
  if (reads_cxx) append(words, {"-x", "none"});
  if (reads_cxx) append(words, tools_.compile_flags());
  const bool links = line_.goal == stage::link && line_.has_inputs() && !line_.reads_header();
  if (links) append(words, tools_.link_flags());
  return words;
}

/// Whether an option makes the compiler write files besides its output.
static bool writes_aside(const std::string& option) {
  return option.starts_with("-M") || option.starts_with("-save-temps") || option.starts_with("-Wp,-M");
}

command native_commands::question(const command_word& source) const {
  command words = tools_.native;
  if (!line_.has_standard) words.push_back("-std=c++20");
  for (std::size_t i = 0; i < line_.words.size(); ++i) {
    const command_word& word = line_.words[i];
    if (word.kind != word_kind::option) continue;
    if (!writes_aside(word.text)) {
      words.push_back(word.text);
    } else if (takes_next_word(word.text)) {
      ++i;
    }
  }
  append(words, {"-isystem", tools_.include_dir, "-fsyntax-only"});
  append(words, named_input(source.text, source.language));
  return words;
}

std::vector<std::string> forced_headers(const command_line& line, const original_names& originals) {
  std::vector<std::string> copies;
  for (std::size_t i = 1; i < line.words.size(); ++i) {
    if (line.words[i - 1].text != "-include") continue;
    const std::string copy = copy_of(line.words[i].text, originals);
    if (!copy.empty()) copies.push_back(copy);
  }
  return copies;
}

/// Whether the command line leaves it to g++ to fuse products with sums. Then it does so in bodies alone:
/// loops outside have two copies, for elements that are here and for others, and would be fused in the first
/// alone.
bool native_commands::leaves_fusing() const {
  const auto decides = [](const command_word& word) { return word.text.starts_with("-ffp-contract"); };
  return !tools_.native_is_clang && std::none_of(line_.words.begin(), line_.words.end(), decides);
}

/// Whether the native compiler fuses nothing; or, as Clang by default, within one expression of the source,
/// and so in the same places of all copies.
bool native_commands::fuses_alike() const {
  std::string_view last;
  for (const command_word& word : line_.words)
    if (word.text.starts_with("-ffp-contract=")) last = word.text;
  return last == "-ffp-contract=off" ||
         (tools_.native_is_clang && (last.empty() || last == "-ffp-contract=on"));
}

command native_commands::fusing(bool has_loops) const {
  if (fuses_alike()) return {fuses_alike_everywhere};
  if (!leaves_fusing()) return {};
  return has_loops ? command{"-ffp-contract=off", fuses_bodies} : command{fuses_bodies};
}

/// Whether the user allows sums in another order than that of the source. The last option counts. -Ofast does
/// if it is the last level and no other option decides, in whichever order they stand.
bool native_commands::may_regroup() const {
  static constexpr std::array<std::string_view, 3> names = {"fast-math", "associative-math",
                                                            "unsafe-math-optimizations"};
  bool by_level = false;
  std::optional<bool> by_option;
  for (const command_word& word : line_.words) {
    const std::string_view text = word.text;
    if (text.starts_with("-O")) by_level = text == "-Ofast";
    if (!text.starts_with("-f")) continue;
    const bool is_off = text.starts_with("-fno-");
    if (std::ranges::count(names, text.substr(is_off ? 5 : 2)) != 0) by_option = !is_off;
  }
  return by_option.value_or(by_level);
}

/// Limits of g++'s optimisation. They stand first, so that the user's options override them.
command native_commands::limits() const {
  if (tools_.native_is_clang) return {};
  // The code for elements out of reach never runs in such loops, yet g++ counts it towards their length.
  // Without this limit, g++ would not unswitch inner loops that it unswitches over plain arrays.
  // The runtime's templates count towards the size of the unit too. Beyond the second limit, g++ would inline
  // fewer of the user's functions than in the plain program.
  command words = {"--param=max-unswitch-insns=120", "--param=large-unit-insns=100000"};
  // A sum over 9 to 16 elements stays a loop, which g++ packs. It would write out the terms before.
  if (may_regroup()) words.push_back("--param=max-completely-peel-times=8");
  return words;
}

command native_commands::options(const prepared_source& source) const {
  command words;
  if (!source.originals.empty()) append(words, limits());
  // Nothing is transformed, but g++ then moves invariant code out of loops once more after unswitching them.
  // docs/decisions/driver-access.md has figures.
  if (!source.originals.empty() && tools_.has_graphite) words.push_back("-fgraphite");
  const bool uses_header = !source.originals.empty() || has_forced_header(line_);
  if (uses_header && !source.reads_math_errors) words.push_back(ignores_math_errors);
  // without loops the macros mean nothing, but a precompiled header needs them
  if (uses_header) append(words, fusing(!source.originals.empty()));
  if (!line_.has_standard) words.push_back("-std=c++20");
  for (std::size_t i = 0; i < line_.words.size(); ++i) {
    const command_word& word = line_.words[i];
    if (word.kind != word_kind::option) continue;
    const bool included = !words.empty() && words.back() == "-include";
    if (included && !copy_of(word.text, source.originals).empty()) {
      words.pop_back();  // the copy includes it
    } else if (word.text.starts_with("-MF") && !source.dependencies.empty()) {
      if (takes_next_word(word.text)) ++i;  // written later, with the original names
    } else {
      words.push_back(word.text);
    }
  }
  return words;
}

/// No name of a temporary file may reach the object: two builds of one source give the same bytes.
command native_commands::flags(const prepared_source& source) const {
  command words = tools_.compile_flags();
  if (source.originals.empty()) return words;
  const std::string directory = fs::path(source.original).parent_path().string();
  append(words, {"-iquote", directory.empty() ? "." : directory});
  for (const auto& [copy, original] : source.originals) {
    words.push_back("-ffile-prefix-map=" + copy + "=" + original);
  }
  const bool seeded = line_.has_random_seed || tools_.native_is_clang;
  if (!seeded) words.push_back("-frandom-seed=" + source.project_path);
  return words;
}

std::string native_commands::dependency_file(const prepared_source& source) const {
  if (!line_.dependency_file.empty()) return line_.dependency_file;
  const std::string stem = fs::path(source.original).stem().string();
  if (line_.goal == stage::link) {
    return fs::path(line_.output.value_or("a")).replace_extension().string() + "-" + stem + ".d";
  }
  return line_.output ? fs::path(*line_.output).replace_extension(".d").string() : stem + ".d";
}

command native_commands::dependency_flags(const prepared_source& source, const std::string& output) const {
  if (!line_.writes_dependencies) return {};
  command words;
  if (!source.dependencies.empty()) {
    append(words, {"-MF", source.dependencies});
  } else if (line_.dependency_file.empty()) {
    append(words, {"-MF", dependency_file(source)});
  }
  if (line_.names_target) return words;
  const std::string stem = fs::path(source.original).stem().string();
  const bool is_output_named = line_.goal == stage::object || line_.goal == stage::assembly;
  append(words, {"-MT", is_output_named && !output.empty() ? output : stem + ".o"});
  return words;
}

/// Names the place of files that the native compiler writes beside an object: not in the temporary folder,
/// although the objects of a program lie there.
command native_commands::dump_flags(const prepared_source& source) const {
  if (line_.goal != stage::link || line_.names_dumps) return {};
  const std::string beginning = line_.output.value_or("a") + "-";
  if (!tools_.native_is_clang) return {"-dumpdir", beginning};
  if (!line_.counts_lines) return {};
  const std::string name = fs::absolute(beginning + fs::path(source.original).stem().string()).string();
  return {"-Xclang", "-coverage-notes-file=" + name + ".gcno", "-Xclang",
          "-coverage-data-file=" + name + ".gcda"};
}

std::string native_commands::output_of(const prepared_source& source) const {
  const bool writes = line_.goal == stage::object || line_.goal == stage::assembly;
  if (line_.output || !writes) return line_.output.value_or("");
  return fs::path(source.original).stem().string() + (line_.goal == stage::assembly ? ".s" : ".o");
}

command native_commands::compile(const prepared_source& source, const std::string& output) const {
  command words = tools_.native;
  append(words, options(source));
  append(words, flags(source));
  append(words, dependency_flags(source, output));
  append(words, dump_flags(source));
  if (line_.goal == stage::link) words.push_back("-c");
  append(words, named_input(source.placed, is_cxx_name(source.placed) ? "" : "c++"));
  if (!output.empty()) append(words, {"-o", output});
  return words;
}

command native_commands::compile_other(const command_word& input) const {
  command words = tools_.native;
  for (const command_word& word : line_.words) {
    if (word.kind == word_kind::option) words.push_back(word.text);
  }
  append(words, named_input(input.text, input.language));
  if (line_.output) append(words, {"-o", *line_.output});
  return words;
}

command native_commands::link(const std::vector<std::string>& objects) const {
  command words = tools_.native;
  std::size_t next = 0;
  for (const command_word& word : line_.words) {
    if (word.kind == word_kind::source) {
      words.push_back(objects[next++]);
    } else {
      append(words, named_input(word.text, word.kind == word_kind::option ? "" : word.language));
    }
  }
  if (line_.output) append(words, {"-o", *line_.output});
  append(words, tools_.link_flags());
  return words;
}

command native_commands::emit(const prepared_source& source, const std::string& output) const {
  command words{"stradsap-cc"};
  if (tools_.native != command{"g++"}) append(words, tools_.native);
  words.push_back("--emit-source");
  append(words, line_.parse_flags);
  append(words, named_input(source.original, source.language));
  append(words, {"-o", output});
  return words;
}

}  // namespace stradsap::pp
