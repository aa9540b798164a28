// From a command line to native compilations: analyses each source, refuses or rewrites it, runs the native
// compiler. Only this class decides which processes start. One thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analyze/findings/translation_unit.hpp"
#include "driver/command_line.hpp"
#include "driver/native_commands.hpp"
#include "driver/process.hpp"
#include "driver/temporary_files.hpp"
#include "driver/toolchain.hpp"

namespace stradsap::pp {

class compiler {
 public:
  compiler(const command_line& line, const toolchain& tools, process_runner& runner,
           temporary_directory& folder)
      : line_(line), tools_(tools), commands_(line, tools), runner_(runner), folder_(folder) {}

  /// Carries out the command line. Returns the exit status.
  int run();

 private:
  int run_untouched();
  std::vector<std::string> parse_flags();
  bool analyze_all();
  void analyze(const command_word& source, const std::vector<std::string>& flags);
  bool accept(const command_word& source, const translation_unit& unit);
  void refuse_unparsed(const command_word& source, const translation_unit& unit);
  int emit_source();
  int show_rewrite() const;
  bool prepare_all();
  bool prepare(const command_word& source, const translation_unit& unit);
  bool place(const translation_unit& unit, prepared_source& source);
  void make_folder(const std::filesystem::path& below);
  bool keep(const std::string& file, const std::string& text);
  bool save(const std::string& name, const std::string& text);

  int compile_one_by_one();
  bool compile(const prepared_source& source, const std::string& output);
  bool preprocess(const prepared_source& source);
  bool restore_names(const prepared_source& source);
  int compile_and_link();
  int execute(const command& command);

  const command_line& line_;
  const toolchain& tools_;
  native_commands commands_;
  process_runner& runner_;
  temporary_directory& folder_;
  std::vector<translation_unit> units_;  // one per source, in order
  std::vector<prepared_source> prepared_;
};

}  // namespace stradsap::pp
