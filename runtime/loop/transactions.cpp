#include "runtime/loop/transactions.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace stradsap::rt {

// Of a round. The first is small, since nobody knows yet how much collides.
static constexpr std::size_t first_size = 256;
static constexpr std::size_t most_members = 4096;  // more do not fit into a core's cache
/// Of all copies that a round makes. They are to be found in a cache when they are put in place.
static constexpr std::size_t most_bytes = std::size_t{8} << 20;
/// What a round has to do before it is worth waking other threads.
static constexpr double least_seconds = 100e-6;

std::size_t next_round_size(std::size_t members, std::size_t stood, std::size_t size) {
  if (members < size) return size;  // few were left: that says nothing of more
  if (4 * stood >= 3 * members) return std::min(most_members, 2 * size);
  if (2 * stood < members) return std::max<std::size_t>(1, size / 2);
  return size;
}

namespace {

class rounds {
 public:
  rounds(const loop_frame& f, executors& lanes, const std::vector<std::byte*>& partials)
      : frame_(f), executors_(lanes), partials_(partials), round_(f) {
    for (int lane = 0; lane < lanes.lanes(); ++lane)
      lanes_.push_back(std::make_unique<transaction_lane>(f, round_, lane));
  }

  transactions_end run() {
    while (!end_.failed && choose_members()) {
      run_members();
      if (round_.has_new_keys) settle_keys();
      round_.stop = round_.has_failures ? first_failure() : transaction_round::nobody;
      on_lanes([this](std::size_t lane) { lanes_[lane]->settle(); });
      fold();
      sort_out();
    }
    for (const auto& lane : lanes_) end_.logs.push_back(lane->take_log());
    end_.logs.back().start = std::move(new_states_);
    return std::move(end_);
  }

 private:
  /// The lowest unfinished iterations: those that have run before come before all others.
  bool choose_members() {
    const std::size_t again = std::min(size_, waiting_.size());
    std::vector<std::int64_t> members(waiting_.begin(),
                                      waiting_.begin() + static_cast<std::ptrdiff_t>(again));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(again));
    while (members.size() < size_ && next_ < frame_.n) members.push_back(next_++);
    if (members.empty()) return false;
    round_.number = static_cast<std::uint32_t>(end_.rounds++);
    round_.begin(std::move(members));
    return true;
  }

  /// How many threads take part changes nothing but time.
  void run_members() {
    const auto count = static_cast<double>(round_.members.size());
    alone_ = executors_.lanes() == 1 || count * seconds_each_ < least_seconds;
    for (const auto& lane : lanes_) lane->begin_round();
    on_lanes([this](std::size_t lane) { lanes_[lane]->run(); });
    double seconds = 0;
    for (const auto& lane : lanes_) seconds += lane->seconds();
    seconds_each_ = seconds / count;
  }

  template <class Job> void on_lanes(const Job& job) {
    if (alone_) return job(0);
    executors_.run([&](int lane) { job(static_cast<std::size_t>(lane)); });
  }

  transaction_lane& lane_of(std::uint32_t member) {
    return *lanes_[static_cast<std::size_t>(round_.attempts[member].lane)];
  }
  [[nodiscard]] std::uint32_t num_members() const {
    return static_cast<std::uint32_t>(round_.members.size());
  }

  /// Keys get their slots in the order of members, whoever met them.
  void settle_keys() {
    for (std::uint32_t member = 0; member < num_members(); ++member) {
      const auto& keys = round_.attempts[member].new_keys;
      for (std::size_t c = 0; c < keys.size(); ++c) {
        if (keys[c] != nullptr) lane_of(member).settle_keys(member, c, slots_of(*keys[c], c));
      }
    }
  }

  std::vector<std::uint64_t> slots_of(const abi::key_index& keys, std::size_t c) {
    container_store& store = *frame_.stores[c];
    bytes travelling;
    abi::writer out(travelling);
    keys.write_keys(0, out);
    abi::reader in(travelling);
    std::vector<std::uint64_t> slots = store.keys()->add_keys(in);
    const std::uint64_t before = store.size();
    if (store.keys()->size() == before) return slots;
    (void)store.add_entry();  // and those of the others
    round_.reserved.cover(c, store.size());
    if (frame_.logs_accesses) note_new_entries(c, before);
    return slots;
  }

  void note_new_entries(std::size_t c, std::uint64_t first) {
    const container_store& store = *frame_.stores[c];
    round_.versions[c].resize(store.size());
    logged_state state{static_cast<std::uint32_t>(c), first, {}};
    for (std::uint64_t i = first; i < store.size(); ++i) state.hashes.push_back(hash_of(store, store.at(i)));
    new_states_.push_back(std::move(state));
  }

  /// The first member whose exception is no lower one's doing, or nobody.
  std::uint32_t first_failure() {
    for (std::uint32_t member = 0; member < num_members(); ++member) {
      if (!round_.attempts[member].failed || !lane_of(member).is_first(member)) continue;
      end_.failed = round_.attempts[member].failed;
      return member;
    }
    return transaction_round::nobody;
  }

  void fold() {
    if (frame_.has(usage::accumulated)) {
      on_lanes([this](std::size_t lane) { fold_added(lane); });
    }
    if (round_.partials_size == 0) return;
    for (std::uint32_t member = 0; member < num_members(); ++member) {
      if (round_.attempts[member].stands) fold_partials(round_.partials_of(member));
    }
  }

  void fold_added(std::size_t lane) {
    for (std::uint32_t member = 0; member < num_members(); ++member) {
      if (round_.attempts[member].stands)
        lane_of(member).fold_added(member, lane, alone_ ? 1 : lanes_.size());
    }
  }

  void fold_partials(const std::byte* parts) {
    for (std::size_t c = 0; c < partials_.size(); ++c) {
      const abi::capture_info& capture = frame_.entry->captures[c];
      if (capture.combine != nullptr) capture.combine(partials_[c], parts + round_.partial_offsets[c]);
    }
  }

  /// Who has not stood waits before those who were not taken.
  void sort_out() {
    std::vector<std::int64_t> waiting;
    for (std::uint32_t member = 0; member < num_members(); ++member) {
      if (!round_.attempts[member].stands) waiting.push_back(round_.members[member]);
    }
    end_.retries += waiting.size();
    size_ = next_round_size(num_members(), num_members() - waiting.size(), size_);
    std::size_t copied = 0;  // by whom depends on threads, the sum does not
    for (const auto& lane : lanes_) copied += lane->copied();
    if (copied > most_bytes) size_ = std::clamp<std::size_t>(num_members() * most_bytes / copied, 1, size_);
    waiting_.insert(waiting_.begin(), waiting.begin(), waiting.end());
  }

  const loop_frame& frame_;
  executors& executors_;
  const std::vector<std::byte*>& partials_;
  transaction_round round_;
  std::vector<std::unique_ptr<transaction_lane>> lanes_;
  std::deque<std::int64_t> waiting_;  // have run, and not stood, in rising order
  std::int64_t next_ = 0;             // of those that have not run
  std::size_t size_ = first_size;
  double seconds_each_ = 0;               // of an attempt
  bool alone_ = true;                     // this round is one lane's
  std::vector<logged_state> new_states_;  // of keys that were added
  transactions_end end_;
};

}  // namespace

transactions_end run_as_transactions(const loop_frame& f, executors& lanes,
                                     const std::vector<std::byte*>& partials) {
  return rounds(f, lanes, partials).run();
}

}  // namespace stradsap::rt
