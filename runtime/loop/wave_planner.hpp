// Planning by waves: levels of iterations that share no element, in program order. For loops whose iterations
// touch too many elements for blocks of groups, and for those whose order is the program's.
// Thread rule: one thread a rank; a collective.
#pragma once

#include <memory>

#include "runtime/loop/inspection.hpp"
#include "runtime/loop/wave_plan.hpp"

namespace stradsap::rt {

/// Elements of containers that the loop writes at computed places; more cannot be planned by waves.
inline constexpr std::uint64_t most_wave_elements = 0xfffffff0u;

/// `found`: what each iteration of this rank's share touches, slots in place of new keys. Null where blocks
/// do as well, which only an asynchronous loop's may. Looks at counts alone, so that all ranks decide alike.
[[nodiscard]] std::shared_ptr<const wave_plan> make_wave_plan(const planning& in, const inspection& found);

}  // namespace stradsap::rt
