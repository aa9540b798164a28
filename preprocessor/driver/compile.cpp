#include "driver/compile.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string_view>

#include "analyze/frontend/parse.hpp"
#include "analyze/frontend/precompile.hpp"
#include "driver/report.hpp"
#include "driver/standard_input.hpp"
#include "rewrite/explain.hpp"
#include "rewrite/insertions.hpp"
#include "rewrite/render.hpp"

namespace stradsap::pp {

namespace fs = std::filesystem;

static constexpr char standard_input[] = "-";
static constexpr char standard_input_name[] = "<stdin>";  // the name in line markers

/// The name that identifies the loops of a file: relative to the current folder where possible.
static std::string project_path(const std::string& file) {
  std::error_code failure;
  const fs::path path(file);
  if (!path.is_absolute()) return path.lexically_normal().string();
  const fs::path relative = path.lexically_relative(fs::current_path(failure));
  const bool below = !failure && !relative.empty() && *relative.begin() != "..";
  return below ? relative.lexically_normal().string() : path.lexically_normal().string();
}

static std::string absolute(const std::string& file) {
  return fs::absolute(file).lexically_normal().string();
}

int compiler::run() {
  const bool rewrites = !line_.sources().empty() && line_.goal != stage::dependencies;
  if (!rewrites) return run_untouched();
  if (!analyze_all()) return 1;
  if (line_.show_rewrite) return show_rewrite();
  if (line_.emit_source) return emit_source();
  if (!prepare_all()) return 1;
  return line_.goal == stage::link ? compile_and_link() : compile_one_by_one();
}

/// The file that sources name by -include, if the command line precompiles it.
static std::optional<std::string> precompiled_header(const command_line& line) {
  static constexpr std::string_view ending = ".gch";
  const bool compiles = line.goal == stage::link || line.goal == stage::object;
  if (!line.reads_header() || !compiles || line.inputs().size() != 1) return std::nullopt;
  const std::string output = line.output.value_or(line.inputs().front().text + std::string(ending));
  if (!output.ends_with(ending)) return std::nullopt;
  return output.substr(0, output.size() - ending.size());
}

int compiler::run_untouched() {
  const int status = execute(commands_.untouched());
  const std::optional<std::string> header = precompiled_header(line_);
  if (status == 0 && header && !line_.dry_run && !tools_.native_is_clang)
    precompile_header(line_.inputs().front().text, parse_flags(), *header);
  return status;
}

// ---- analysis ---------------------------------------------------------------------------------------------

std::vector<std::string> compiler::parse_flags() {
  std::vector<std::string> flags = tools_.parse_flags(runner_);
  if (!line_.has_standard) flags.push_back("-std=c++20");
  flags.insert(flags.end(), line_.parse_flags.begin(), line_.parse_flags.end());
  return flags;
}

bool compiler::analyze_all() {
  const std::vector<std::string> flags = parse_flags();
  bool accepted = true;
  for (const command_word& source : line_.sources()) {
    analyze(source, flags);
    if (!accept(source, units_.back())) accepted = false;
  }
  return accepted;
}

void compiler::analyze(const command_word& source, const std::vector<std::string>& flags) {
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  if (source.text == standard_input) keep_standard_input();
  units_.push_back(analyze_file(source.text, flags));
  if (source.text == standard_input) units_.back().main_file = standard_input_name;
  getrusage(RUSAGE_SELF, &after);
  if (line_.times) print_time("stradsap-cc", before, after);
}

bool compiler::accept(const command_word& source, const translation_unit& unit) {
  bool accepted = true;
  for (const diagnostic& found : unit.diagnostics) {
    const warning_options::outcome outcome = line_.warnings.of(found);
    if (outcome == warning_options::outcome::silence) continue;
    print(found, line_.warnings, line_.prints_fixes);
    if (outcome == warning_options::outcome::error) accepted = false;
  }
  for (const resumed_loop& loop : unit.resumed) {
    if (line_.explain && accepted) print_remarks(loop.where, {remark_on(loop)});
  }
  for (const loop_site& site : unit.loops) {
    if (!line_.explain) break;
    if (accepted) print_remarks(site.where, remarks_on(site));
    if (!runs_as_transactions(site)) continue;
    for (const decided_access& one : site.transactions) {
      print_remarks(one.where, {remark_on(one)});
      if (one.compared) print_remarks(*one.compared, {remark_on_comparison(one)});
    }
  }
  std::error_code unknown;
  const bool missing = source.text != standard_input && !fs::exists(source.text, unknown);
  const bool unparsed = missing || !unit.parse_errors.empty();
  // preprocessing works without a parse and helps to find the parse error
  if (!accepted || !unparsed || line_.goal == stage::preprocessed) return accepted;
  refuse_unparsed(source, unit);
  return false;
}

/// Lets the native compiler report the error, in the form that users know. Prints Clang's errors only if the
/// native compiler accepts the source.
void compiler::refuse_unparsed(const command_word& source, const translation_unit& unit) {
  rewind_standard_input();
  if (runner_.run(commands_.question(source)) != 0) return;
  for (const std::string& error : unit.parse_errors) std::cerr << error << '\n';
  std::cerr << unit.main_file << ":1:1: note: " << tools_.native.back()
            << " accepts this file, but stradsap-cc reads it with Clang 19, which does not\n";
}

// ---- text -----------------------------------------------------------------------------------------------

int compiler::show_rewrite() const {
  for (const translation_unit& unit : units_) {
    for (const auto& [file, edits] : edits_of(unit, project_path)) {
      const std::string& text = unit.texts.at(file);
      for (const edit& one : edits) {
        const auto line = 1 + std::count(text.begin(), text.begin() + one.offset, '\n');
        std::cout << file << ':' << line << ": " << one.text << '\n';
      }
    }
  }
  return 0;
}

bool compiler::save(const std::string& name, const std::string& text) {
  const auto held = runner_.not_now();
  const std::string failure = write_file(name, text);
  if (!failure.empty()) std::cerr << "stradsap-cc: error: " << failure << '\n';
  return failure.empty();
}

/// The name of a rewritten text that is kept beside others.
static fs::path kept_name(const std::string& file) {
  if (file == standard_input_name) return "stdin.sap.cpp";
  return fs::path(file).stem().string() + ".sap" + fs::path(file).extension().string();
}

int compiler::emit_source() {
  const translation_unit& unit = units_.front();
  const std::string output =
      line_.output.value_or(kept_name(unit.main_file).replace_extension(".cpp").string());
  const rendered_alone made = render_alone(unit, edits_of(unit, project_path), absolute);
  if (!made.left_out.empty()) {
    const std::string header = fs::path(made.left_out).lexically_normal().string();
    std::cerr << "stradsap-cc: error: --emit-source cannot write what has to be inserted into " << header
              << ", which comes in by an option: #include it in " << unit.main_file << '\n';
    return 1;
  }
  if (output != "-") return save(output, made.text) ? 0 : 1;
  std::cout << made.text;
  return 0;
}

bool compiler::prepare_all() {
  const std::vector<command_word> sources = line_.sources();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!prepare(sources[i], units_[i])) return false;
  }
  return true;
}

