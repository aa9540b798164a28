#include "runtime/loop/blocks/signatures.hpp"

#include <algorithm>

namespace stradsap::rt {

std::uint32_t signature_table::number(std::span<const std::uint32_t> tokens) {
  if (tokens.size() <= 4 && (tokens.empty() || tokens.back() < 65535)) {
    std::uint64_t key = 0;
    for (const std::uint32_t t : tokens) key = key << 16 | (t + 1);
    const auto found = short_.find(key);
    return found != short_.end() ? found->second : (short_[key] = size_++);
  }
  const std::u32string key(tokens.begin(), tokens.end());
  const auto found = long_.find(key);
  return found != long_.end() ? found->second : (long_[key] = size_++);
}

}  // namespace stradsap::rt
