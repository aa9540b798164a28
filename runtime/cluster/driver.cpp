#include "runtime/cluster/driver.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/check.hpp"
#include "runtime/base/log.hpp"
#include "runtime/dds/broadcast.hpp"
#include "runtime/loop/launch/registry.hpp"
#include "runtime/loop/plan/wave_plan.hpp"

namespace stradsap::rt {

driver::driver(const options& o) : node(o), stats_(o.world_size) {
  if (o.simulate) simulation_.emplace(*o.simulate);
  if (o.world_size > 1) process_.emplace();
  if (!o.order_path.empty()) std::ofstream(o.order_path).close();  // launches append to it
}

driver::~driver() {
  if (simulation_) tell_predictions();
  if (!settings().stats_path.empty()) stats_.write(settings().stats_path);
  if (net() == nullptr) return;
  net()->expect_departures();
  for (rank_id r = 1; r < settings().world_size; ++r) net()->send(r, shutdown{});
}

void driver::tell_predictions() {
  const std::vector<loop_prediction> predictions = simulation_->predict();
  for (const std::string& line : table_of(predictions, *settings().simulate, settings().threads))
    inform(line);
  for (const loop_prediction& p : predictions) stats_.predicted(p);
}

abi::handle_target* driver::create(const abi::element_ops& ops, std::uint64_t n,
                                   std::unique_ptr<abi::key_index> keys) {
  auto store = std::make_unique<container_store>(
      container_id{next_container_++}, ops, n, std::move(keys), driver_rank,
      [this](container_store& s, const auto& ranges) {
        refuse_other_threads();
        copies().fetch(s, ranges);
      },
      [this](container_store& s) {
        refuse_other_threads();
        send_recall(s);
      });
  abi::handle_target* handle = store.get();
  copies().add(std::move(store));
  return handle;
}

void driver::destroy(const abi::handle_target* dead) {
  const container_id id = static_cast<const container_store*>(dead)->id();
  destroyed_.push_back(id);
  copies().remove(id);
}

/// Loops of several threads take turns, but the elements of a container cannot wait for a loop.
void driver::refuse_other_threads() const {
  const std::thread::id running = running_in_;
  if (running == std::thread::id() || running == std::this_thread::get_id()) return;
  if (abi::current_launch.number != 0) return;  // it runs bodies
  throw error(
      errc::unsupported,
      "a thread looks at elements of a container while another one's loop runs: let it wait for the loop");
}

/// The program accesses a container in plan layout: restores its canonical layout on all ranks.
void driver::send_recall(container_store& store) {
  constexpr std::uint32_t steps_each = 1 << 16;  // more than a launch takes
  const recall wanted{store.id(), launch_id{launches_}, ++recalls_ * steps_each};
  for (rank_id to = 1; to < settings().world_size; ++to) net()->send(to, wanted);
  perform(wanted);
}

// ---- launches ----

void driver::run(launch_request r) {
  if (running_in_ != std::thread::id()) {
    throw error(errc::unsupported,
                fmt::format("{}: a loop inside a loop body: only the outermost is parallel", r.site));
  }
  if (settings().check_conflicts && (r.entry->flags & abi::checked_build) == 0) {
    throw error(
        errc::unsupported,
        fmt::format("{}: conflicts are checked in a check build: compile with stradsap-cc --check", r.site));
  }
  const abi::launch_key key = next_launch();
  if (r.n <= 0) return;
  refuse_second_names(r);
  struct flag {
    std::atomic<std::thread::id>& value;
    explicit flag(std::atomic<std::thread::id>& v) : value(v) { value = std::this_thread::get_id(); }
    ~flag() { value = std::thread::id(); }
  } const now(running_in_);
  if (settings().serial || (r.model.which() == ConsistencyModel::kind::ordered && why_alone(r) != nullptr)) {
    run_here(r, key);
  } else if (is_transactional(r)) {
    run_transactions(r, key);
  } else {
    r.map_accumulators = map_accumulators();
    adds_into_maps(r) ? run_adding(r, key) : run_everywhere(r, key);
  }
}

/// Executors of all ranks; in a simulation, of the simulated ranks.
int driver::num_executors() const {
  const auto& simulated = settings().simulate;
  return simulated ? simulated->ranks * simulated->threads : settings().world_size * settings().threads;
}

abi::launch_key driver::next_launch() {
  recalls_ = 0;
  return {settings().seed, ++launches_};
}

void driver::rethrow(const char* site, const failure& f) {
  if (f.iteration < 0) throw error(static_cast<errc>(f.code), f.what);
  throw loop_error(static_cast<errc>(f.code),
                   fmt::format("{}: iteration {} on rank {}: {}", site, f.iteration, f.rank, f.what), f.rank,
                   f.iteration, site);
}

void driver::observe(const loop_frame& f, const launch& l, loop_result& result) {
  if (simulation_) simulation_->observe(f, plan_of(l.plan), l, result);
}

static double seconds_planning(const std::vector<done>& parts) {
  double most = 0;
  for (const done& d : parts) most = std::max(most, d.work.seconds_plan);
  return most;
}

void driver::run_everywhere(const launch_request& r, const abi::launch_key& key) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] != nullptr) store_of(r, c).close_window();
  }
  const launch l = describe(r, key);
  for (rank_id to = 1; to < settings().world_size; ++to) net()->send(to, l);
  const std::vector<done> parts = gather(l.id, perform(l));

  const failure* first = nullptr;
  for (const done& d : parts) {
    for (const failure& f : d.failures) {
      if (first == nullptr || f.position < first->position) first = &f;
    }
  }
  note_writes(r);
  plan_key& kept = kept_[l.plan];
  kept = {first == nullptr && keeps_plan(r) ? key_parts(r) : std::vector<std::uint64_t>(),
          aligned_versions(r),
          l.pass + 1,
          l.replan ? 1 : kept.uses + 1,
          l.containers,
          l.id,
          l.replan ? seconds_planning(parts) : kept.seconds_plan};
  if (first != nullptr) rethrow(r.site, *first);
  fold_reductions(r, parts);
  balance(r, l, parts);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  record(r, l.plan, parts);
  if (simulation_)
    simulation_->complete(r.label == nullptr ? "" : r.label, seconds - parts[driver_rank].work.seconds_plan);
}

