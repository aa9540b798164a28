// Ids of the objects that several ranks refer to. Each id has a type of its own. Thread rule: values.
#pragma once

#include <cstdint>

namespace stradsap::rt {

using rank_id = int;
inline constexpr rank_id driver_rank = 0;

/// A container, numbered by the driver in order of creation.
enum class container_id : std::uint32_t { none = ~std::uint32_t{0} };
/// One call of a loop operator, numbered by the driver.
enum class launch_id : std::uint64_t {};
/// The key of a kept plan: one loop on one set of containers.
enum class plan_id : std::uint64_t {};

}  // namespace stradsap::rt
