#include "runtime/cluster/node.hpp"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/check.hpp"
#include "runtime/base/elapsed.hpp"
#include "runtime/base/faults.hpp"
#include "runtime/base/log.hpp"
#include "runtime/cluster/clocked_loop.hpp"
#include "runtime/dds/broadcast.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/accumulate/delayed_rounds.hpp"
#include "runtime/loop/accumulate/relaxed_copies.hpp"
#include "runtime/loop/batches/sync_execution.hpp"
#include "runtime/loop/blocks/index_order.hpp"
#include "runtime/loop/blocks/range_pieces.hpp"
#include "runtime/loop/blocks/redistribution.hpp"
#include "runtime/loop/dynamic/set_steps.hpp"
#include "runtime/loop/launch/registry.hpp"
#include "runtime/loop/launch/sent_merge.hpp"
#include "runtime/loop/plan/aligned_elements.hpp"
#include "runtime/loop/run/known_values.hpp"
#include "runtime/loop/waves/wave_execution.hpp"
#include "runtime/observe/launch_proof.hpp"

namespace stradsap::rt {

using steady = std::chrono::steady_clock;

/// The launch of a message to a running loop.
static launch_id launch_of(const message& m) {
  if (const auto* t = std::get_if<token>(&m)) return t->launch;
  if (const auto* moved = std::get_if<moved_elements>(&m)) return moved->launch;
  return std::get<cancel>(m).launch;
}

static bool is_for_running(const message& m) {
  return std::holds_alternative<token>(m) || std::holds_alternative<moved_elements>(m) ||
         std::holds_alternative<cancel>(m);
}

node::node(const options& o, node_listener& role, plan_maker plans)
    : options_(o),
      role_(role),
      make_plan_(std::move(plans)),
      work_(o.threads),
      waiting_(o.waiting),
      copies_(o.waiting) {}

node::~node() = default;

/// Messages, pieces of files and elements of some MiB are allocated and freed all the time. By default malloc
/// returns the memory of each to the system, which clears its pages again for the next: a third of the time
/// of a bulk transfer. A block of 32 MiB is the largest that malloc can keep.
static void keep_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

void node::join(const connector& connect) {
  keep_freed_memory();
  network_listener* listener = this;
  if (options_.latency.count() != 0) {
    delayed_ = std::make_unique<delayed_delivery>(*this, options_.latency);
    listener = delayed_.get();
  }
  if (options_.world_size > 1) net_ = connect(options_, *listener);
  waiting_.post = net_.get();
  copies_.connect(net_.get(), waiting_);
  ranks_ = std::make_unique<exchange>(options_.rank, options_.world_size, net_.get(), waiting_);
  if (net_ != nullptr) net_->listen();
}

void node::watch_for_hangs() {
  watched_rank& self = *this;
  watch_ = std::make_unique<hang_watch>(options_, self, net_.get());
  watching_ = watch_.get();
}

executor_pool& node::pool() {
  if (pool_ == nullptr) pool_ = std::make_unique<executor_pool>(options_.threads, options_.waiting);
  return *pool_;
}

const plan* node::plan_of(plan_id id) const {
  const auto found = plans_.find(id);
  return found == plans_.end() ? nullptr : &found->second;
}

// ---- one launch ----

done node::perform(const launch& l, const captured_values* values) {
  const watched_loop here(watching_, l.site.c_str());
  done d;
  d.launch = l.id;
  ranks_->begin(l.id);
  set_float_mode(l.float_mode);
  try {
    const abi::loop_entry* entry = find_loop(l.entry, l.type);
    if (entry == nullptr) throw error(errc::decode, fmt::format("no loop {:016x} in this program", l.entry));
    if (options_.rank != driver_rank) apply(l.process);
    apply_changes(*entry, l);
    loop_result result =
        run(frame_of(*entry, l, values != nullptr ? values->borrowed() : values_.receive(*entry, l)), l);
    d.blocks = std::move(result.blocks);
    d.seconds = std::move(result.piece_seconds);
    d.partials = std::move(result.partials);
    d.summed = std::move(result.summed);
    d.failures = std::move(result.failures);
    d.work = result.work;
    d.waits = std::move(result.waits);
  } catch (const rank_gave_up& e) {
    d.failures.push_back({static_cast<std::uint8_t>(e.code()), e.what(), options_.rank, -1, 0});
  } catch (const error& e) {
    ranks_->give_up(e.what());
    d.failures.push_back({static_cast<std::uint8_t>(e.code()), e.what(), options_.rank, -1, 0});
  } catch (const std::exception& e) {
    ranks_->give_up(e.what());
    d.failures.push_back({static_cast<std::uint8_t>(errc::body), e.what(), options_.rank, -1, 0});
  }
  copies_.reach({l.id, std::numeric_limits<std::uint32_t>::max()});  // after a failure too: others may wait
  if (net_ != nullptr) {
    d.work.bytes_sent = net_->bytes_sent();
    d.work.bytes_received = net_->bytes_received();
    d.work.bytes_unchanged = copies_.bytes_unchanged();
    d.work.refused = net_->refused();
  }
  return d;
}

void node::begin_part(const launch& l) {
  const abi::loop_entry* entry = find_loop(l.entry, l.type);
  STRADSAP_ASSERT(entry != nullptr, "no loop {:016x}", l.entry);
  ranks_->begin(l.id);
  apply_changes(*entry, l);
  copies_.reach({l.id, 0});
}

void node::end_part(launch_id id) { copies_.reach({id, std::numeric_limits<std::uint32_t>::max()}); }

void node::perform(const resumed_scales& s) {
  abi::reader in(s.histories);
  batch_memory_.resume_scales(in);
}

void node::perform(const recall& r) {
  ranks_->begin(r.after, r.step);
  try {
    replica* local = copies_.find(r.container);
    if (local == nullptr || !local->plan_layout())
      throw error(errc::decode, "a recall of a container in its canonical layout");
    restore_canonical_layout(*local);
    (void)ranks_->all_gather({});  // so later fetches find all elements at their owners
  } catch (const rank_gave_up&) {
    throw;
  } catch (const error& e) {
    ranks_->give_up(e.what());
    throw;
  }
}

/// Returns elements in plan layout to their owners. A collective.
void node::restore_canonical_layout(replica& local) {
  const stream_place from = *local.plan_layout();
  const auto found = plans_.find(from.plan);
  STRADSAP_ASSERT(found != plans_.end(), "container {} is in the layout of an unknown plan",
                  static_cast<int>(local.id()));
  return_elements(local, found->second, from.capture, *ranks_);
}

/// Restores the canonical layout for inputs that this launch needs there. Current elements in the launch's
/// own plan stay.
void node::restore_inputs(const loop_frame& f, const launch& l, bool in_batches) {
  const plan* kept = l.replan || in_batches ? nullptr : plan_of(l.plan);
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.replicas[c] == nullptr || !f.replicas[c]->plan_layout()) continue;
    const bool here = *f.replicas[c]->plan_layout() == stream_place{l.plan, static_cast<std::uint32_t>(c)};
    const bool streamed = kept != nullptr && kept->lists_iterations() && may_use_plan_layout(f, c);
    if (!streamed || (l.refresh && !here)) restore_canonical_layout(*f.replicas[c]);
  }
}

