// Tables of g++'s own options: those that take the next word, and those that change the meaning of the
// source. Only the native compiler knows all other options. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stradsap::pp {

/// The option's argument is the next word.
bool takes_next_word(std::string_view option);

/// The analysis has to know the option, and the next word too if that is its argument.
bool changes_meaning(std::string_view option);

/// The option asks about the compiler itself and needs no input.
bool is_question(std::string_view option);

/// The word names a native compiler, or a program such as ccache that runs one.
bool is_compiler_name(std::string_view word);
bool is_compiler_launcher(std::string_view word);

/// g++ compiles a file of that name as C++.
bool is_cxx_name(std::string_view name);
/// g++ precompiles it.
bool is_header_name(std::string_view name);

}  // namespace stradsap::pp
