// A hash of names that is the same in every process and translation unit.
#pragma once

#include <cstdint>
#include <string_view>

namespace stradsap::pp {

/// FNV-1a: G. Fowler, L. C. Noll, K.-P. Vo, 64 bits.
constexpr std::uint64_t text_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace stradsap::pp
