#include "runtime/loop/blocks/signatures.hpp"

#include <algorithm>

namespace stradsap::rt {

std::uint32_t signature_table::add(std::span<const std::uint32_t> tokens) {
  all_tokens_.insert(all_tokens_.end(), tokens.begin(), tokens.end());
  token_ends_.push_back(all_tokens_.size());
  return static_cast<std::uint32_t>(token_ends_.size() - 1);
}

std::uint32_t signature_table::number(std::span<const std::uint32_t> tokens) {
  if (tokens.size() <= 4 && (tokens.empty() || tokens.back() < 65535)) {
    std::uint64_t key = 0;
    for (const std::uint32_t t : tokens) key = key << 16 | (t + 1);
    const auto found = short_.find(key);
    return found != short_.end() ? found->second : (short_[key] = add(tokens));
  }
  const std::u32string key(tokens.begin(), tokens.end());
  const auto found = long_.find(key);
  return found != long_.end() ? found->second : (long_[key] = add(tokens));
}

std::vector<std::uint32_t> signature_table::tokens(std::uint32_t signature) const {
  const std::size_t begin = signature == 0 ? 0 : token_ends_[signature - 1];
  return {all_tokens_.begin() + static_cast<std::ptrdiff_t>(begin),
          all_tokens_.begin() + static_cast<std::ptrdiff_t>(token_ends_[signature])};
}

}  // namespace stradsap::rt
