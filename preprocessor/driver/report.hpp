// Prints diagnostics on stderr, in the format of compilers. One thread.
#pragma once

#include "analyze/findings/translation_unit.hpp"
#include "driver/warnings.hpp"

namespace stradsap::pp {

void print(const diagnostic& found, const warning_options& warnings, bool with_fixes);
void print_remarks(const source_place& place, const std::vector<std::string>& remarks);

}  // namespace stradsap::pp
