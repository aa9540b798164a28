// Collective steps of a launch: every rank hands every other one something and gets something from each.
// Steps are numbered within a launch, so that a fast rank's next step never mixes with a slow one's last.
// Much travels in pieces, and no rank sends many more than it has got and taken: so they pass through memory
// that is in use already, and not through as much again of fresh pages on either side.
// Thread rule: collectives on one thread a rank; received() by who receives, one thread at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <stradsap/error.hpp>

#include "runtime/base/arrival.hpp"
#include "runtime/net/transport.hpp"

namespace stradsap::rt {

/// Another rank gave up: all know of it.
class rank_gave_up final : public error {
 public:
  explicit rank_gave_up(const std::string& why) : error(errc::cluster, why) {}
};

class exchange {
 public:
  /// `net` may be null where there is one rank.
  exchange(rank_id self, int world_size, transport* net, patience waiting = {})
      : self_(self), world_size_(world_size), net_(net), waiting_(waiting) {}

  [[nodiscard]] rank_id self() const { return self_; }
  [[nodiscard]] int world_size() const { return world_size_; }

  /// Steps count from here. Between two launches they go on at higher numbers than the first one's.
  void begin(launch_id launch, std::uint32_t step = 0);
  /// The next `size` bytes for rank `to`.
  using source = std::function<bytes(rank_id to, std::size_t size)>;
  /// The next bytes from a rank, of `total` in all.
  using sink = std::function<void(rank_id from, std::span<const std::byte> piece, std::uint64_t total)>;
  /// Rank r gets sizes[r] bytes of this one; what it sends is taken piece by piece, as it comes. Throws
  /// rank_gave_up.
  void trade(const std::vector<std::uint64_t>& sizes, const source& next, const sink& take);
  /// out[r] goes to rank r; the result's [r] came from rank r. Throws as trade() does.
  [[nodiscard]] std::vector<bytes> all_to_all(std::vector<bytes> out);
  [[nodiscard]] std::vector<bytes> all_gather(const bytes& mine);
  /// Tells the others, who wait in the next step, that this rank cannot take part.
  void give_up(const std::string& why);

  void received(rank_id from, part p);

 private:
  /// What has come of a rank's part.
  struct incoming {
    std::vector<bytes> pieces;  // that nobody has taken yet
    std::uint64_t size = 0;     // of all that came
    std::uint64_t total = 0;
    bool has_begun = false;
    bool failed = false;
    /// All of it, or at least so much, or why there will be none.
    [[nodiscard]] bool has(std::uint64_t least) const {
      return failed || (has_begun && size >= std::min(least, total));
    }
  };
  using step_state = std::vector<incoming>;  // per rank
  step_state& state_of(launch_id launch, std::uint32_t step) REQUIRES(mutex_);
  void take_until(std::uint32_t step, std::uint64_t size, const sink& take);
  void end_step(std::uint32_t step);

  const rank_id self_;
  const int world_size_;
  transport* const net_;
  const patience waiting_;
  launch_id launch_{};
  std::uint32_t step_ = 0;
  mutex mutex_;
  arrival arrival_;
  std::map<std::pair<launch_id, std::uint32_t>, step_state> steps_ GUARDED_BY(mutex_);
};

}  // namespace stradsap::rt
