// What tells one build of a program from another.
#pragma once

#include <string>

namespace stradsap::rt {

/// The build id that the linker wrote into this executable; where there is none, a hash of the file.
[[nodiscard]] std::string build_id();

}  // namespace stradsap::rt
