// The source `-`: standard input, read once and then there for every process that wants to read it.
#pragma once

namespace stradsap::pp {

/// Replaces standard input by a copy in memory that can be read again; throws std::system_error if it cannot.
void keep_standard_input();

/// The next process reads a kept standard input from its beginning.
void rewind_standard_input();

}  // namespace stradsap::pp
