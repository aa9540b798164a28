#include "runtime/loop/batches/sync_execution.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include <stradsap/abi/merge.hpp>

#include "runtime/base/elapsed.hpp"
#include "runtime/dds/element_exchange.hpp"
#include "runtime/dds/resident_elements.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/accumulate/batch_container.hpp"
#include "runtime/loop/batches/shard_overlay.hpp"
#include "runtime/loop/launch/keys.hpp"
#include "runtime/loop/plan/group_sizes.hpp"
#include "runtime/loop/run/known_values.hpp"

namespace stradsap::rt {
namespace {

using steady = std::chrono::steady_clock;

constexpr std::uint32_t most_groups = 64;
constexpr std::size_t most_windows = 4;  // of an executor: more shards share one, which stays in its cache
constexpr std::uint64_t last_element = ~std::uint64_t{0};  // ends the elements of a container in a message

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
  sync_run(const planning& p, const batch_shape& shape, batch_memory& kept)
      : p_(p),
        f_(p.frame),
        batch_(shape.batch <= 0 ? std::max<std::int64_t>(1, f_.n) : shape.batch),
        shards_(shape.shards),
        how_(shape.merge),
        kept_(kept) {
    const bool fits = p.shares.size() == static_cast<std::size_t>(p.ranks.world_size()) &&
                      std::is_sorted(p.shares.begin(), p.shares.end()) &&
                      p.shares.back() == static_cast<std::uint64_t>(shards_);
    if (!p.shares.empty() && !fits) throw error(errc::decode, "shares that do not fit the shards");
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      partial_offsets_.push_back(partials_size_);
      partials_size_ += f_.entry->captures[c].size;
    }
    first_ = first_shard(p.ranks.self());
    mine_ = static_cast<std::size_t>(first_shard(p.ranks.self() + 1) - first_);
    has_own_windows_ = mine_ <= most_windows * static_cast<std::size_t>(p.pool.size());
  }

