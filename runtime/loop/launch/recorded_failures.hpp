// Iterations of a reconnaissance that ended by an exception: their sets may lack elements. Thread rule:
// counts those of the calling thread.
#pragma once

#include <cstdint>

namespace stradsap::rt {

[[nodiscard]] std::uint64_t num_recorded_failures();

}  // namespace stradsap::rt
