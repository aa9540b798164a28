// What attempts found and left, for the proof of a serial order: noted while they run, kept of those that
// stand. Only in check builds under STRADSAP_CHECK=conflicts. Thread rule: one thread at a time; versions are
// read while attempts run and changed by one thread while none does.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/loop/access_log.hpp"
#include "runtime/loop/touch.hpp"

namespace stradsap::rt {

/// Changes of each element so far, by capture.
using attempt_versions = std::vector<std::vector<std::uint64_t>>;

class transaction_log {
 public:
  transaction_log(const loop_frame& f, attempt_versions& versions)
      : frame_(f), versions_(versions), places_(f.site) {}

  /// All attempts of before are over.
  void begin_round() { seen_.clear(); }
  /// Touch `k` of the round begins; its element is at `at`.
  void found(std::size_t k, const touch& what, const void* at, bool writes);
  /// Touch `k` of the round is about to be done, perhaps not for the first time.
  void again(std::size_t k, bool writes);
  /// Its attempt is over.
  void left(std::size_t k, const touch& what, const void* at, bool changed);
  /// The attempt stands; then its touches.
  void stands(std::int64_t iteration, std::uint32_t round) { log_.iterations.push_back({iteration, round}); }
  void stands(std::size_t k, const touch& what);

  [[nodiscard]] access_log take() {
    log_.places = places_.take();
    return std::move(log_);
  }

 private:
  struct seen {
    std::uint64_t version;
    std::uint64_t before;
    std::uint64_t after;
    std::uint32_t place;
    bool writes;
    bool torn;
  };
  [[nodiscard]] std::uint64_t version_of(const touch& what) const;

  const loop_frame& frame_;
  attempt_versions& versions_;
  place_list places_;
  std::vector<seen> seen_;  // by touch of the round
  access_log log_;
};

}  // namespace stradsap::rt
