// The loops of this program, known before main in every process of one binary.
// Thread rule: filled by static initialisers, immutable afterwards. A loop that runs before main registers
// itself, if its initialiser has not yet run.
#pragma once

#include <string>
#include <string_view>

#include <stradsap/abi.hpp>

namespace stradsap::rt {

void register_loop(const abi::loop_entry& entry);
/// What tells loops of one id apart, the same in all processes of one binary: the type, and where the code
/// lies if one type stands for several. So it is of functions that each translation unit has for itself.
[[nodiscard]] std::string name_of(const abi::loop_entry& entry);
/// Null where the program has no such loop.
[[nodiscard]] const abi::loop_entry* find_loop(std::uint64_t id, std::string_view name);

}  // namespace stradsap::rt