void node::apply_changes(const abi::loop_entry& entry, const launch& l) {
  for (const container_id id : l.destroyed) {
    batch_memory_.remove(id);
    copies_.remove(id);
  }
  for (const plan_id id : l.forgotten) {
    for (replica* local : copies_.in_plan_layout_of(id)) restore_canonical_layout(*local);
    plans_.erase(id);
  }
  for (std::size_t c = 0; c < entry.num_captures; ++c) {
    const container_id id = l.containers.at(c);
    if (id == container_id::none || copies_.find(id) != nullptr) continue;
    const abi::capture_info& capture = entry.captures[c];
    copies_.add(std::make_unique<replica>(
        id, *capture.ops, 0, capture.make_keys == nullptr ? nullptr : capture.make_keys(), options_.rank,
        [this](replica& local, const auto& ranges) { copies_.fetch(local, ranges); }));
  }
  if (options_.rank == driver_rank) return;  // the source of the changes
  for (const container_update& update : l.updates) {
    replica* local = copies_.find(update.id);
    if (local == nullptr) throw error(errc::decode, "a change of a container that is not here");
    local->apply(update);
  }
}

loop_frame node::frame_of(const abi::loop_entry& entry, const launch& l, captured_values values) {
  std::vector<replica*> replicas;
  replicas.reserve(l.containers.size());
  for (const container_id id : l.containers)
    replicas.push_back(id == container_id::none ? nullptr : copies_.find(id));
  loop_frame f = make_frame(entry, l, options_.seed, std::move(values), std::move(replicas));
  refuse_second_names(f);
  f.logs_accesses = options_.check_conflicts && is_checked(f) && l.clocks == launch_id{};
  f.is_timed = options_.simulate.has_value();
  f.first = l.first;
  f.work = &work_;
  return f;
}

