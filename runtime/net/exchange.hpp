// Collective steps of a launch: every rank sends bytes to every other rank, and receives bytes from each.
// Steps are numbered within a launch, so that the next step of a fast rank never mixes with the last one of a
// slow rank.
// Large amounts are sent in pieces, and no rank sends far more pieces than it has received. So they pass
// through memory that is in use already, instead of fresh pages on both sides. If less comes back than goes
// out, the receiver tells how much it has taken.
// Thread rule: collectives on one thread of each rank; received() on the thread that delivers messages.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <stradsap/error.hpp>

#include "runtime/base/notification.hpp"
#include "runtime/net/transport.hpp"

namespace stradsap::rt {

/// The pairs of ranks between which bytes go in a step. Others neither send nor wait, so all ranks must know
/// the same pairs.
class pairs_of_ranks {
 public:
  explicit pairs_of_ranks(int world_size)
      : world_size_(world_size), has_(static_cast<std::size_t>(world_size * world_size)) {}
  void add(rank_id from, rank_id to) { has_[place(from, to)] = 1; }
  [[nodiscard]] bool has(rank_id from, rank_id to) const { return has_[place(from, to)] != 0; }
  [[nodiscard]] static pairs_of_ranks all(int world_size) {
    pairs_of_ranks every(world_size);
    std::fill(every.has_.begin(), every.has_.end(), char{1});
    return every;
  }

 private:
  [[nodiscard]] std::size_t place(rank_id from, rank_id to) const {
    return static_cast<std::size_t>(from * world_size_ + to);
  }
  int world_size_;
  std::vector<char> has_;
};

/// Another rank gave up the launch; every rank throws this.
class rank_gave_up final : public error {
 public:
  explicit rank_gave_up(const std::string& why) : error(errc::cluster, why) {}
};

class exchange {
 public:
  /// `net` may be null if there is one rank.
  exchange(rank_id self, int world_size, transport* net, wait_policy waiting = {})
      : self_(self), world_size_(world_size), net_(net), waiting_(waiting) {}

  [[nodiscard]] rank_id self() const { return self_; }
  [[nodiscard]] int world_size() const { return world_size_; }
  /// See transport::is_far().
  [[nodiscard]] bool is_far(rank_id r) const { return net_ != nullptr && net_->is_far(r); }

  /// Sets the launch and the number of the next step. Steps between two launches use higher numbers than the
  /// steps of the first launch.
  void begin(launch_id launch, std::uint32_t step = 0);
  /// The next `size` bytes for rank `to`.
  using source = std::function<bytes(rank_id to, std::size_t size)>;
  /// Takes the next bytes from a rank, of `total` in all.
  using sink = std::function<void(rank_id from, std::span<const std::byte> piece, std::uint64_t total)>;
  /// Sends sizes[r] bytes to rank r, and takes the bytes of other ranks piece by piece. Throws rank_gave_up.
  void trade(const std::vector<std::uint64_t>& sizes, const source& next, const sink& take) {
    trade(sizes, next, take, pairs_of_ranks::all(world_size_));
  }
  /// The same between `pairs` only.
  void trade(const std::vector<std::uint64_t>& sizes, const source& next, const sink& take,
             const pairs_of_ranks& pairs);
  /// Sends out[r] to rank r; result[r] came from rank r. Throws as trade() does.
  [[nodiscard]] std::vector<bytes> all_to_all(std::vector<bytes> out) {
    return all_to_all(std::move(out), pairs_of_ranks::all(world_size_));
  }
  [[nodiscard]] std::vector<bytes> all_to_all(std::vector<bytes> out, const pairs_of_ranks& pairs);
  [[nodiscard]] std::vector<bytes> all_gather(const bytes& mine);
  // ---- steps of which the two sides are apart, by their numbers ----

