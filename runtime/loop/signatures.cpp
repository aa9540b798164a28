#include "runtime/loop/signatures.hpp"

#include <algorithm>

namespace stradsap::rt {

std::uint32_t signature_table::add(std::span<const std::uint32_t> tokens) {
  all_tokens_.insert(all_tokens_.end(), tokens.begin(), tokens.end());
  token_ends_.push_back(all_tokens_.size());
  counts_.push_back(0);
  return static_cast<std::uint32_t>(counts_.size() - 1);
}

std::uint32_t signature_table::count(std::span<const std::uint32_t> tokens) {
  std::uint32_t number = 0;
  if (tokens.size() <= 4 && (tokens.empty() || tokens.back() < 65535)) {
    std::uint64_t key = 0;
    for (const std::uint32_t t : tokens) key = key << 16 | (t + 1);
    const auto found = short_.find(key);
    number = found != short_.end() ? found->second : (short_[key] = add(tokens));
  } else {
    const std::u32string key(tokens.begin(), tokens.end());
    const auto found = long_.find(key);
    number = found != long_.end() ? found->second : (long_[key] = add(tokens));
  }
  ++counts_[number];
  return number;
}

std::vector<std::uint32_t> signature_table::tokens(std::uint32_t signature) const {
  const std::size_t begin = signature == 0 ? 0 : token_ends_[signature - 1];
  return {all_tokens_.begin() + static_cast<std::ptrdiff_t>(begin),
          all_tokens_.begin() + static_cast<std::ptrdiff_t>(token_ends_[signature])};
}

}  // namespace stradsap::rt
