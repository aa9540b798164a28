// Runs Clang's front end over one source file as the native compiler would see it. The door of the analysis:
// what comes out is plain data. Thread-safe: every call has its own compiler instance.
#pragma once

#include <string>
#include <vector>

#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

/// Parses and analyses `file` with `flags` (Clang's spelling, the resource folder among them). Never prints.
translation_unit analyze_file(const std::string& file, const std::vector<std::string>& flags);

}  // namespace stradsap::pp