/// The containers that come page by page, and the functions that read the range of their values, if that is
/// needed. The bits do not depend on it. Batches have whole copies of all that they only read. Check builds
/// and AddressSanitizer have views of their own.
static std::vector<paged_input> paged_inputs(const loop_frame& f, const launch& l, const options& o,
                                             bool in_batches) {
  std::vector<paged_input> found;
  if (o.world_size == 1 || l.sets.size != 0 || is_checked(f) || poison::is_possible()) return found;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    replica* const local = f.replicas[c];
    if (local == nullptr || f.first_of(c) != c || !local->may_be_paged()) continue;
    if (local->size() <= o.replicate / local->ops().size) continue;
    bool is_only_read = true;
    value_reader read = nullptr;
    for (std::size_t other = c; other < f.num_captures(); ++other) {
      if (f.replicas[other] != local) continue;
      is_only_read &= f.uses[other] == usage::read || (in_batches && f.uses[other] == usage::aligned_read);
      if (may_show_values(f, other)) read = f.entry->captures[other].values;
    }
    if (is_only_read) found.push_back({local, read});
  }
  return found;
}

loop_result node::run(const loop_frame& f, const launch& l) {
  const running_site here(f.site.c_str());
  struct note_at_end {  // also if planning throws: the driver notes these writes in any case
    const loop_frame& loop;
    ~note_at_end() {
      for (std::size_t c = 0; c < loop.num_captures(); ++c) {
        if (loop.writes(c)) loop.replicas[c]->note_written();
      }
    }
  } const written{f};
  const auto model = static_cast<ConsistencyModel::kind>(l.model);
  const planning p{f,
                   copies_,
                   pool(),
                   *ranks_,
                   l.plan,
                   l.use_plan_layout,
                   !options_.stats_path.empty(),
                   model == ConsistencyModel::kind::ordered,
                   f.is_timed,
                   l.share_ends,
                   l.only_shares_changed || l.as_waves,
                   l.as_stretches,
                   l.iteration_work,
                   known_runs_.first == l.id ? &known_runs_.second : nullptr};
  if (l.clocks != launch_id{}) return run_clock(p, l);
  // Iterations with no written element in common leave the same result in batches, and need no copies.
  const bool in_batches = model == ConsistencyModel::kind::sync && f.has(usage::owned);
  restore_inputs(f, l, in_batches);
  copies_.reach({l.id, 0});  // requested elements are here now, with the driver's changes
  const auto broadcast_begin = steady::now();
  broadcast_inputs(f, l);
  const paged_reads pages(copies_.paged(), paged_inputs(f, l, options_, in_batches));
  const double seconds_broadcasting = seconds_since(broadcast_begin);
  const batch_shape batches{l.batch, l.shards, as_rule(l.merge)};
  loop_result result = l.sets.size != 0 ? run_dynamic(p, l)
                       : in_batches     ? run_sync(p, batches, batch_memory_)
                                        : run_planned(p, l);
  result.work.seconds_plan += seconds_broadcasting;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    // batches keep the copies of dvectors current
    if (f.writes(c) && (!in_batches || f.replicas[c]->keys() != nullptr)) f.replicas[c]->drop_copies();
  }
  if (f.is_timed) role_.observe(f, l, result);
  return result;
}

