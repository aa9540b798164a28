// The command line, understood as g++ would: which words are sources, which belong to an option, what is
// asked for. Plain data and one pure function.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stradsap::pp {

enum class stage { link, object, assembly, preprocessed, dependencies, syntax };
enum class word_kind { option, source, other_input };

struct command_word {
  std::string text;
  word_kind kind = word_kind::option;
};

struct command_line {
  std::vector<command_word> words;  // in order, without our own options and without -o
  std::optional<std::string> output;
  stage goal = stage::link;
  std::vector<std::string> parse_flags;  // those that the analysis must know of
  std::string dependency_file;           // -MF
  bool writes_dependencies = false;      // -MD, -MMD
  bool names_target = false;             // -MT, -MQ
  bool has_standard = false;
  bool has_random_seed = false;

  // our own
  bool emit_source = false;
  bool show_rewrite = false;
  bool dry_run = false;
  bool help = false;
  bool version = false;
  std::optional<std::string> showme;      // "", "compile" or "link"
  std::optional<std::string> save_temps;  // a folder

  std::string error;  // of usage; empty if all is well

  std::vector<std::string> sources() const;
  bool has_inputs() const;
};

/// `words` without the program's name; @files are expanded.
command_line parse_command_line(const std::vector<std::string>& words);

}  // namespace stradsap::pp
