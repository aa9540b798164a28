// Replaces copies by originals in the native compiler's output: in dependency files and in the line markers
// of preprocessed text. One thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace stradsap::pp {

/// The original file for each file that stradsap-cc wrote.
using original_names = std::map<std::string, std::string>;

/// The name of the file with inserted text number i of a copy.
std::string numbered(const std::string& name, std::size_t i);

/// Rewrites a dependency file in the syntax of make and ninja, from one path to another or in place. Does
/// nothing if there is no such file. Returns an error message, or nothing.
std::string restore_dependencies(const std::string& from, const std::string& to,
                                 const original_names& originals);

/// Preprocessed text with the originals' names in its line markers.
std::string with_original_markers(const std::string& preprocessed, const original_names& originals);

}  // namespace stradsap::pp