/// The name of a copy that is compiled by hand: the source's path, with dashes for slashes.
static std::string name_by_hand(const prepared_source& source) {
  std::string name = source.original == standard_input ? "stdin" : source.project_path;
  std::replace(name.begin(), name.end(), '/', '-');
  return fs::path(name).replace_extension(".sap.cpp").string();
}

bool compiler::prepare(const command_word& source, const translation_unit& unit) {
  prepared_source prepared{.original = source.text,
                           .project_path = project_path(unit.main_file),
                           .language = source.language,
                           .placed = source.text,
                           .originals = {},
                           .dependencies = {},
                           .reads_math_errors = unit.reads_math_errors};
  bool done = true;
  if (unit.needs_edits() && line_.dry_run) {
    prepared.placed = name_by_hand(prepared);
    std::cout << spelled(commands_.emit(prepared, prepared.placed)) << '\n';
  } else if (unit.needs_edits()) {
    done = place(unit, prepared);
  }
  prepared_.push_back(std::move(prepared));
  return done;
}

/// Inserts #include lines before the source's own first line.
static std::string with_includes(std::string text, const std::vector<std::string>& headers) {
  std::string lines;
  for (const std::string& header : headers) lines += "#include \"" + header + "\"\n";
  const std::size_t first_line = text.find("#line 1 ");
  return text.insert(first_line == std::string::npos ? 0 : first_line, lines);
}

bool compiler::place(const translation_unit& unit, prepared_source& source) {
  const std::string number = std::to_string(prepared_.size());
  // copies keep the base name, because the object file contains it
  std::map<std::string, fs::path> places;
  const auto placed = [&](const std::string& file) {
    const auto [at, fresh] = places.emplace(file, fs::path(number) / std::to_string(places.size()));
    return (folder_.stable_path() / at->second / fs::path(file).filename()).string();
  };
  std::vector<rendered_file> files = render(unit, edits_of(unit, project_path), placed, absolute);
  for (const rendered_file& file : files) source.originals[placed(file.name)] = file.name;
  for (rendered_file& file : files) {
    const std::string name = placed(file.name);
    if (file.name == unit.main_file) {
      source.placed = name;
      const std::vector<std::string> forced = forced_headers(line_, source.originals);
      file.text = with_includes(std::move(file.text), forced);
      file.compiled = with_includes(std::move(file.compiled), forced);
    }
    make_folder(places.at(file.name));
    if (!save(name, file.compiled) || !keep(file.name, file.text)) return false;
    for (std::size_t i = 0; i < file.apart.size(); ++i) {
      if (!save(numbered(name, i), file.apart[i])) return false;
    }
  }
  if (line_.writes_dependencies)
    source.dependencies = (folder_.stable_path() / number / "dependencies").string();
  return true;
}

