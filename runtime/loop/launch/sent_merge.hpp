// Merge rules on their way to other processes of the same build, which load a program's functions at other
// addresses. Thread rule: any.
#pragma once

#include <stradsap/consistency.hpp>

#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

[[nodiscard]] sent_merge as_sent(const merge::rule& how);
/// Throws error(errc::decode) if there is no such rule, or no such function in this process.
[[nodiscard]] merge::rule as_rule(const sent_merge& sent);

}  // namespace stradsap::rt
