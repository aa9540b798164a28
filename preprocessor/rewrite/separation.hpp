// Inserted text in files of its own, which the native compiler treats as system headers. Its warnings then
// refer to the user's text only, at the columns of the user's file.
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

/// The directive that makes the following text line `line` of a file.
std::string line_directive(unsigned line, const std::string& file);
/// The line of an offset in a text, from 1.
unsigned line_at(const std::string& text, unsigned offset);

/// Moves insertions from the sorted edits of a file into texts of their own: `apart` number N belongs into
/// the file `placed`.N. Insertions in a macro's arguments stay, since no directive may stand there. So do all
/// edits of a file with #line directives of its own.
std::vector<edit> separated(const translation_unit& unit, const std::string& file, std::vector<edit> edits,
                            const std::string& placed, std::vector<std::string>& apart);

}  // namespace stradsap::pp
