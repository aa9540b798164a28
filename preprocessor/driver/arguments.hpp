// The words of a command line as g++ reads them: @files in place, long names for short ones. Pure functions.
#pragma once

#include <string>
#include <vector>

namespace stradsap::pp {

/// `words` with each @file that can be read replaced by the words in it, quotes and backslashes obeyed.
std::vector<std::string> expanded(const std::vector<std::string>& words);

/// --compile as -c, --output=x as -o x, --std=c++20 as -std=c++20; all else as it is.
std::vector<std::string> short_spelling(const std::string& word);

}  // namespace stradsap::pp
