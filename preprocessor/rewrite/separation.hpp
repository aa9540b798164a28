// Inserted text in files of its own, which the native compiler takes for a system header's: it warns of the
// user's text as if nothing stood between, at the columns that the user's file has.
//
//   before: parallel_for(n, <inserted>[&D](int64_t j) { D[j] = 0; }, async);
//   after:  parallel_for(n,
//           #include "…/a.cpp.0"
//           #line 9 "a.cpp"
//                           [&D](int64_t j) { D[j] = 0; }, async);
//
// Pure functions.
#pragma once

#include <string>
#include <vector>

#include "rewrite/render.hpp"

namespace stradsap::pp {

/// The directive by which the text that follows is line `line` of a file.
std::string line_directive(unsigned line, const std::string& file);
/// The line of a place in a text, from 1.
unsigned line_at(const std::string& text, unsigned offset);

/// The sorted edits of a file without the text that can stand apart, which goes to `apart`: number N is to be
/// written to `placed`.N. In a macro's arguments no directive may stand, and a file with #line directives of
/// its own keeps them, so there it stays.
std::vector<edit> separated(const translation_unit& unit, const std::string& file, std::vector<edit> edits,
                            const std::string& placed, std::vector<std::string>& apart);

}  // namespace stradsap::pp