  loop_result run() {
    refuse_merge_without_numbers();
    spread_containers();
    f_.begin(work_stage::running,
             static_cast<std::uint64_t>(f_.n) * mine_ / static_cast<std::uint64_t>(shards_));
    try {
      for (std::int64_t begin = 0; begin < f_.n && !stopped_; begin += batch_) {
        run_batch(begin, std::min(f_.n, begin + batch_));
      }
    } catch (...) {  // results may not be on all ranks
      for (std::size_t c = 0; c < f_.num_captures(); ++c) {
        if (f_.writes(c)) f_.replicas[c]->drop_copies();
      }
      throw;
    }
    windowed_.clear();
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.writes(c)) kept_.remove_large(*f_.replicas[c]);
    }
    return std::move(result_);
  }

 private:
  using overlays = std::vector<std::unique_ptr<shard_overlay>>;  // per capture

  /// The shards of one batch on this rank. Numbers of shards are those of this rank.
  struct batch_run {
    std::int64_t begin;
    std::int64_t end;
    std::byte* partials;
    std::vector<overlays> changes;  // of dmaps
    std::vector<std::vector<failure>> failures;
    std::vector<assignment_log> assigned;
    batch_cost cost;
  };

  /// Gives shards to the body, one after another, on one executor.
  class executor_source final : public abi::block_source {
   public:
    executor_source(sync_run& of, batch_run& batch, shard_queue& queue, int executor)
        : of_(of),
          batch_(batch),
          queue_(queue),
          executor_(static_cast<std::size_t>(executor)),
          check_(is_checked(of.f_) ? std::make_unique<iteration_check>(of.f_) : nullptr),
          windows_(of.f_.num_captures()),
          read_(of.f_.num_captures()),
          partials_(of.f_.num_captures()) {
      for (std::size_t c = 0; c < windows_.size(); ++c) {
        if (of_.f_.replicas[c] != nullptr && !of_.f_.writes(c)) open_to_read(c);
        if (of_.windowed_[c] != nullptr && !of_.has_own_windows_) of_.windowed_[c]->begin_batch(executor_);
      }
    }

    const abi::block* next() override {
      if (shard_ < of_.mine_) end_shard();
      shard_ = queue_.take(executor_);
      if (shard_ >= of_.mine_) return nullptr;
      begin_shard();
      return &block_;
    }
    void failed(std::int64_t iteration, errc code, const char* what) override {
      if (check_ != nullptr) check_->abandon();
      batch_.failures[shard_].push_back({static_cast<std::uint8_t>(code), what, 0, iteration, 0});
    }
    void begin(std::int64_t j) override { check_->begin(j, nullptr); }
    void end() override { check_->end(); }

   private:
    void open_to_read(std::size_t c) {
      replica& local = *of_.f_.replicas[c];
      read_[c] = std::make_unique<resident_elements>(local, of_.f_.name_of(c));
      windows_[c] = local.window_through(*read_[c]);
      windows_[c].count = windows_[c].readable = local.size();
      if (check_ != nullptr) check_->watch(c, windows_[c]);
    }

    void begin_shard() {
      begun_ = steady::now();
      block_ = {};
      block_.begin = of_.first_iteration(batch_, shard_);
      block_.count = static_cast<std::uint64_t>(of_.first_iteration(batch_, shard_ + 1) - block_.begin);
      block_.windows = windows_.data();
      block_.partials = partials_.data();
      block_.is_whole = true;
      batch_.changes[shard_].resize(windows_.size());
      for (std::size_t c = 0; c < windows_.size(); ++c) {
        partials_[c] = batch_.partials + shard_ * of_.partials_size_ + of_.partial_offsets_[c];
        if (of_.f_.replicas[c] != nullptr && of_.f_.writes(c)) open_to_write(c);
      }
      if (of_.f_.logs_accesses) check_->log_into(&batch_.assigned[shard_]);
    }

    [[nodiscard]] std::size_t window() const { return of_.has_own_windows_ ? shard_ : executor_; }

    void open_to_write(std::size_t c) {
      if (batch_container* const container = of_.windowed_[c].get()) {
        block_.is_whole = block_.is_whole && container->is_whole();
        if (of_.has_own_windows_) container->begin_batch(shard_);
        windows_[c] =
            container->open(window(), block_.begin, block_.begin + static_cast<std::int64_t>(block_.count));
      } else {
        batch_.changes[shard_][c] = std::make_unique<shard_overlay>(*of_.f_.replicas[c], of_.p_.copies,
                                                                    of_.f_.name_of(c), of_.rule_of(c));
        windows_[c] = batch_.changes[shard_][c]->window();
      }
      if (check_ != nullptr) check_->watch(c, windows_[c]);
    }

    void end_shard() {
      of_.f_.count(static_cast<int>(executor_), block_.count);
      for (const auto& container : of_.windowed_) {
        if (container != nullptr) container->close(window(), shard_);
      }
      batch_.cost.shard_seconds[shard_] = static_cast<float>(seconds_since(begun_));
    }

    sync_run& of_;
    batch_run& batch_;
    shard_queue& queue_;
    const std::size_t executor_;
    const std::unique_ptr<iteration_check> check_;  // in check builds
    std::vector<abi::window> windows_;              // per capture
    std::vector<std::unique_ptr<resident_elements>> read_;
    std::vector<std::byte*> partials_;
    abi::block block_;
    std::size_t shard_ = ~std::size_t{0};
    steady::time_point begun_;
  };

  [[nodiscard]] shard_rule rule_of(std::size_t c) const {
    const bool is_relaxed = !f_.relaxed.empty() && f_.relaxed[c];
    return rule_for(f_.entry->captures[c], is_relaxed ? f_.relaxed[c]->merge : how_, is_relaxed);
  }
  [[nodiscard]] std::int64_t first_shard(rank_id r) const {
    if (p_.shares.empty() || r == 0) return shards_ * r / p_.ranks.world_size();
    return static_cast<std::int64_t>(p_.shares[static_cast<std::size_t>(r) - 1]);
  }
  /// The first iteration of a shard of this rank.
  [[nodiscard]] std::int64_t first_iteration(const batch_run& b, std::size_t shard) const {
    return b.begin + (b.end - b.begin) * (first_ + static_cast<std::int64_t>(shard)) / shards_;
  }
  /// Of a loop that is one batch: several leave gaps between the iterations of a rank.
  [[nodiscard]] bool is_read_at_index(std::size_t c) const {
    return batch_ >= f_.n && f_.uses[c] == usage::aligned_read;
  }
  [[nodiscard]] element_range own_iterations() const {
    const auto first = [&](std::int64_t shard) { return static_cast<std::uint64_t>(f_.n * shard / shards_); };
    return {first(first_), first(first_ + static_cast<std::int64_t>(mine_))};
  }
  [[nodiscard]] bool is_map(std::size_t c) const { return f_.replicas[c]->keys() != nullptr; }

  void refuse_merge_without_numbers() const {
    constexpr const char* names[] = {"sum", "mean", "min", "max", "adaptive", "last"};
    std::string written;
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (!f_.writes(c)) continue;
      if (f_.replicas[c]->ops().can_merge_by(how_)) return;
      written += fmt::format("{}`{}`", written.empty() ? "" : ", ", f_.name_of(c));
    }
    if (written.empty()) return;
    const std::string what =
        how_.which() == merge::rule::kind::function
            ? fmt::format("the merge function folds {}",
                          abi::readable_type(how_.function().signature->type->name()))
            : fmt::format("merge::{} folds {}", names[static_cast<std::size_t>(how_.which())],
                          how_.which() == merge::rule::kind::adaptive ? "fractions" : "numbers");
    throw error(errc::unsupported, fmt::format("{}: {}, and {} has none", f_.site, what, written));
  }

  /// Cuts written containers that have no cuts yet, and spreads them over all ranks. Fetches the elements
  /// that the loop only reads.
  void spread_containers() {
    const auto ranks = static_cast<std::uint32_t>(p_.ranks.world_size());
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.replicas[c] == nullptr) continue;
      replica& local = *f_.replicas[c];
      if (is_read_at_index(c)) {
        local.borrow_range(own_iterations());
      } else if (!f_.writes(c) || folds_everywhere(rule_of(c), local)) {
        local.hold_all();
      }
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
    show_values(f_);
    for (const auto& [local, group, owner] : new_owners_) local->set_owner(group, owner);
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      const bool is_windowed = f_.writes(c) && !is_map(c);
      const auto windows = has_own_windows_ ? mine_ : static_cast<std::size_t>(p_.pool.size());
      windowed_.push_back(is_windowed
                              ? std::make_unique<batch_container>(p_, kept_, c, rule_of(c), batch_, shards_,
                                                                  mine_, windows, has_own_windows_)
                              : nullptr);
    }
    next_moment();  // new owners have their elements
  }

  /// Lets other ranks copy this rank's groups as they are now. It does not wait; a request from a rank that
  /// is ahead is answered when this rank has come that far. No request refers to an earlier moment. Groups
  /// change only after all ranks have sent the changes of their shards, and by then they have the copies they
  /// needed.
  void next_moment() { p_.copies.reach({launch_id{f_.launch.number}, ++step_}); }

  void run_batch(std::int64_t begin, std::int64_t end) {
    const std::size_t partials_at = result_.partials.size();
    result_.partials.resize(partials_at + mine_ * partials_size_);
    batch_run batch{begin, end, result_.partials.data() + partials_at, {}, {}, {}, {}};
    batch.changes.resize(mine_);
    batch.failures.resize(mine_);
    batch.assigned = std::vector<assignment_log>(mine_, assignment_log(f_));
    batch.cost.shard_seconds.resize(mine_);
    run_shards(batch);
    for (std::size_t s = 0; s < mine_; ++s) {
      result_.blocks.push_back(static_cast<std::uint32_t>(begin / batch_ * shards_ + first_) +
                               static_cast<std::uint32_t>(s));
    }
    result_.work.iterations +=
        static_cast<std::uint64_t>(first_iteration(batch, mine_) - first_iteration(batch, 0));
    result_.piece_seconds.insert(result_.piece_seconds.end(), batch.cost.shard_seconds.begin(),
                                 batch.cost.shard_seconds.end());
    note_failures(batch.failures);
    if (f_.is_timed) count_traffic(batch);
    const auto folding = steady::now();
    fold(batch.changes, batch.assigned);
    batch.cost.seconds_fold = seconds_since(folding);
    if (!f_.is_timed || stopped_) return;
    for (const auto& container : windowed_) {
      if (container != nullptr) batch.cost.returned_bytes += container->bytes_folded();
    }
    result_.batches.push_back(std::move(batch.cost));
  }

  /// Runs all shards. If the last batch was shorter than other executors need to begin, one executor runs
  /// them.
  void run_shards(batch_run& batch) {
    constexpr double least_seconds = 30e-6;
    const auto executors = static_cast<std::size_t>(p_.pool.size());
    shard_queue queue(mine_, executors);
    const auto start = steady::now();
    const auto work = [&](int executor) {
      executor_source source(*this, batch, queue, executor);
      const abi::launch_scope now(f_.launch);
      const poison::running_bodies bodies(is_checked(f_));
      abi::run_all(f_.entry->run, f_.values.data(), source);
    };
    seconds_of_batch_ < least_seconds ? work(0) : p_.pool.run(work);
    result_.work.seconds_compute += seconds_since(start) * static_cast<double>(executors);
    seconds_of_batch_ = 0;
    for (const float seconds : batch.cost.shard_seconds) seconds_of_batch_ += seconds;
  }

  /// Counts the bytes of shards' changes, and the groups of maps that shards fetch from other ranks.
  void count_traffic(batch_run& batch) const {
    for (std::size_t s = 0; s < mine_; ++s) {
      std::uint64_t changed = 0;
      std::uint64_t fetched = 0;
      std::uint32_t fetches = 0;
      for (std::size_t c = 0; c < f_.num_captures(); ++c) {
        if (windowed_[c] != nullptr) changed += windowed_[c]->bytes_changed(s);
        if (batch.changes[s].empty() || batch.changes[s][c] == nullptr) continue;
        const replica& local = *f_.replicas[c];
        std::vector<bool> seen(local.groups().num_groups());
        for (const auto& [element, at] : batch.changes[s][c]->touched()) {
          changed += sizeof element + local.ops().size;
          if ((element & shard_overlay::new_key_bit) != 0) continue;
          const auto group = local.groups().group_of(element);
          if (seen[group]) continue;
          seen[group] = true;
          ++fetches;
          fetched += local.groups().count(group) * local.ops().size;
        }
      }
      batch.cost.shard_bytes.push_back(changed);
      batch.cost.shard_fetches.push_back(fetches);
      batch.cost.shard_fetched.push_back(fetched);
    }
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

  /// Folds a batch: one exchange takes the changes of all containers to their owners, and one returns the
  /// results. If a body threw, on any rank, the batch leaves no changes.
  void fold(const std::vector<overlays>& changes, std::vector<assignment_log>& assigned) {
    new_slots slots(f_.num_captures());
    if (inserts_keys()) {  // new keys stay, so failures must be known before
      element_exchange failures(p_.ranks);
      write_failure(failures);
      failures.trade();
      stopped_ = has_any_failed(failures);
      if (stopped_) return;
      for (std::size_t c = 0; c < f_.num_captures(); ++c) {
        if (f_.writes(c) && is_map(c)) slots[c] = slots_of_new_keys(c, changes);
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
    return_results();
    next_moment();
  }

  /// All ranks get the new values of windowed containers. Copies of maps end.
  void return_results() {
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.writes(c) && is_map(c)) f_.replicas[c]->drop_copies();
    }
    rt::return_results(p_.ranks, windowed_);
  }

  /// Whether an explicit merge folds the container's elements, so that assignments of several shards count.
  [[nodiscard]] bool is_folded_by_merge(std::size_t c) const {
    return how_ != merge::sum && f_.replicas[c]->ops().can_merge_by(how_);
  }

  void refuse_two_assignments(std::vector<assignment_log>& logs, const new_slots& slots) {
    std::vector<assigned_element> all;
    for (std::size_t s = 0; s < logs.size(); ++s) {
      for (assigned_element& one : logs[s].take()) {
        if (is_folded_by_merge(one.capture)) continue;
        const bool is_new = is_map(one.capture) && (one.element & shard_overlay::new_key_bit) != 0;
        if (is_new) one.element = slots[one.capture][s][one.element & ~shard_overlay::new_key_bit];
        all.push_back(std::move(one));
      }
    }
    rt::refuse_two_assignments(f_, std::move(all), p_.ranks);
  }

  [[nodiscard]] bool inserts_keys() const {
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.writes(c) && is_map(c)) return true;
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
  /// shards left them, in shard order. Those of a map end with `last_element`.
  void pack(const std::vector<overlays>& changes, const new_slots& slots, element_exchange& out) const {
    write_failure(out);
    if (!result_.failures.empty()) return;
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (!f_.writes(c)) continue;
      for (std::size_t s = 0; s < changes.size() && is_map(c); ++s) {
        pack_shard(*f_.replicas[c], *changes[s][c], slots[c].empty() ? nullptr : &slots[c][s], out);
      }
      for (rank_id r = 0; r < p_.ranks.world_size(); ++r) {
        is_map(c) ? out.writer(r)(last_element) : windowed_[c]->write_changes(r, out.writer(r));
      }
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
      is_map(c) ? fold_map(c, in) : fold_windowed(c, in);
    }
  }

  void fold_windowed(std::size_t c, element_exchange& in) {
    for (rank_id r = 0; r < p_.ranks.world_size(); ++r) windowed_[c]->read_changes(r, in.reader(r));
    try {
      windowed_[c]->fold();
    } catch (const error& e) {
      throw error(e.code(), fmt::format("{}: {}", f_.site, e.what()));
    }
  }

  void fold_map(std::size_t c, element_exchange& in) {
    shard_fold sum(*f_.replicas[c], rule_of(c));
    for (rank_id r = 0; r < p_.ranks.world_size(); ++r) add_to_map(c, sum, in.reader(r));
    sum.finish();
  }

  void add_to_map(std::size_t c, shard_fold& sum, abi::reader& in) const {
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
  const merge::rule how_;
  batch_memory& kept_;
  std::int64_t first_ = 0;                                  // shard of this rank
  std::size_t mine_ = 0;                                    // shards
  bool has_own_windows_ = false;                            // each shard, instead of each executor
  std::vector<std::unique_ptr<batch_container>> windowed_;  // per capture: dvectors that the loop writes
  std::vector<new_owner> new_owners_;
  std::vector<std::size_t> partial_offsets_;
  std::size_t partials_size_ = 0;
  std::uint32_t step_ = 0;
  bool stopped_ = false;         // a body threw, on any rank
  double seconds_of_batch_ = 1;  // of all shards here
  loop_result result_;
};

}  // namespace

loop_result run_sync(const planning& p, const batch_shape& shape, batch_memory& kept) {
  return sync_run(p, shape, kept).run();
}

}  // namespace stradsap::rt
