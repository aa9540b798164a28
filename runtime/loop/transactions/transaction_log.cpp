#include "runtime/loop/transactions/transaction_log.hpp"

namespace stradsap::rt {

std::uint64_t transaction_log::version_of(const touch& what) const {
  return versions_[what.capture][what.element];
}

void transaction_log::found(std::size_t k, const touch& what, const void* at, bool writes) {
  const std::uint64_t hash = hash_of(*frame_.replicas[what.capture], at);
  seen_.resize(k + 1);
  seen_[k] = {version_of(what), hash, hash, places_.number_of(abi::current_access), writes, false};
}

void transaction_log::again(std::size_t k, bool writes) {
  if (!writes || seen_[k].writes) return;
  seen_[k].writes = true;
  seen_[k].place = places_.number_of(abi::current_access);
}

void transaction_log::left(std::size_t k, const touch& what, const void* at, bool changed) {
  seen& one = seen_[k];
  one.writes = changed;
  one.after = hash_of(*frame_.replicas[what.capture], at);
  one.torn = version_of(what) != one.version;
}

void transaction_log::stands(std::size_t k, const touch& what) {
  seen& one = seen_[k];
  if (one.writes) one.torn = versions_[what.capture][what.element]++ != one.version || one.torn;
  log_.touches.push_back({static_cast<std::uint32_t>(log_.iterations.size() - 1),
                          static_cast<std::uint32_t>(frame_.first_of(what.capture)), what.element,
                          one.version, one.before, one.after, one.place, one.writes, one.torn});
}

}  // namespace stradsap::rt
