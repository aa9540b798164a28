// The source `-`: reads standard input once and keeps it for all processes that read it. One thread.
#pragma once

namespace stradsap::pp {

/// Replaces standard input by a copy in memory that can be read again. Throws std::system_error on failure.
void keep_standard_input();

/// Makes the next process read the kept standard input from its beginning.
void rewind_standard_input();

}  // namespace stradsap::pp
