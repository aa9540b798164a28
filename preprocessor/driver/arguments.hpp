// The words of a command line as g++ reads them: expands @files and replaces long option names by short ones.
// Pure functions.
#pragma once

#include <string>
#include <vector>

namespace stradsap::pp {

/// `words` with each readable @file replaced by its words; obeys quotes and backslashes.
std::vector<std::string> expanded(const std::vector<std::string>& words);

/// --compile becomes -c, --output=x becomes -o x, --std=c++20 becomes -std=c++20; other words stay.
std::vector<std::string> short_spelling(const std::string& word);

}  // namespace stradsap::pp
