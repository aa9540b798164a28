// The options that stradsap-cc has beside g++'s: one table, the help text, and advice on misspelt ones.
#pragma once

#include <optional>
#include <string>

#include "driver/command_line.hpp"

namespace stradsap::pp {

/// Stores an option of ours in `line`; false if `word` is none of ours.
bool take_own_option(const std::string& word, command_line& line);

/// The option of ours that a misspelt `word` probably means.
std::optional<std::string> likely_meant(const std::string& word);

/// What --help prints.
extern const char* const help_text;

}  // namespace stradsap::pp
