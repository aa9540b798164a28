// From a command line to native compilations: analyse every source, refuse or rewrite, run the native
// compiler. The one place that decides which processes are started. One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyze/translation_unit.hpp"
#include "driver/command_line.hpp"
#include "driver/process.hpp"
#include "driver/toolchain.hpp"

namespace stradsap::pp {

class compiler {
 public:
  compiler(const command_line& line, const toolchain& tools, process_runner& runner, std::string folder)
      : line_(line), tools_(tools), runner_(runner), folder_(std::move(folder)) {}

  /// Does what the command line asks for; the exit status.
  int run();

 private:
  /// A source as the native compiler gets it.
  struct prepared {
    std::string original;
    std::string placed;                            // the file to compile
    std::map<std::string, std::string> originals;  // of every file that we wrote
  };

  int run_native_alone();
  bool analyse_all();
  bool judge(const translation_unit& unit);
  void refuse_unparsed(const translation_unit& unit);
  int emit_source();
  int show_rewrite() const;
  bool prepare_all();
  bool prepare(const translation_unit& unit);
  bool save(const std::string& name, const std::string& text) const;

  int compile_all();
  int compile_one_by_one();
  int compile_and_link();
  int execute(const std::vector<std::string>& command);
  std::vector<std::string> options() const;
  std::vector<std::string> flags_for(const prepared& source) const;
  std::string dependency_file(const prepared& source, const std::string& output) const;

  const command_line& line_;
  const toolchain& tools_;
  process_runner& runner_;
  std::string folder_;
  std::vector<translation_unit> units_;
  std::vector<prepared> prepared_;
};

/// A command as a shell would read it back.
std::string spelled(const std::vector<std::string>& command);

}  // namespace stradsap::pp