  /// The number of the next step. The caller gives numbers from it on to the steps below, and takes no other
  /// steps in the rest of the launch.
  [[nodiscard]] std::uint32_t next_step() const { return step_; }
  /// Sends the bytes to rank `to` and returns.
  void post(std::uint32_t step, rank_id to, const bytes& out);
  /// Whether collect() would not wait.
  [[nodiscard]] bool has_come(std::uint32_t step, const pairs_of_ranks& pairs);
  /// Waits for the bytes that the ranks of `pairs` have posted to this one; result[r] came from rank r.
  /// Throws rank_gave_up.
  [[nodiscard]] std::vector<bytes> collect(std::uint32_t step, const pairs_of_ranks& pairs);

  /// Reports to the other ranks that this rank takes no part in the rest of the launch. They throw in the
  /// next step in which they wait.
  void give_up(const std::string& why);

  /// The rank sends nothing more. A step that waits for it throws rank_gave_up. By the thread of received().
  void departed(rank_id peer);

  void received(rank_id from, part p);
  void received(rank_id from, const part_taken& t);

  /// The ranks whose part a collective step waits for now. By any thread.
  [[nodiscard]] std::vector<awaited_rank> awaits();

 private:
  /// The received pieces of a rank's part.
  struct incoming {
    std::vector<bytes> pieces;  // not taken yet
    std::uint64_t size = 0;     // of all received pieces
    std::uint64_t total = 0;
    bool has_begun = false;
    /// Whether `least` bytes are here, or all.
    [[nodiscard]] bool has(std::uint64_t least) const { return has_begun && size >= std::min(least, total); }
  };
  using step_state = std::vector<incoming>;  // for each rank
  /// This rank's side of a trade.
  struct own_trade {
    const std::vector<std::uint64_t>& sizes;  // to each rank
    std::vector<std::uint64_t> taken;         // from each rank
  };
  std::vector<bytes> trade_whole(const std::vector<const bytes*>& out, const pairs_of_ranks& pairs);
  step_state& state_of(launch_id launch, std::uint32_t step) REQUIRES(mutex_);
  void take_until(std::uint32_t step, std::uint64_t size, const sink& take, const pairs_of_ranks& pairs,
                  own_trade* mine);
  void end_step(std::uint32_t step);
  void begin_trade(std::uint32_t step);
  void pass_on(rank_id from, const incoming& came, const sink& to, std::uint32_t step,
               const pairs_of_ranks& pairs, own_trade* mine);
  /// The report of a rank that gave up this step and the rest of the launch.
  struct end_of_rank {
    launch_id launch;
    std::uint32_t step;
    std::string why;
  };
  /// A wait for `size` bytes of each rank that sends.
  struct pending_wait {
    std::uint32_t step;
    std::uint64_t size;
    const pairs_of_ranks* pairs;
    const own_trade* mine;
  };
  [[nodiscard]] bool has_come(rank_id r, const incoming& of_rank, const pending_wait& wait) const
      REQUIRES(mutex_);
  void give_up_departed(const pending_wait& wait) REQUIRES(mutex_);
  [[nodiscard]] bool is_given_up(std::uint32_t step) const REQUIRES(mutex_) {
    return gave_up_ && gave_up_->launch == launch_ && gave_up_->step <= step;
  }

  const rank_id self_;
  const int world_size_;
  transport* const net_;
  const wait_policy waiting_;
  launch_id launch_{};
  std::uint32_t step_ = 0;
  mutex mutex_;
  notification notification_;
  std::map<std::pair<launch_id, std::uint32_t>, step_state> steps_ GUARDED_BY(mutex_);
  std::optional<pending_wait> pending_ GUARDED_BY(mutex_);
  std::optional<end_of_rank> gave_up_ GUARDED_BY(mutex_);  // at the earliest step
  std::vector<rank_id> departed_ GUARDED_BY(mutex_);
  std::pair<launch_id, std::uint32_t> traded_ GUARDED_BY(mutex_){};  // the step of the last large trade
  std::vector<std::uint64_t> taken_there_ GUARDED_BY(mutex_);  // in it, of this rank's data, by each rank
};

}  // namespace stradsap::rt