/// The sets that the driver orders. It owns all elements that the loop writes.
loop_result node::run_dynamic(const planning& p, const launch& l) {
  for (replica* local : p.frame.replicas) {
    if (local != nullptr) local->hold_all();
  }
  const written_captures written = written_by(p.frame, l.sets.followed, l.sets.in_place);
  set_steps steps(*ranks_);
  std::optional<touched_elements> touched;
  if (l.sets.in_place) touched.emplace(p.frame, written.in_place, p.copies, p.pool);
  set_execution here(p.frame, written, l.sets, options_.rank, options_.world_size, p.pool,
                     touched ? &*touched : nullptr);
  run_ordered_sets(here, steps);
  loop_result result;
  result.work.iterations = here.updates();
  result.work.seconds_compute = here.seconds_compute();
  return result;
}

/// Makes the plan. Returns the number of iterations that came from other ranks, if only shares have changed.
std::uint64_t node::make_new_plan(const planning& p) {
  work_.begin(work_stage::planning, 0);
  const plan* const old = plan_of(p.id);
  const std::shared_ptr<const wave_plan> before = old == nullptr ? nullptr : old->waves;
  plans_.erase(p.id);
  const plan& made = plans_.emplace(p.id, make_plan_(p)).first->second;
  if (before == nullptr || made.waves == nullptr) return 0;
  return iterations_taken(*before, *made.waves, options_.rank);
}

loop_result node::run_planned(const planning& p, const launch& l) {
  const auto start = steady::now();
  std::uint64_t moved = l.replan ? make_new_plan(p) : 0;
  const auto found = plans_.find(l.plan);
  if (found == plans_.end()) throw error(errc::decode, "a launch by a plan that is not here");
  plan& made = found->second;
  const bool is_listed = made.lists_iterations();
  const bool is_repartitioned = made.waves == nullptr && made.shares != l.share_ends;
  if (is_repartitioned) moved = repartition(p, made);
  if (l.refresh && is_listed) refresh_aligned(p, made);
  hold_inputs(p.frame, made);
  std::optional<launch_proof> proof;
  if (p.frame.logs_accesses) proof.emplace(p.frame, *ranks_);
  const double seconds_plan = std::chrono::duration<double>(steady::now() - start).count();
  std::vector<std::uint32_t> order =
      made.waves != nullptr ? std::vector<std::uint32_t>{0} : serial_order(made, l.pass, options_.seed);
  const loop_place at{l.id,     options_.rank, options_.world_size, net_.get(), options_.threads,
                      waiting_, store_};
  loop_result result;
  if (p.frame.has_relaxed()) {
    result = run_in_rounds(p, made, order, at);
  } else if (made.waves != nullptr) {
    wave_execution loop(p.frame, *made.waves, *ranks_, at);
    result = run_known(loop);
    fold_deltas(p, made, loop.deltas());
  } else {
    result = run_blocks(p.frame, made, order, at, options_.in_place, [&](execution& loop) {
      loop_result one = run_known(loop);
      fold_deltas(p, made, loop.deltas());
      return one;
    });
    if (p.frame.is_whole()) {
      made.seconds_compute = result.work.seconds_compute;
      balance_executors(p.frame, made, result, options_.threads, options_.rank);
    }
  }
  result.work.seconds_plan = seconds_plan;
  result.work.planned = l.replan;
  result.work.iterations_moved = moved;
  result.work.sets_hash = made.sets_hash;
  if (made.bytes == 0) made.bytes = size_bytes_of(made);
  result.work.plan_bytes = made.bytes;
  if (is_listed) return_aligned(p, made);
  if (proof) proof->verify(order, result, options_.order_path);
  return result;
}

