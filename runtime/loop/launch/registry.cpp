#include "runtime/loop/launch/registry.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace stradsap::rt {

using entries = std::vector<const abi::loop_entry*>;

// A function's static, so that it exists for the first static initialiser.
static std::map<std::uint64_t, entries>& loops() {
  static std::map<std::uint64_t, entries> all;
  return all;
}

static std::uint64_t registrations = 0;

/// Ignores a loop that is known already: several files register the loop of one template or inline function.
void register_loop(const abi::loop_entry& entry) {
  entries& known = loops()[entry.id];
  const auto is_same = [&](const abi::loop_entry* one) { return one->run == entry.run; };
  if (std::none_of(known.begin(), known.end(), is_same)) known.push_back(&entry);
  ++registrations;
}

/// The file and offset of a loop's code. Its address differs between processes.
static std::string code_place(const abi::loop_entry& entry) {
  auto* const code = reinterpret_cast<const char*>(entry.run);
  Dl_info image{};
  if (dladdr(reinterpret_cast<const void*>(code), &image) == 0 || image.dli_fbase == nullptr)
    return fmt::format("@{}", static_cast<const void*>(code));
  const std::string_view path = image.dli_fname == nullptr ? "" : image.dli_fname;
  return fmt::format("@{}+{:x}", path.substr(path.rfind('/') + 1),
                     static_cast<std::uint64_t>(code - static_cast<const char*>(image.dli_fbase)));
}

std::string name_of(const abi::loop_entry& entry) {
  const entries& known = loops()[entry.id];
  const std::string_view type = entry.type.name();
  const auto is_like = [&](const abi::loop_entry* one) {
    return one->run != entry.run && type == one->type.name();
  };
  const bool is_alone = std::none_of(known.begin(), known.end(), is_like);
  return std::string(type) + (is_alone ? std::string() : code_place(entry));
}

std::uint64_t hash_of_name(const abi::loop_entry& entry) {
  static std::unordered_map<const abi::loop_entry*, std::uint64_t> known;
  static std::uint64_t loops_then = 0;  // a loop that is registered later may lengthen the names of others
  if (std::exchange(loops_then, registrations) != registrations) known.clear();
  const auto [found, is_new] = known.try_emplace(&entry, 0);
  if (!is_new) return found->second;
  const std::string name = name_of(entry);
  return found->second = abi::hash_bytes(name.data(), name.size());
}

const abi::loop_entry* find_loop(std::uint64_t id, std::string_view name) {
  const auto found = loops().find(id);
  if (found == loops().end()) return nullptr;
  for (const abi::loop_entry* one : found->second) {
    if (name_of(*one) == name) return one;
  }
  return nullptr;
}

}  // namespace stradsap::rt
