// The identity of a build of a program. Thread rule: any.
#pragma once

#include <string>

namespace stradsap::rt {

/// The build id that the linker wrote into this executable; without one, a hash of the file.
[[nodiscard]] std::string build_id();

}  // namespace stradsap::rt
