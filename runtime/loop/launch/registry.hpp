// The loops of this program, by id and name. Every process of one binary knows them before main.
// Thread rule: static initialisers fill the registry; it is immutable afterwards. A loop that runs before
// main registers itself if its initialiser has not run yet.
#pragma once

#include <string>
#include <string_view>

#include <stradsap/abi/abi.hpp>

namespace stradsap::rt {

void register_loop(const abi::loop_entry& entry);
/// Distinguishes loops of one id: the name of the loop's type. If several loops share a type, as in `static`
/// functions, also the file and offset of their code. The same in all processes of one binary.
[[nodiscard]] std::string name_of(const abi::loop_entry& entry);
/// A hash of the name. Thread rule: the driver's thread.
[[nodiscard]] std::uint64_t hash_of_name(const abi::loop_entry& entry);
/// Null if the program has no such loop.
[[nodiscard]] const abi::loop_entry* find_loop(std::uint64_t id, std::string_view name);

}  // namespace stradsap::rt
