// The loops of this program, known before main in every process of one binary.
// Thread rule: filled by static initialisers, immutable afterwards.
#pragma once

#include <string_view>

#include <stradsap/abi.hpp>

namespace stradsap::rt {

void register_loop(const abi::loop_entry& entry);
/// Null where the program has no such loop.
[[nodiscard]] const abi::loop_entry* find_loop(std::uint64_t id, std::string_view type);

}  // namespace stradsap::rt