launch driver::describe(const launch_request& r, const abi::launch_key& key) {
  launch l;
  l.id = launch_id{key.number};
  l.entry = r.entry->id;
  l.type = name_of(*r.entry);
  l.site = r.site;
  l.n = r.n;
  l.model = static_cast<std::uint8_t>(r.model.which());
  l.batch = r.model.batch();
  l.shards = std::max<std::int64_t>(1, r.model.shards());
  l.values = r.values;
  l.destroyed = std::exchange(destroyed_, {});
  l.forgotten = forget_plans(l.destroyed);
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] == nullptr) {
      l.containers.push_back(container_id::none);
      continue;
    }
    l.containers.push_back(store_of(r, c).id());
    container_update update = store_of(r, c).take_update();
    if (update.id != container_id::none) l.updates.push_back(std::move(update));
  }
  if (settings().world_size > 1) l.broadcast = to_broadcast(r);
  l.plan = plan_id_of(r);
  const plan_key& kept = kept_[l.plan];
  set_shares(r, l);
  const bool holds = has_plan(r);
  l.only_shares_changed = holds && is_repartitioned(l.plan, l.share_ends);
  l.replan = !holds || l.only_shares_changed;
  // A plan that held for one call only will hardly hold longer. A simulation reads the canonical layout.
  l.use_plan_layout = settings().plan_cache && keeps_plan(r) && kept.uses != 1 && !settings().simulate;
  l.refresh = !l.replan && kept.aligned != aligned_versions(r);
  l.pass = kept.pass;
  l.map_accumulators = r.map_accumulators;
  l.float_mode = float_mode();
  if (process_ && (r.entry->flags & abi::asks_process) != 0) l.process = process_->take_changes();
  return l;
}

/// Containers to broadcast: all ranks will read them and none has copies. After a failed launch, or reads by
/// the driver, this may be wrong; then a copy arrives twice or is fetched.
std::vector<std::uint32_t> driver::to_broadcast(const launch_request& r) const {
  const std::vector<usage> uses = uses_in(r).by_capture;
  std::vector<std::uint32_t> captures;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (uses[c] != usage::read) continue;
    if (store_of(r, c).note_spread() && should_broadcast(store_of(r, c)))
      captures.push_back(static_cast<std::uint32_t>(c));
  }
  return captures;
}