/// Adds the result of a round.
static void append(loop_result& to, loop_result one) {
  to.blocks.insert(to.blocks.end(), one.blocks.begin(), one.blocks.end());
  to.partials.insert(to.partials.end(), one.partials.begin(), one.partials.end());
  to.summed.insert(to.summed.end(), one.summed.begin(), one.summed.end());
  to.piece_seconds.insert(to.piece_seconds.end(), one.piece_seconds.begin(), one.piece_seconds.end());
  std::move(one.logs.begin(), one.logs.end(), std::back_inserter(to.logs));
  to.failures = std::move(one.failures);
  to.work.iterations += one.work.iterations;
  to.work.seconds_compute += one.work.seconds_compute;
  to.work.seconds_wait += one.work.seconds_wait;
  to.seconds_slowest += one.seconds_slowest;
  const auto add = [](auto& sums, const auto& more) {
    sums.resize(std::max(sums.size(), more.size()));
    std::transform(more.begin(), more.end(), sums.begin(), sums.begin(), std::plus());
  };
  add(to.waits, one.waits);
  add(to.block_seconds, one.block_seconds);
}

static void note_written(const loop_frame& f) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.writes(c)) f.replicas[c]->note_written();
  }
}

/// Runs all rounds as one execution: their folds are made meanwhile.
loop_result node::run_delayed(const planning& p, plan& made, const std::vector<std::uint32_t>& order,
                              const std::vector<std::vector<std::uint32_t>>& rounds, loop_place at) {
  delayed_rounds delayed(p, made, rounds, batch_memory_, net_.get(), at.launch);
  at.delayed = &delayed;
  execution loop(p.frame, made, order, at);
  loop_result result = run_known(loop);
  delayed.finish();
  result.work.rounds_ahead = delayed.rounds_ahead();
  fold_deltas(p, made, loop.deltas());
  made.seconds_compute = result.work.seconds_compute;
  return result;
}

/// Runs a loop with relaxed containers: a round of its blocks, a fold, and so on. Waves are one round. A rank
/// sends nothing for a round before all ranks have ended the one before it. `order` becomes that of the
/// rounds.
loop_result node::run_in_rounds(const planning& p, plan& made, std::vector<std::uint32_t>& order,
                                loop_place at) {
  std::vector<std::vector<std::uint32_t>> rounds{order};
  if (made.waves == nullptr) {
    rounds = rounds_of(made, order, p.frame.num_rounds());
    order.clear();
    for (const auto& round : rounds) order.insert(order.end(), round.begin(), round.end());
  }
  if (made.waves == nullptr && p.frame.has_bound()) return run_delayed(p, made, order, rounds, at);
  relaxed_copies relaxed(p, made, batch_memory_, rounds.size());
  at.relaxed = &relaxed;
  if (p.frame.logs_accesses) at.versions = std::make_shared<element_versions>(p.frame);
  loop_result result;
  const auto run_round = [&](auto& loop) {
    append(result, run_known(loop));
    fold_deltas(p, made, loop.deltas());
    return !relaxed.end_round(!result.failures.empty());
  };
  if (made.waves != nullptr) {
    wave_execution loop(p.frame, *made.waves, *ranks_, at);
    (void)run_round(loop);
    return result;
  }
  std::uint64_t total = 0;
  for (const plan_block& b : made.blocks) total += b.rank == options_.rank ? b.count : 0;
  p.frame.begin(work_stage::running, total);
  bool goes_on = true;
  for (std::size_t r = 0; r < rounds.size() && goes_on; ++r) {
    relaxed.begin_round();
    execution loop(p.frame, made, rounds[r], at);
    goes_on = run_round(loop);
    note_written(p.frame);  // the next round sends elements that were blank
  }
  made.seconds_compute = result.work.seconds_compute / static_cast<double>(rounds.size());
  return result;
}

/// Runs the loop and lets it receive messages meanwhile. Messages that came early are delivered first, in
/// their order.
template <class Execution> loop_result node::run_known(Execution& loop) {
  {
    const lock_guard hold(mutex_);
    running_ = &loop;
    for (auto& [from, m] : std::exchange(early_, {})) {
      if (launch_of(m) == loop.id()) {
        hand_over(from, std::move(m));
      } else if (launch_of(m) > loop.id()) {  // else it is late, of a launch that has ended
        early_.emplace_back(from, std::move(m));
      }
    }
  }
  struct end {
    node& of;
    ~end() {
      const lock_guard hold(of.mutex_);
      of.running_ = nullptr;
    }
  } const of_loop{*this};
  return loop.run(pool());
}

