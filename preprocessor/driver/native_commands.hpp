// The native compiler's command lines: from the user's command line and what became of each source. Pure
// functions of both; nothing is run here.
#pragma once

#include <string>
#include <vector>

#include "driver/command_line.hpp"
#include "driver/original_names.hpp"
#include "driver/toolchain.hpp"

namespace stradsap::pp {

using command = std::vector<std::string>;

/// A source as the native compiler gets it.
struct prepared_source {
  std::string original;      // as the command line spells it
  std::string project_path;  // the same from wherever the compiler is called
  std::string language;      // as -x gave it
  std::string placed;        // the file to compile; the original if nothing is inserted
  original_names originals;  // of every file that we wrote
  std::string dependencies;  // a file for them that names the copies; empty if there are none
};

class native_commands {
 public:
  native_commands(const command_line& line, const toolchain& tools) : line_(line), tools_(tools) {}

  /// What the user gave, as it is: nothing of ours is in it.
  command untouched() const;
  /// Does the native compiler accept the original? Writes nothing.
  command question(const command_word& source) const;
  command compile(const prepared_source& source, const std::string& output) const;
  /// For an input that is not ours to read, when the goal is not a program.
  command compile_other(const command_word& input) const;
  /// `objects` in the place of the sources.
  command link(const std::vector<std::string>& objects) const;
  /// Writes the text by hand that the driver writes into its own folder.
  command emit(const prepared_source& source, const std::string& output) const;

  /// Where the compilation of a source goes; empty if it writes no file or chooses it by itself.
  std::string output_of(const prepared_source& source) const;
  /// Where its dependencies go.
  std::string dependency_file(const prepared_source& source) const;

 private:
  command options(const prepared_source& source) const;
  command flags(const prepared_source& source) const;
  command dependency_flags(const prepared_source& source, const std::string& output) const;
  command dump_flags(const prepared_source& source) const;

  const command_line& line_;
  const toolchain& tools_;
};

/// The copies of edited headers that -include names. The command line cannot include them: what is inserted
/// into them has to be declared first, and that stands in the source's copy.
std::vector<std::string> forced_headers(const command_line& line, const original_names& originals);

/// A command as a shell would read it back.
std::string spelled(const command& command);

}  // namespace stradsap::pp