/// The plans of destroyed containers; if there are none and too many plans, the one with the oldest last use.
std::vector<plan_id> driver::forget_plans(const std::vector<container_id>& destroyed) {
  constexpr std::size_t most_plans = 64;
  std::vector<plan_id> forgotten;
  const auto gone = [&](const plan_key& kept) {
    return std::find_first_of(kept.containers.begin(), kept.containers.end(), destroyed.begin(),
                              destroyed.end()) != kept.containers.end();
  };
  for (const auto& [id, kept] : kept_) {
    if (gone(kept)) forgotten.push_back(id);
  }
  if (forgotten.empty() && kept_.size() > most_plans) {
    const auto older = [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; };
    forgotten.push_back(std::min_element(kept_.begin(), kept_.end(), older)->first);
  }
  for (const plan_id id : forgotten) {
    kept_.erase(id);
    balances_.erase(static_cast<std::uint64_t>(id));
  }
  return forgotten;
}

/// The key of a plan: the loop, its model, its containers and their uses.
plan_id driver::plan_id_of(const launch_request& r) const {
  std::vector<std::uint64_t> parts{
      r.entry->id, static_cast<std::uint64_t>(r.n), static_cast<std::uint64_t>(r.model.which()),
      static_cast<std::uint64_t>(r.model.batch()), static_cast<std::uint64_t>(r.model.shards())};
  const std::string type = name_of(*r.entry);
  parts.push_back(abi::hash_bytes(type.data(), type.size()));
  const loop_uses uses = uses_in(r);
  parts.push_back(uses.num_accumulators);
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    parts.push_back(r.containers[c] == nullptr ? 0 : 1 + static_cast<std::uint64_t>(store_of(r, c).id()));
    parts.push_back(static_cast<std::uint64_t>(uses.by_capture[c]));
  }
  return plan_id{abi::hash_bytes(parts.data(), parts.size() * sizeof parts[0])};
}

/// The inputs of a plan: values and contents that steer subscripts, sizes, and cuts of written containers.
std::vector<std::uint64_t> driver::key_parts(const launch_request& r) const {
  const bool lists = lists_iterations(r);
  std::vector<std::uint64_t> parts{1};
  if (lists) parts = r.steering;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] == nullptr) continue;
    const container_store& store = store_of(r, c);
    const abi::capture_info& capture = r.entry->captures[c];
    const bool decides = lists && (capture.mode & abi::steers) != 0;
    parts.push_back(store.versions().key(decides ? capture.steering : 0));
    parts.push_back((capture.mode & abi::writes) != 0 ? store.partition_version() : 0);
    parts.push_back(store.size());
  }
  return parts;
}

/// Versions of the aligned elements, which the plan holds as whole elements.
std::vector<std::uint64_t> driver::aligned_versions(const launch_request& r) const {
  std::vector<std::uint64_t> versions;
  if (!lists_iterations(r)) return versions;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] == nullptr || (r.entry->captures[c].mode & abi::aligned) == 0) continue;
    versions.push_back(store_of(r, c).versions().key(abi::all_fields));
  }
  return versions;
}

/// Whether a plan exists and holds.
bool driver::has_plan(const launch_request& r) const {
  const auto kept = kept_.find(plan_id_of(r));
  return settings().plan_cache && kept != kept_.end() && !kept->second.parts.empty() &&
         kept->second.parts == key_parts(r);
}

/// Whether the plan can hold for the next launch: not if the loop writes inputs of the plan, or if its
/// dependences are unknown.
bool driver::keeps_plan(const launch_request& r) const {
  if (!lists_iterations(r)) return true;
  if ((r.entry->flags & (abi::unknown_dependences | abi::random)) != 0) return false;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const abi::capture_info& capture = r.entry->captures[c];
    if (is_written(capture) && steers_itself(capture)) return false;
  }
  return true;
}

void driver::note_writes(const launch_request& r) {
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] == nullptr) continue;
    if (is_written(r.entry->captures[c])) store_of(r, c).note_loop(r.entry->captures[c].written);
    store_of(r, c).open_window();
  }
}