/// Broadcasts the containers that, by the driver's records, all other ranks lack.
void node::broadcast_inputs(const loop_frame& f, const launch& l) {
  std::vector<replica*> replicas;
  for (const std::uint32_t c : l.broadcast) {
    if (f.replicas.at(c) == nullptr) throw error(errc::decode, "a capture to broadcast that is no container");
    replicas.push_back(f.replicas[c]);
  }
  if (!replicas.empty()) broadcast(replicas, *ranks_);
}

/// Blocks of other ranks may already change elements that are not hot.
static void fetch_hot(copy_service& copies, replica& local, const hot_units& hot) {
  std::vector<element_range> missing;
  for (const std::uint64_t first : hot.firsts()) {
    if (local.held(local.groups().group_of(first))) continue;
    if (missing.empty() || missing.back().end != first) missing.push_back({first, first});
    missing.back().end = first + hot.unit();
  }
  copies.fetch(local, missing);
}

/// Fetches the elements that blocks of this rank read without a token.
void node::hold_inputs(const loop_frame& f, const plan& p) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.reads_accumulators(c)) f.replicas[c]->hold_all();
    if (f.is_hottest_relaxed(c) && !p.hot.empty()) fetch_hot(copies_, *f.replicas[c], p.hot[c]);
  }
  hold_read(f, p);
}

/// Those of containers that the loop only reads.
void node::hold_read(const loop_frame& f, const plan& p) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.uses[c] == usage::read) f.replicas[c]->hold_all();
    if (f.uses[c] != usage::aligned_read || p.lists_iterations()) continue;
    for (const plan_block& b : p.blocks) {
      if (b.rank == options_.rank) f.replicas[c]->hold_range(b.begin, b.begin + b.count);
    }
  }
}

// ---- received messages ----

void node::received(rank_id from, message m) {
  if (hang_watch::takes(m)) {
    if (hang_watch* const watch = watching_; watch != nullptr) watch->received(from, m);
    return;  // without a watch yet it comes too early
  }
  messages_.store(messages_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (auto* p = std::get_if<part>(&m)) return ranks_->received(from, std::move(*p));
  if (const auto* taken = std::get_if<part_taken>(&m)) return ranks_->received(from, *taken);
  if (const auto* request = std::get_if<fetch_request>(&m)) return copies_.received(from, *request);
  if (auto* reply = std::get_if<fetch_reply>(&m)) return copies_.received(std::move(*reply));
  if (!is_for_running(m)) return role_.heard(from, std::move(m));
  const lock_guard hold(mutex_);
  if (auto* moved = std::get_if<moved_elements>(&m)) {
    const auto clocks = clocked_.find(moved->launch);
    if (clocks != clocked_.end()) return clocks->second->clocks->received(from, std::move(moved->elements));
  }
  if (running_ == nullptr || running_->id() != launch_of(m)) {
    early_.emplace_back(from, std::move(m));
  } else {
    hand_over(from, std::move(m));
  }
}

// ---- waiting ----

/// The parts of the node each know the ranks that they wait for.
std::vector<awaited_rank> node::awaits() {
  std::vector<awaited_rank> found = ranks_->awaits();
  const auto add = [&](std::vector<awaited_rank> more) {
    std::move(more.begin(), more.end(), std::back_inserter(found));
  };
  add(copies_.awaits());
  add(role_.awaits());
  const patient_lock hold(mutex_);
  if (!hold.has()) return found;
  if (running_ != nullptr) add(running_->awaits());
  for (const auto& [id, loop] : clocked_) add(loop->clocks->awaits());
  return found;
}

void node::hand_over(rank_id from, message m) {
  if (auto* t = std::get_if<token>(&m)) return running_->received(from, std::move(*t));
  if (auto* moved = std::get_if<moved_elements>(&m)) return running_->received(from, std::move(*moved));
  running_->received(std::get<cancel>(m));
}

}  // namespace stradsap::rt
