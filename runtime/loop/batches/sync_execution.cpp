#include "runtime/loop/batches/sync_execution.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "runtime/base/elapsed.hpp"
#include "runtime/dds/element_exchange.hpp"
#include "runtime/dds/resident_elements.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/batches/shard_overlay.hpp"
#include "runtime/loop/launch/keys.hpp"
#include "runtime/loop/plan/group_sizes.hpp"

namespace stradsap::rt {
namespace {

using steady = std::chrono::steady_clock;

constexpr std::uint32_t most_groups = 64;
constexpr std::uint64_t last_element = ~std::uint64_t{0};  // ends the elements of a container in a message

/// Gives one shard to the body.
class shard_source final : public abi::block_source {
 public:
  shard_source(const abi::block& b, iteration_check* check) : block_(b), check_(check) {}
  const abi::block* next() override { return std::exchange(given_, true) ? nullptr : &block_; }
  void failed(std::int64_t iteration, errc code, const char* what) override {
    if (check_ != nullptr) check_->abandon();
    failures.push_back({static_cast<std::uint8_t>(code), what, 0, iteration, 0});
  }
  void begin(std::int64_t j) override { check_->begin(j, nullptr); }
  void end() override { check_->end(); }
  std::vector<failure> failures;

 private:
  const abi::block& block_;
  iteration_check* check_;  // in check builds
  bool given_ = false;
};

/// A rank's shards of one batch. Each executor has shards of its own, the same in every batch, because their
/// elements are in its cache. Then it takes shards that the others have not begun.
class shard_queue {
 public:
  shard_queue(std::size_t shards, std::size_t executors)
      : shards_(shards), executors_(executors), next_(executors) {}

  /// The next shard for an executor. A number beyond this rank's shards: none is left.
  std::size_t take(std::size_t executor) {
    for (std::size_t k = 0; k < executors_; ++k) {
      const std::size_t of = (executor + k) % executors_;
      const std::size_t shard = of + executors_ * next_[of].taken.fetch_add(1, std::memory_order_relaxed);
      if (shard < shards_) return shard;
    }
    return shards_;
  }

 private:
  struct alignas(64) counter {
    std::atomic<std::size_t> taken{0};
  };

  const std::size_t shards_;
  const std::size_t executors_;
  std::vector<counter> next_;  // by executor
};

class sync_run {
 public:
  sync_run(const planning& p, std::int64_t batch, std::int64_t shards)
      : p_(p), f_(p.frame), batch_(batch <= 0 ? std::max<std::int64_t>(1, f_.n) : batch), shards_(shards) {
    const bool fits = p.shares.size() == static_cast<std::size_t>(p.ranks.world_size()) &&
                      std::is_sorted(p.shares.begin(), p.shares.end()) &&
                      p.shares.back() == static_cast<std::uint64_t>(shards);
    if (!p.shares.empty() && !fits) throw error(errc::decode, "shares that do not fit the shards");
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      partial_offsets_.push_back(partials_size_);
      partials_size_ += f_.entry->captures[c].size;
    }
  }

  loop_result run() {
    spread_containers();
    for (std::int64_t begin = 0; begin < f_.n && !stopped_; begin += batch_) {
      run_batch(begin, std::min(f_.n, begin + batch_));
    }
    return std::move(result_);
  }

 private:
  using overlays = std::vector<std::unique_ptr<shard_overlay>>;  // per capture

  [[nodiscard]] bool asks_for_ranges(std::size_t c) const {
    return (f_.entry->captures[c].mode & abi::ranges) != 0;
  }
  [[nodiscard]] shard_rule rule_of(std::size_t c) const {
    const abi::capture_info& capture = f_.entry->captures[c];
    const bool by_operator = capture.added != nullptr && !capture.added->is_sum;
    return {by_operator ? capture.added : nullptr, (capture.mode & abi::replaces) != 0};
  }
  [[nodiscard]] std::int64_t first_shard(rank_id r) const {
    if (p_.shares.empty() || r == 0) return shards_ * r / p_.ranks.world_size();
    return static_cast<std::int64_t>(p_.shares[static_cast<std::size_t>(r) - 1]);
  }