void compiler::make_folder(const fs::path& below) {
  const auto held = runner_.not_now();
  fs::create_directories(folder_.path() / below);
}

/// --save-temps: saves a file under its path below the current folder, or else below /, so that names never
/// clash.
bool compiler::keep(const std::string& file, const std::string& text) {
  if (!line_.save_temps) return true;
  const fs::path path = project_path(file);
  const bool below = path.is_relative() && *path.begin() != "..";
  const fs::path parent = below ? path.parent_path() : fs::path(absolute(file)).parent_path().relative_path();
  const fs::path folder = (*line_.save_temps / parent).lexically_normal();
  std::error_code failure;
  fs::create_directories(folder, failure);
  return save(folder / kept_name(file), text);
}

// ---- native compilation -----------------------------------------------------------------------------------

int compiler::execute(const command& command) {
  if (line_.dry_run) {
    std::cout << spelled(command) << '\n';
    return 0;
  }
  rewind_standard_input();
  // a compiler that is stopped may leave temporary files: the folder's removal covers them
  setenv("TMPDIR", folder_.path().c_str(), /*replace=*/1);
  return runner_.run(command) == 0 ? 0 : 1;
}

bool compiler::restore_names(const prepared_source& source) {
  std::map<std::string, std::string> places;  // from where to where
  for (const std::string& file : line_.more_dependency_files) places[file] = file;
  if (!source.dependencies.empty()) places[source.dependencies] = commands_.dependency_file(source);
  const auto held = runner_.not_now();
  bool done = true;
  for (const auto& [from, to] : places) {
    const std::string failure = restore_dependencies(from, to, source.originals);
    if (!failure.empty()) std::cerr << "stradsap-cc: error: " << failure << '\n';
    done = done && failure.empty();
  }
  return done;
}

bool compiler::compile(const prepared_source& source, const std::string& output) {
  const bool done = line_.goal == stage::preprocessed ? preprocess(source)
                                                      : execute(commands_.compile(source, output)) == 0;
  if (!done || line_.dry_run || restore_names(source)) return done;
  std::error_code absent;
  if (fs::is_regular_file(output, absent)) fs::remove(output, absent);  // all of it or nothing
  return false;
}

/// Line markers that enter and leave a file named after the native compiler. A compiler cache takes
/// stradsap-cc for the compiler and ignores CXX; with this name in the text, it notices another native
/// compiler. No such file exists, so the cache compares the text itself.
static std::string markers_of(const std::string& identity, const std::string& file) {
  return "# 1 " + quoted(identity) + " 1\n# 1 " + quoted(file) + " 2\n";
}

bool compiler::preprocess(const prepared_source& source) {
  const bool as_it_is = source.originals.empty() && line_.prints_no_markers;
  if (line_.dry_run || as_it_is) return execute(commands_.compile(source, line_.output.value_or(""))) == 0;
  const std::string aside = (folder_.path() / "preprocessed").string();
  rewind_standard_input();
  const bool done = runner_.run(commands_.compile(source, ""), aside) == 0;
  std::string text = with_original_markers(read_file(aside), source.originals);
  if (!line_.prints_no_markers) text += markers_of(tools_.identity(runner_), source.project_path);
  if (!line_.output || *line_.output == "-") {
    std::cout << text;
    return done;
  }
  return done && save(*line_.output, text);
}

int compiler::compile_one_by_one() {
  int status = 0;
  std::size_t next = 0;
  for (const command_word& word : line_.words) {
    bool done = true;
    if (word.kind == word_kind::source) {
      const prepared_source& source = prepared_[next++];
      done = compile(source, commands_.output_of(source));
    } else if (word.kind == word_kind::other_input) {
      done = execute(commands_.compile_other(word)) == 0;
    }
    if (!done) status = 1;
  }
  return status;
}

int compiler::compile_and_link() {
  std::vector<std::string> objects;
  for (const prepared_source& source : prepared_) {
    const std::string stem = fs::path(source.original).stem().string();
    const fs::path home = fs::path("objects") / std::to_string(objects.size());
    if (!line_.dry_run) make_folder(home);
    objects.push_back(line_.dry_run ? fs::path(name_by_hand(source)).replace_extension(".o").string()
                                    : (folder_.path() / home / (stem + ".o")).string());
    if (!compile(source, objects.back())) return 1;
  }
  return execute(commands_.link(objects));
}

}  // namespace stradsap::pp