std::vector<done> driver::gather(launch_id id, done mine) {
  std::vector<done> parts(static_cast<std::size_t>(settings().world_size));
  parts[driver_rank] = std::move(mine);
  const lock_guard hold(mutex_);
  for (int left = settings().world_size - 1; left > 0;) {
    // The wait ends in any case: the network thread ends the process if a worker is lost.
    while (done_.empty()) notification_.wait(mutex_, waiting());
    for (auto& [from, d] : done_) {
      STRADSAP_ASSERT(d.launch == id, "rank {} is done with launch {}", from,
                      static_cast<std::uint64_t>(d.launch));
      parts[static_cast<std::size_t>(from)] = std::move(d);
      --left;
    }
    done_.clear();
  }
  return parts;
}

/// Folds the parts of all ranks in the order of blocks.
void driver::fold_reductions(const launch_request& r, const std::vector<done>& parts) const {
  std::size_t size = 0;
  for (std::size_t c = 0; c < r.entry->num_captures; ++c) size += r.entry->captures[c].size;
  if (size == 0) return;
  std::vector<std::pair<std::uint32_t, const std::byte*>> blocks;
  for (const done& d : parts) {
    STRADSAP_ASSERT(d.partials.size() == d.blocks.size() * size, "{} bytes of partials for {} blocks",
                    d.partials.size(), d.blocks.size());
    for (std::size_t i = 0; i < d.blocks.size(); ++i)
      blocks.emplace_back(d.blocks[i], d.partials.data() + i * size);
  }
  std::sort(blocks.begin(), blocks.end());
  for (const auto& [block, part] : blocks) {
    const std::byte* at = part;
    for (std::size_t c = 0; c < r.entry->num_captures; ++c) {
      const abi::capture_info& capture = r.entry->captures[c];
      if (r.reductions[c] != nullptr) capture.combine(r.reductions[c], at);
      at += capture.size;
    }
  }
}

void driver::record(const launch_request& r, plan_id id, const std::vector<done>& parts,
                    const transactions_end* rounds) {
  launch_record record;
  record.site = r.site;
  record.label = r.label == nullptr ? "" : r.label;
  record.iterations = static_cast<std::uint64_t>(r.n);
  for (const done& d : parts) {
    record.work.push_back(d.work);
    record.planned = record.planned || d.work.planned;
    record.sets_hash += d.work.sets_hash;
    record.iterations_moved += d.work.iterations_moved;
  }
  record.work.resize(static_cast<std::size_t>(settings().world_size));
  if (const plan* p = plan_of(id); p != nullptr && p->waves != nullptr) {
    record.planner = "waves";
    record.levels = p->waves->levels;
  } else if (p != nullptr) {
    record.planner = "blocks";
    record.groups = p->tokens.size();
    record.blocks = p->blocks.size();
  } else if (rounds != nullptr) {
    record.planner = "transactions";
    record.rounds = rounds->rounds;
    record.retries = rounds->repeated;
    record.parallelism = static_cast<double>(r.n) / static_cast<double>(rounds->one_after_the_other());
  }
  if (const plan* p = plan_of(id); p != nullptr) record.parallelism = parallelism_of(*p, r.n);
  const std::vector<usage> uses = uses_in(r).by_capture;
  for (std::size_t c = 0; c < uses.size() && plan_of(id) != nullptr; ++c) {
    if (uses[c] == usage::accumulated) record.accumulated.emplace_back(r.entry->captures[c].name);
  }
  stats_.add(record);
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] == nullptr || !is_written(r.entry->captures[c])) continue;
    std::vector<std::uint64_t> held;
    for (rank_id of = 0; of < settings().world_size; ++of)
      held.push_back(store_of(r, c).groups().elements_of(of));
    stats_.holdings(store_of(r, c).id(), store_of(r, c).size(), std::move(held));
  }
}

// ---- received messages ----

void driver::heard(rank_id from, message m) {
  if (auto* d = std::get_if<done>(&m)) {
    const lock_guard hold(mutex_);
    done_.emplace_back(from, std::move(*d));
    notification_.announce();
    return;
  }
  throw error(errc::decode, fmt::format("rank {} sent the driver what only a worker hears", from));
}

void driver::peer_lost(rank_id peer, const std::string& why) {
  die(lost_peer_status, fmt::format("rank {} is lost: {}; the run ends", peer, why));
}

}  // namespace stradsap::rt
