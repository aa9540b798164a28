// The ranges of values in containers with subscripts of others. Bodies then check the range once, instead of
// each subscript: docs/decisions/hoisted-checks.md. Thread rule: main thread of the rank.
#pragma once

#include "runtime/loop/launch/frame.hpp"

namespace stradsap::rt {

/// Before the windows of a loop are made, which has all elements that it reads: lets windows of its
/// containers with subscripts tell the range of their values, where that pays. Counts alone decide, since the
/// bits may depend on it: the native compiler packs a loop without checks. If it regroups sums, time moves no
/// loop between ways to run it.
void show_values(const loop_frame& f);
/// Whether show_values() may ask for the range of the values of capture c.
[[nodiscard]] bool may_show_values(const loop_frame& f, std::size_t c);

}  // namespace stradsap::rt
