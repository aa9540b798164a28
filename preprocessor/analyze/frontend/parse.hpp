// Runs Clang's front end over one source file, set up like the native compiler. The entry to the analysis: it
// returns plain data. Thread-safe: each call has a compiler instance of its own.
#pragma once

#include <string>
#include <vector>

#include "analyze/findings/translation_unit.hpp"

namespace stradsap::pp {

/// Parses and analyses `file` with `flags` in Clang's spelling, the resource folder among them. Never prints.
/// Uses the precompiled form of the first -include, if it is valid.
translation_unit analyze_file(const std::string& file, const std::vector<std::string>& flags);

}  // namespace stradsap::pp
