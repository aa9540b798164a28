// What a native compiler writes about our copies, told about the originals: dependency files and the line
// markers of preprocessed text.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace stradsap::pp {

/// For every file that we wrote, the one that the user knows.
using original_names = std::map<std::string, std::string>;

/// The file of inserted text number i of a copy.
std::string numbered(const std::string& name, std::size_t i);

/// Rewrites a dependency file, as make and ninja read it, from one place to another or in place; one that is
/// not there is left alone. An error message, or nothing.
std::string restore_dependencies(const std::string& from, const std::string& to,
                                 const original_names& originals);

/// Preprocessed text whose line markers name the originals.
std::string with_original_markers(const std::string& preprocessed, const original_names& originals);

}  // namespace stradsap::pp