  /// Cuts written containers that have no cuts yet, and spreads them over all ranks. Fetches the containers
  /// that the loop only reads.
  void spread_containers() {
    const auto ranks = static_cast<std::uint32_t>(p_.ranks.world_size());
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.replicas[c] == nullptr) continue;
      replica& local = *f_.replicas[c];
      if (!f_.writes(c)) local.hold_all();
      if (!f_.writes(c) || !local.uncut()) continue;
      const std::uint32_t groups =
          std::min(most_groups, number_of_groups(~std::uint64_t{0}, 1, local.size()));
      cut_evenly(local, groups);
      const auto share = [&](rank_id r) {
        return static_cast<std::uint32_t>(std::uint64_t{groups} * r / ranks);
      };
      if (groups < 2) continue;
      const rank_id self = p_.ranks.self();
      local.hold_range(local.groups().begin(share(self)),
                       share(self) == share(self + 1) ? 0 : local.groups().end(share(self + 1) - 1));
      for (rank_id r = 0; r < p_.ranks.world_size(); ++r) {
        for (std::uint32_t g = share(r); g < share(r + 1); ++g) new_owners_.push_back({&local, g, r});
      }
    }
    for (const auto& [local, group, owner] : new_owners_) local->set_owner(group, owner);
    next_moment();  // new owners have their elements
  }

  /// Lets other ranks copy this rank's groups as they are now. It does not wait; a request from a rank that
  /// is ahead is answered when this rank has come that far. No request refers to an earlier moment. Groups
  /// change only after all ranks have sent the changes of their shards, and by then they have the copies they
  /// needed.
  void next_moment() { p_.copies.reach({launch_id{f_.launch.number}, ++step_}); }

  void run_batch(std::int64_t begin, std::int64_t end) {
    const std::int64_t first = first_shard(p_.ranks.self());
    const std::int64_t last = first_shard(p_.ranks.self() + 1);
    std::vector<overlays> changes(static_cast<std::size_t>(last - first));
    std::vector<std::vector<failure>> failures(changes.size());
    std::vector<assignment_log> assigned(changes.size(), assignment_log(f_));
    const std::size_t partials_at = result_.partials.size();
    result_.partials.resize(partials_at + changes.size() * partials_size_);
    batch_cost cost;
    cost.shard_seconds.resize(changes.size());
    const auto start = steady::now();
    const auto executors = static_cast<std::size_t>(p_.pool.size());
    shard_queue queue(changes.size(), executors);
    p_.pool.run([&](int executor) {
      for (std::size_t i; (i = queue.take(static_cast<std::size_t>(executor))) < changes.size();) {
        const std::int64_t s = first + static_cast<std::int64_t>(i);
        const auto begun = steady::now();
        const std::int64_t from = begin + (end - begin) * s / shards_;
        const std::int64_t to = begin + (end - begin) * (s + 1) / shards_;
        changes[i] = run_shard(from, to, result_.partials.data() + partials_at + i * partials_size_,
                               failures[i], assigned[i]);
        cost.shard_seconds[i] = static_cast<float>(seconds_since(begun));
      }
    });
    result_.work.seconds_compute += seconds_since(start) * static_cast<double>(executors);
    for (std::int64_t s = first; s < last; ++s) {
      result_.blocks.push_back(static_cast<std::uint32_t>(begin / batch_ * shards_ + s));
      result_.work.iterations +=
          static_cast<std::uint64_t>((end - begin) * (s + 1) / shards_ - (end - begin) * s / shards_);
    }
    result_.piece_seconds.insert(result_.piece_seconds.end(), cost.shard_seconds.begin(),
                                 cost.shard_seconds.end());
    note_failures(failures);
    const auto folding = steady::now();
    fold(changes, assigned);
    cost.seconds_fold = seconds_since(folding);
    if (!f_.is_timed || stopped_) return;
    for (const overlays& shard : changes) count_traffic(shard, cost);
    result_.batches.push_back(std::move(cost));
  }

  /// Counts the elements that a shard would fetch from other ranks and send to them.
  void count_traffic(const overlays& shard, batch_cost& cost) const {
    std::uint64_t changed = 0;
    std::uint64_t fetched = 0;
    std::uint32_t fetches = 0;
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (!f_.writes(c)) continue;
      const replica& local = *f_.replicas[c];
      std::vector<bool> seen(local.groups().num_groups());
      for (const auto& [element, at] : shard[c]->touched()) {
        changed += sizeof element + local.ops().size;
        if ((element & shard_overlay::new_key_bit) != 0) continue;
        const auto group = local.groups().group_of(element);
        if (seen[group]) continue;
        seen[group] = true;
        ++fetches;
        fetched += local.groups().count(group) * local.ops().size;
      }
    }
    cost.shard_bytes.push_back(changed);
    cost.shard_fetches.push_back(fetches);
    cost.shard_fetched.push_back(fetched);
  }

  overlays run_shard(std::int64_t begin, std::int64_t end, std::byte* parts, std::vector<failure>& failures,
                     assignment_log& assigned) {
    overlays mine(f_.num_captures());
    std::vector<abi::window> windows(f_.num_captures());
    std::vector<std::unique_ptr<resident_elements>> read(f_.num_captures());
    std::unique_ptr<iteration_check> check;
    if (is_checked(f_)) check = std::make_unique<iteration_check>(f_);
    if (f_.logs_accesses) check->log_into(&assigned);
    std::vector<std::byte*> partials(f_.num_captures());
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      partials[c] = parts + partial_offsets_[c];
      if (f_.replicas[c] == nullptr) continue;
      replica& local = *f_.replicas[c];
      if (!f_.writes(c)) {
        read[c] = std::make_unique<resident_elements>(local, f_.name_of(c));
        windows[c] = local.window_through(*read[c]);
        windows[c].count = windows[c].readable = local.size();
        if (check != nullptr) check->watch(c, windows[c]);
        continue;
      }
      mine[c] =
          std::make_unique<shard_overlay>(local, p_.copies, f_.name_of(c), asks_for_ranges(c), rule_of(c));
      windows[c] = mine[c]->window();
      if (check != nullptr) check->watch(c, windows[c]);
    }
    abi::block b;
    b.begin = begin;
    b.count = static_cast<std::uint64_t>(end - begin);
    b.windows = windows.data();
    b.partials = partials.data();
    shard_source source(b, check.get());
    const abi::launch_scope now(f_.launch);
    const poison::running_bodies bodies(check != nullptr);
    f_.entry->run(f_.values.data(), source);
    failures = std::move(source.failures);
    return mine;
  }

  void note_failures(const std::vector<std::vector<failure>>& failures) {
    for (const auto& of_shard : failures) {
      for (failure f : of_shard) {
        f.rank = p_.ranks.self();
        f.position = static_cast<std::uint64_t>(f.iteration);
        if (result_.failures.empty()) result_.failures.push_back(f);
      }
    }
  }

  /// Slots of new keys, by capture and shard.
  using new_slots = std::vector<std::vector<std::vector<std::uint64_t>>>;

  /// Folds a batch with one exchange for all containers. If a body threw, on any rank, the batch leaves no
  /// changes.
  void fold(const std::vector<overlays>& changes, std::vector<assignment_log>& assigned) {
    new_slots slots(f_.num_captures());
    if (inserts_keys()) {  // new keys stay, so failures must be known before
      element_exchange failures(p_.ranks);
      write_failure(failures);
      failures.trade();
      stopped_ = has_any_failed(failures);
      if (stopped_) return;
      for (std::size_t c = 0; c < f_.num_captures(); ++c) {
        if (f_.writes(c) && f_.replicas[c]->keys() != nullptr) slots[c] = slots_of_new_keys(c, changes);
      }
    }
    if (f_.logs_accesses) refuse_two_assignments(assigned, slots);
    element_exchange elements(p_.ranks);
    pack(changes, slots, elements);
    elements.trade();
    stopped_ = has_any_failed(elements);
    if (stopped_) return;
    fold_in(elements);
    elements.finish();
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.writes(c)) f_.replicas[c]->drop_copies();
    }
    next_moment();
  }

  void refuse_two_assignments(std::vector<assignment_log>& logs, const new_slots& slots) {
    std::vector<assigned_element> all;
    for (std::size_t s = 0; s < logs.size(); ++s) {
      for (assigned_element& one : logs[s].take()) {
        const bool is_new = (one.element & shard_overlay::new_key_bit) != 0;
        if (is_new) one.element = slots[one.capture][s][one.element & ~shard_overlay::new_key_bit];
        all.push_back(std::move(one));
      }
    }
    rt::refuse_two_assignments(f_, std::move(all), p_.ranks);
  }

  [[nodiscard]] bool inserts_keys() const {
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.writes(c) && f_.replicas[c]->keys() != nullptr) return true;
    }
    return false;
  }

  /// Writes to each rank whether a body threw here.
  void write_failure(element_exchange& out) const {
    for (rank_id r = 0; r < p_.ranks.world_size(); ++r) out.writer(r)(!result_.failures.empty());
  }
  [[nodiscard]] bool has_any_failed(element_exchange& in) const {
    bool failed = false;
    for (rank_id r = 0; r < p_.ranks.world_size(); ++r) failed = in.reader(r).flag() || failed;
    return failed;
  }

  std::vector<std::vector<std::uint64_t>> slots_of_new_keys(std::size_t c,
                                                            const std::vector<overlays>& changes) {
    std::vector<const abi::key_index*> keys;
    for (const overlays& shard : changes) keys.push_back(shard[c]->new_keys());
    return agree_on_keys(*f_.replicas[c], keys, p_.ranks);
  }

  /// For each owner: whether a body threw here; then, container by container, its elements as this rank's
  /// shards left them, in shard order, and `last_element`.
  void pack(const std::vector<overlays>& changes, const new_slots& slots, element_exchange& out) const {
    write_failure(out);
    if (!result_.failures.empty()) return;
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (!f_.writes(c)) continue;
      for (std::size_t s = 0; s < changes.size(); ++s) {
        pack_shard(*f_.replicas[c], *changes[s][c], slots[c].empty() ? nullptr : &slots[c][s], out);
      }
      for (rank_id r = 0; r < p_.ranks.world_size(); ++r) out.writer(r)(last_element);
    }
  }

  static void pack_shard(const replica& local, const shard_overlay& shard,
                         const std::vector<std::uint64_t>* slots, element_exchange& out) {
    for (const auto& [touched, at] : shard.touched()) {
      const bool is_new = (touched & shard_overlay::new_key_bit) != 0;
      const std::uint64_t element = is_new ? (*slots)[touched & ~shard_overlay::new_key_bit] : touched;
      const rank_id owner = local.groups().owner(local.groups().group_of(element));
      out.writer(owner)(element);
      local.ops().write(at, 1, out.writer(owner));
    }
  }

  /// Folds the elements of each container in shard order.
  void fold_in(element_exchange& in) {
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (!f_.writes(c)) continue;
      shard_fold sum(*f_.replicas[c], rule_of(c));
      for (rank_id r = 0; r < p_.ranks.world_size(); ++r) fold_container(c, sum, in.reader(r));
    }
  }

  void fold_container(std::size_t c, shard_fold& sum, abi::reader& in) const {
    std::uint64_t element = 0;
    try {
      for (in(element); element != last_element; in(element)) sum.add(element, in);
    } catch (const error& e) {
      throw error(e.code(),
                  fmt::format("{}: element {} of `{}`: {}", f_.site, element, f_.name_of(c), e.what()));
    }
  }

  struct new_owner {
    replica* local;
    std::uint32_t group;
    rank_id rank;
  };

  const planning& p_;
  const loop_frame& f_;
  const std::int64_t batch_;
  const std::int64_t shards_;
  std::vector<new_owner> new_owners_;
  std::vector<std::size_t> partial_offsets_;
  std::size_t partials_size_ = 0;
  std::uint32_t step_ = 0;
  bool stopped_ = false;  // a body threw, on any rank
  loop_result result_;
};

}  // namespace

loop_result run_sync(const planning& p, std::int64_t batch, std::int64_t shards) {
  return sync_run(p, batch, shards).run();
}

}  // namespace stradsap::rt
