// The command line, understood as g++ would: which words are sources, which belong to an option, what is
// asked for. Plain data and one pure function.
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
  std::string language;  // of an input, as -x gives it; empty: as its name says
};

struct command_line {
  std::vector<std::string> native;    // the native compiler, with the likes of ccache before it
  std::string native_options;         // what else CXX holds
  std::vector<std::string> verbatim;  // all but that and our own options
  std::vector<command_word> words;    // these without -o and -x
  std::optional<std::string> output;
  stage goal = stage::link;
  std::vector<std::string> parse_flags;            // those that the analysis must know of
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
  bool prints_no_markers = false;    // -E writes no plain text: -P, -dM
  bool counts_lines = false;         // --coverage
  bool times = false;                // -time
  bool prints_fixes = false;         // -fdiagnostics-parseable-fixits

  // our own
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

  std::string error;  // of usage; empty if all is well

  std::vector<command_word> sources() const;
  /// Sources and other inputs, libraries included.
  bool has_inputs() const;
  /// An input is a header: what is precompiled for rewritten text needs the same macros.
  bool reads_header() const;
};

/// `words` without the program's name; @files are expanded. The first ones may name the native compiler, as a
/// build system calls a launcher; else `cxx` does, the value of CXX, and the options in it come first.
command_line parse_command_line(const std::vector<std::string>& words, const std::string& cxx);

}  // namespace stradsap::pp
