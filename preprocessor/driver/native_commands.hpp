// The native compiler's command lines, made from the user's command line and the prepared sources. Pure
// functions of both; nothing runs here.
#pragma once

#include <string>
#include <vector>

#include "driver/command_line.hpp"
#include "driver/original_names.hpp"
#include "driver/toolchain.hpp"

namespace stradsap::pp {

using command = std::vector<std::string>;

/// A source in the form that the native compiler gets.
struct prepared_source {
  std::string original;      // in the spelling of the command line
  std::string project_path;  // its name, the same in every current folder
  std::string language;      // from -x
  std::string placed;        // the file to compile; equals `original` if nothing is inserted
  original_names originals;  // of all files that stradsap-cc wrote
  std::string dependencies;  // a file for dependencies that name the copies; empty if there are no copies
  bool reads_math_errors;    // that functions of <cmath> leave in errno
};

class native_commands {
 public:
  native_commands(const command_line& line, const toolchain& tools) : line_(line), tools_(tools) {}

  /// The user's command line with the project's flags, without rewritten sources.
  command untouched() const;
  /// Asks whether the native compiler accepts the original. The command writes no files.
  command question(const command_word& source) const;
  command compile(const prepared_source& source, const std::string& output) const;
  /// For an input that is no source, if the goal is not a program.
  command compile_other(const command_word& input) const;
  /// Links `objects`, which take the places of the sources.
  command link(const std::vector<std::string>& objects) const;
  /// Writes, when called by hand, the text that the driver otherwise writes into its own folder.
  command emit(const prepared_source& source, const std::string& output) const;

  /// The output file of a source's compilation; empty if it has none or the compiler chooses its name.
  std::string output_of(const prepared_source& source) const;
  /// The file for its dependencies.
  std::string dependency_file(const prepared_source& source) const;

 private:
  bool leaves_fusing() const;
  bool fuses_alike() const;
  command fusing(bool has_loops) const;
  bool may_regroup() const;
  command limits() const;
  command options(const prepared_source& source) const;
  command flags(const prepared_source& source) const;
  command dependency_flags(const prepared_source& source, const std::string& output) const;
  command dump_flags(const prepared_source& source) const;

  const command_line& line_;
  const toolchain& tools_;
};

/// The copies of edited headers that -include names. The source's copy includes them: their insertions need
/// declarations, and these stand at the start of that copy.
std::vector<std::string> forced_headers(const command_line& line, const original_names& originals);

/// A command in a spelling that a shell reads back.
std::string spelled(const command& command);

}  // namespace stradsap::pp
