// Numbers for signatures, the sets of groups that iterations touch.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <tsl/robin_map.h>

namespace stradsap::rt {

class signature_table {
 public:
  /// The number of the signature `tokens` (sorted, each once); a new one follows on the last.
  std::uint32_t number(std::span<const std::uint32_t> tokens);

 private:
  /// The table takes the low bits of a hash; std::hash of an integer leaves packed tokens there as they are.
  struct mix {
    std::size_t operator()(std::uint64_t key) const {
      key = (key ^ (key >> 32)) * 0x9e3779b97f4a7c15u;
      return key ^ (key >> 29);
    }
  };

  tsl::robin_map<std::uint64_t, std::uint32_t, mix> short_;  // up to four tokens below 65,535
  tsl::robin_map<std::u32string, std::uint32_t> long_;
  std::uint32_t size_ = 0;
};

}  // namespace stradsap::rt
