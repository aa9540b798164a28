#include "runtime/loop/registry.hpp"

#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/log.hpp"

namespace stradsap::rt {

using loop_key = std::pair<std::uint64_t, std::string_view>;

// A function's static, so that it is there for the first static initialiser that needs it.
static std::map<loop_key, const abi::loop_entry*>& loops() {
  static std::map<loop_key, const abi::loop_entry*> all;
  return all;
}

void register_loop(const abi::loop_entry& entry) {
  const auto [at, fresh] = loops().emplace(loop_key{entry.id, entry.type.name()}, &entry);
  if (!fresh && at->second->run != entry.run) {
    die(1, fmt::format("two different loops have the id {:016x}: {} and {}", entry.id,
                       at->second->type.name(), entry.type.name()));
  }
}

const abi::loop_entry* find_loop(std::uint64_t id, std::string_view type) {
  const auto found = loops().find(loop_key{id, type});
  return found == loops().end() ? nullptr : found->second;
}

}  // namespace stradsap::rt
