#include "runtime/loop/launch/keys.hpp"

namespace stradsap::rt {

std::vector<std::vector<std::uint64_t>> agree_on_keys(replica& local,
                                                      const std::vector<const abi::key_index*>& mine,
                                                      exchange& ranks) {
  bytes own;
  abi::writer out(own);
  out(static_cast<std::uint64_t>(mine.size()));
  for (const abi::key_index* keys : mine) keys->write_keys(0, out);

  const std::vector<bytes> all = ranks.all_gather(own);
  std::vector<std::vector<std::uint64_t>> slots;
  for (std::size_t r = 0; r < all.size(); ++r) {
    abi::reader in(all[r]);
    for (std::size_t lists = in.count(sizeof(std::uint64_t)); lists > 0; --lists) {
      std::vector<std::uint64_t> added = local.keys()->add_keys(in);
      if (static_cast<rank_id>(r) == ranks.self()) slots.push_back(std::move(added));
    }
  }
  local.follow_keys();
  return slots;
}

}  // namespace stradsap::rt
