// The ranges of addresses that small containers left, for those that follow: a program may make a container
// at each pass, and a new range costs 20 microseconds, and its pages more. Thread rule: any thread.
#pragma once

#include <cstddef>

#include "runtime/dds/address_range.hpp"

namespace stradsap::rt {

/// A range of `size` bytes of zeros at least, of a container that is gone or a new one.
[[nodiscard]] address_range range_for(std::size_t size);
/// Keeps a range of range_for(), of which the first `used` bytes may not be zero, or gives it back to the
/// system.
void leave_range(address_range range, std::size_t used);

}  // namespace stradsap::rt
