// The options that stradsap-cc adds to g++'s: one table, the help text, and advice on misspelt options. Pure
// functions but for the stores to a command_line.
#pragma once

#include <optional>
#include <string>

#include "driver/command_line.hpp"

namespace stradsap::pp {

/// Stores an option in `line` if it is one of stradsap-cc's own; else returns false.
bool take_own_option(const std::string& word, command_line& line);

/// The option of stradsap-cc that a misspelt `word` probably means.
std::optional<std::string> likely_meant(const std::string& word);

/// The output of --help.
extern const char* const help_text;

}  // namespace stradsap::pp
