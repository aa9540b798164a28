// How many groups a container is cut into. All ranks compute the same from sizes and counts. Thread rule:
// free functions; cut_evenly is called by the one thread that plans.
#pragma once

#include <cstdint>

#include "runtime/dds/replica.hpp"

namespace stradsap::rt {

/// The least number of iterations for a block of a loop of `n`. In short loops, short blocks give each
/// executor one. In long loops, long blocks cost less each, and consecutive iterations rarely touch one
/// element.
[[nodiscard]] std::uint64_t least_iterations(std::uint64_t n);

/// The number of groups for `n` iterations with `touches` touches each in a container of `elements`. A power
/// of two; it leaves on average least_iterations(n) to a block and 4 elements to a group.
[[nodiscard]] std::uint32_t number_of_groups(std::uint64_t n, double touches, std::uint64_t elements);

/// Cuts an uncut container into groups of about equal size.
void cut_evenly(replica& local, std::uint32_t groups);

}  // namespace stradsap::rt
