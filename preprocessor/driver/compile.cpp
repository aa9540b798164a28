#include "driver/compile.hpp"

#include <cstdio>
#include <filesystem>
#include <iostream>

#include "analyze/parse.hpp"
#include "driver/dependency_file.hpp"
#include "driver/report.hpp"
#include "driver/temporary_directory.hpp"
#include "rewrite/render.hpp"

namespace stradsap::pp {

namespace fs = std::filesystem;

static void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::string spelled(const std::vector<std::string>& command) {
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

/// Loops are known by the file's name below the folder that the compiler is called in, where that is
/// possible.
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
  if (!rewrites) return run_native_alone();
  if (!analyse_all()) return 1;
  if (line_.show_rewrite) return show_rewrite();
  if (line_.emit_source) return emit_source();
  if (!prepare_all()) return 1;
  return compile_all();
}

/// Nothing of ours is in it: objects to link, C sources, -M, questions such as -print-search-dirs.
int compiler::run_native_alone() {
  std::vector<std::string> command = tools_.native;
  if (!line_.has_standard && !line_.sources().empty()) command.push_back("-std=c++20");
  for (const command_word& word : line_.words) command.push_back(word.text);
  if (!line_.sources().empty()) append(command, tools_.compile_flags());
  if (line_.output) append(command, {"-o", *line_.output});
  if (line_.goal == stage::link && line_.has_inputs()) append(command, tools_.link_flags());
  return execute(command);
}

// ---- analysis ---------------------------------------------------------------------------------------------

bool compiler::analyse_all() {
  std::vector<std::string> flags = tools_.parse_flags(runner_);
  if (!line_.has_standard) flags.push_back("-std=c++20");
  append(flags, line_.parse_flags);
  bool accepted = true;
  for (const std::string& source : line_.sources()) {
    units_.push_back(analyze_file(source, flags));
    if (!judge(units_.back())) accepted = false;
  }
  return accepted;
}

bool compiler::judge(const translation_unit& unit) {
  bool accepted = true;
  for (const diagnostic& found : unit.diagnostics) {
    print(found);
    if (found.is_error) accepted = false;
  }
  std::error_code unknown;
  const bool missing = unit.main_file != "-" && !fs::exists(unit.main_file, unknown);
  if (accepted && (missing || !unit.parse_errors.empty())) {
    refuse_unparsed(unit);
    accepted = false;
  }
  return accepted;
}

/// The native compiler's own error is what the user knows how to read; Clang's is printed only if there is no
/// other.
void compiler::refuse_unparsed(const translation_unit& unit) {
  std::vector<std::string> command = tools_.native;
  const std::vector<std::string> words = options();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool two_words = words[i] == "-MF" || words[i] == "-MT" || words[i] == "-MQ";
    if (two_words) ++i;  // a refused source leaves no dependency file either
    if (!words[i].starts_with("-M") && !two_words) command.push_back(words[i]);
  }
  append(command, {"-isystem", tools_.include_dir, "-fsyntax-only", unit.main_file});
  if (execute(command) != 0) return;
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

bool compiler::save(const std::string& name, const std::string& text) const {
  const std::string failure = write_file(name, text);
  if (!failure.empty()) std::cerr << "stradsap-cc: error: " << failure << '\n';
  return failure.empty();
}

int compiler::emit_source() {
  const translation_unit& unit = units_.front();
  const fs::path source(unit.main_file);
  const std::string output = line_.output.value_or(source.stem().string() + ".sap.cpp");
  const std::string text = render_alone(unit, edits_of(unit, project_path), absolute);
  if (output == "-") {
    std::cout << text;
    return 0;
  }
  return save(output, text) ? 0 : 1;
}

bool compiler::prepare_all() {
  for (const translation_unit& unit : units_) {
    if (!prepare(unit)) return false;
  }
  return true;
}

bool compiler::prepare(const translation_unit& unit) {
  prepared source{unit.main_file, unit.main_file, {}};
  if (unit.needs_edits()) {
    const fs::path home = fs::path(folder_) / std::to_string(prepared_.size());
    // the base name stays: the object remembers it
    std::map<std::string, fs::path> places;
    const auto placed = [&](const std::string& file) {
      const auto [at, fresh] = places.emplace(file, home / std::to_string(places.size()));
      return (at->second / fs::path(file).filename()).string();
    };
    for (const rendered_file& file : render(unit, edits_of(unit, project_path), placed, absolute)) {
      const std::string name = placed(file.name);
      fs::create_directories(fs::path(name).parent_path());
      if (!save(name, file.text)) return false;
      source.originals[name] = file.name;
      if (file.name == unit.main_file) source.placed = name;
      if (line_.save_temps) {
        const fs::path kept(*line_.save_temps);
        std::error_code failure;
        fs::create_directories(kept, failure);
        if (!save(kept / (fs::path(file.name).stem().string() + ".sap" +
                          fs::path(file.name).extension().string()),
                  file.text))
          return false;
      }
    }
  }
  prepared_.push_back(std::move(source));
  return true;
}

// ---- native compilation -----------------------------------------------------------------------------------

int compiler::execute(const std::vector<std::string>& command) {
  if (line_.dry_run) {
    std::cout << spelled(command) << '\n';
    return 0;
  }
  return runner_.run(command) == 0 ? 0 : 1;
}

std::vector<std::string> compiler::options() const {
  std::vector<std::string> words;
  if (!line_.has_standard) words.push_back("-std=c++20");
  for (const command_word& word : line_.words) {
    if (word.kind == word_kind::option) words.push_back(word.text);
  }
  return words;
}

/// No name of ours may reach the object: two builds of one source are the same bytes.
std::vector<std::string> compiler::flags_for(const prepared& source) const {
  std::vector<std::string> flags = tools_.compile_flags();
  if (source.originals.empty()) return flags;
  const std::string directory = fs::path(source.original).parent_path().string();
  append(flags, {"-iquote", directory.empty() ? "." : directory});
  for (const auto& [temporary, original] : source.originals) {
    flags.push_back("-ffile-prefix-map=" + temporary + "=" + original);
  }
  const bool seeded = line_.has_random_seed || tools_.native_is_clang;
  if (!seeded) flags.push_back("-frandom-seed=" + project_path(source.original));
  return flags;
}

std::string compiler::dependency_file(const prepared& source, const std::string& output) const {
  if (!line_.dependency_file.empty()) return line_.dependency_file;
  const std::string stem = fs::path(source.original).stem().string();
  if (line_.goal != stage::link) {
    return line_.output ? fs::path(output).replace_extension(".d").string() : stem + ".d";
  }
  return fs::path(line_.output.value_or("a")).replace_extension().string() + "-" + stem + ".d";
}

int compiler::compile_all() {
  const int status = line_.goal == stage::link ? compile_and_link() : compile_one_by_one();
  return status;
}

static std::string default_output(const std::string& source, stage goal) {
  return fs::path(source).stem().string() + (goal == stage::assembly ? ".s" : ".o");
}

int compiler::compile_one_by_one() {
  int status = 0;
  for (const prepared& source : prepared_) {
    const bool writes = line_.goal == stage::object || line_.goal == stage::assembly;
    const std::string output =
        line_.output.value_or(writes ? default_output(source.original, line_.goal) : "");
    std::vector<std::string> command = tools_.native;
    append(command, options());
    append(command, flags_for(source));
    if (line_.writes_dependencies && line_.dependency_file.empty()) {
      append(command, {"-MF", dependency_file(source, output)});
    }
    if (line_.writes_dependencies && !line_.names_target && !output.empty()) append(command, {"-MT", output});
    command.push_back(source.placed);
    if (!output.empty()) append(command, {"-o", output});
    if (execute(command) != 0) status = 1;
    if (line_.writes_dependencies) restore_names(dependency_file(source, output), source.originals);
  }
  return status;
}

int compiler::compile_and_link() {
  std::vector<std::string> objects;
  for (const prepared& source : prepared_) {
    const std::string name =
        std::to_string(objects.size()) + "/" + fs::path(source.original).stem().string() + ".o";
    const std::string object = (fs::path(folder_) / "objects" / name).string();
    fs::create_directories(fs::path(object).parent_path());
    std::vector<std::string> command = tools_.native;
    append(command, options());
    append(command, flags_for(source));
    if (line_.writes_dependencies) {
      const std::string target = fs::path(source.original).stem().string() + ".o";
      if (line_.dependency_file.empty()) append(command, {"-MF", dependency_file(source, object)});
      if (!line_.names_target) append(command, {"-MT", target});
    }
    append(command, {"-c", source.placed, "-o", object});
    if (execute(command) != 0) return 1;
    if (line_.writes_dependencies) restore_names(dependency_file(source, object), source.originals);
    objects.push_back(object);
  }
  std::vector<std::string> command = tools_.native;
  std::size_t next = 0;
  for (const command_word& word : line_.words) {
    command.push_back(word.kind == word_kind::source ? objects[next++] : word.text);
  }
  if (line_.output) append(command, {"-o", *line_.output});
  append(command, tools_.link_flags());
  return execute(command);
}

}  // namespace stradsap::pp
