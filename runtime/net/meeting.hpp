// Collects the hellos of the other ranks, and checks that they are of this run. Thread rule: thread-safe.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/base/mutex.hpp"
#include "runtime/base/options.hpp"
#include "runtime/net/machine_kind.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

class meeting {
 public:
  explicit meeting(const options& o) : options_(o) {}

  /// The hello of this rank.
  [[nodiscard]] hello greeting() const;
  /// True if the rank is new and of this run.
  [[nodiscard]] bool greeted(rank_id from, const hello& h);
  /// The rank has broken the protocol: if it is not here yet, it never will be.
  void fail(rank_id from, const std::string& why);
  using place_of_rank = std::function<std::string(rank_id)>;
  /// Blocks until all ranks are here; the driver's rank then warns of different machines. Throws
  /// error(errc::cluster) at the start time-out, or on a refusal. The message names `socket`, the address of
  /// this rank, and the places of the missing ranks.
  void wait(const std::string& socket, const place_of_rank& place_of);

 private:
  [[nodiscard]] bool has_met(rank_id rank) const REQUIRES(mutex_);
  [[nodiscard]] std::string missing(const place_of_rank& place_of) const REQUIRES(mutex_);

  const options& options_;
  mutex mutex_;
  condition changed_;
  std::vector<kind_of_rank> met_ GUARDED_BY(mutex_);
  std::string refusal_ GUARDED_BY(mutex_);
};

}  // namespace stradsap::rt
