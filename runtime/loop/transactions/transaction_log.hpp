// The log of attempts, for the proof of a serial order. It notes touches while attempts run, and keeps those
// of the attempts that stand. Only in check builds under STRADSAP_CHECK=conflicts. Thread rule: one thread at
// a time. Versions are read while attempts run; one thread changes them while none runs.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/loop/access/access_log.hpp"
#include "runtime/loop/access/touch.hpp"

namespace stradsap::rt {

/// By capture and element: the number of changes so far.
using attempt_versions = std::vector<std::vector<std::uint64_t>>;

class transaction_log {
 public:
  transaction_log(const loop_frame& f, attempt_versions& versions)
      : frame_(f), versions_(versions), places_(f.site) {}

  /// Forgets the touches of the round before.
  void begin_round() { seen_.clear(); }
  /// Notes the first access of touch `k` of the round; the element is at `at`.
  void found(std::size_t k, const touch& what, const void* at, bool writes);
  /// Notes a later access of touch `k`. Call it before the access changes the element.
  void again(std::size_t k, bool writes);
  /// Notes the end of touch `k`, when its attempt is over.
  void left(std::size_t k, const touch& what, const void* at, bool changed);
  /// Keeps an iteration with an attempt that stands. Its touches follow.
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
