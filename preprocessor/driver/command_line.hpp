// The command line, read as g++ reads it: sources, options with their arguments, and the goal. Plain data and
// one pure function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/warnings.hpp"

namespace stradsap::pp {

enum class stage { link, object, assembly, preprocessed, dependencies, syntax };
enum class word_kind { option, source, other_input };

struct command_word {
  std::string text;
  word_kind kind = word_kind::option;
  std::string language;  // of an input, from -x; if empty, its name decides
};

struct command_line {
  std::vector<std::string> native;    // the native compiler, after launchers such as ccache
  std::string native_options;         // the options in CXX
  std::vector<std::string> verbatim;  // all other words except stradsap-cc's own options
  std::vector<command_word> words;    // these without -o and -x
  std::optional<std::string> output;
  stage goal = stage::link;
  std::vector<std::string> parse_flags;            // options that the analysis needs
  std::string dependency_file;                     // -MF
  std::vector<std::string> more_dependency_files;  // -Wp,-MMD,FILE
  bool writes_dependencies = false;                // -MD, -MMD
  bool names_target = false;                       // -MT, -MQ
  bool names_dumps = false;                        // -dumpdir and the like
  bool has_standard = false;
  bool has_random_seed = false;
  bool has_debug_level = false;
  bool sanitizes_threads = false;    // -fsanitize=thread
  bool sanitizes_addresses = false;  // -fsanitize=address
  bool prints_no_markers = false;    // -P, -dM: -E writes no line markers
  bool counts_lines = false;         // --coverage
  bool times = false;                // -time
  bool prints_fixes = false;         // -fdiagnostics-parseable-fixits

  // stradsap-cc's own options
  bool emit_source = false;
  bool show_rewrite = false;
  bool dry_run = false;
  bool check = false;
  bool explain = false;
  bool help = false;
  bool version = false;
  std::optional<std::string> showme;      // "", "compile" or "link"
  std::optional<std::string> save_temps;  // a folder

  warning_options warnings;

  std::string error;  // a usage error; empty if there is none

  std::vector<command_word> sources() const;
  /// Sources and other inputs, without libraries.
  std::vector<command_word> inputs() const;
  /// Whether there are sources or other inputs, libraries included.
  bool has_inputs() const;
  /// Whether an input is a header. A header precompiled for rewritten text needs the same macros as that
  /// text.
  bool reads_header() const;
};

/// Reads `words`, the command line without the program's name, and expands @files. The first words may name
/// the native compiler, as a build system calls a launcher. Otherwise `cxx`, the value of CXX, names it, and
/// the options in `cxx` come first.
command_line parse_command_line(const std::vector<std::string>& words, const std::string& cxx);

}  // namespace stradsap::pp
