// Diagnostics as compilers print them, on stderr.
#pragma once

#include "analyze/translation_unit.hpp"

namespace stradsap::pp {

void print(const diagnostic& found);

}  // namespace stradsap::pp
