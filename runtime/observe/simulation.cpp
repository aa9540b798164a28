#include "runtime/observe/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/base/elapsed.hpp"
#include "runtime/loop/plan/planning.hpp"
#include "runtime/loop/plan/wave_plan.hpp"

namespace stradsap::rt {

using steady = std::chrono::steady_clock;

static constexpr std::size_t most_launches = 4;  // of a loop; the first one only prepares
static constexpr std::size_t most_samples = 15;  // of a plan's costs
static constexpr std::size_t most_histories = 64;

// ---- costs of packing elements ----

/// Packs some of the elements, in pieces from all over the container.
static double pack_some(const replica& local, std::uint64_t& packed) {
  constexpr std::uint64_t most_bytes = 1 << 20;
  constexpr std::uint64_t most_pieces = 16;
  const std::uint64_t wanted = std::clamp<std::uint64_t>(most_bytes / local.ops().size, 1, local.size());
  const std::uint64_t pieces = std::min(most_pieces, wanted);
  double bytes_packed = 0;
  for (std::uint64_t k = 0; k < pieces; ++k) {
    const std::uint64_t begin = k * (local.size() / pieces);
    const std::uint64_t count = std::min(wanted / pieces, local.size() - begin);
    bytes_packed += static_cast<double>(local.pack(begin, begin + count).size());
    packed += count;
  }
  return bytes_packed;
}

sampled_container simulation::sample(const driver_handle& handle, const char* name, usage use) {
  const replica& local = handle.local();
  element_cost& cost = costs_[local.id()];
  if (local.size() != cost.size) {
    const auto start = steady::now();
    std::uint64_t packed = 0;
    const double bytes_packed = local.size() == 0 ? 0 : pack_some(local, packed);
    const double seconds = seconds_since(start);
    cost = {local.size(), packed == 0 ? 0 : bytes_packed / static_cast<double>(packed),
            bytes_packed == 0 ? 0 : seconds / bytes_packed};
  }
  const std::uint64_t version = handle.versions().key(abi::all_fields);
  const auto known = versions_.find(local.id());
  const bool is_changed = known == versions_.end() || known->second != version;
  return {local.id(), name, use, local.groups().bounds(), cost.bytes, cost.seconds_per_byte, is_changed};
}

// ---- launches ----

template <class T> static void push_last(std::deque<T>& samples, T one, std::size_t most) {
  samples.push_back(std::move(one));
  if (samples.size() > most) samples.pop_front();
}

std::shared_ptr<simulation::plan_history> simulation::history_of(const loop_frame& f, const plan& p,
                                                                 const launch& l) {
  if (histories_.size() > most_histories) histories_.clear();
  std::shared_ptr<plan_history>& history = histories_[l.plan];
  if (history != nullptr && !l.replan) return history;
  history = std::make_shared<plan_history>();
  sampled_plan& kept = *history->plan;
  kept.blocks = p;
  if (p.waves != nullptr) kept.waves = p.waves->trace;
  kept.weights = token_weights(f, p);
  kept.iteration_bytes =
      p.listed ? sizeof(std::uint32_t) * (1.0 + static_cast<double>(p.share.columns.size())) : 0;
  for (std::size_t c = 0; c < f.num_captures() && p.listed; ++c) {
    if (f.is_aligned(c)) kept.iteration_bytes += static_cast<double>(f.replicas[c]->ops().size);
  }
  return history;
}

void simulation::observe(const loop_frame& f, const std::vector<driver_handle*>& handles, const plan* p,
                         const launch& l, const loop_result& result) {
  const auto start = steady::now();
  sample_launch(f, handles, p, l, result);
  seconds_slowest_ = result.seconds_slowest;
  seconds_observing_ = seconds_since(start);
}

void simulation::sample_launch(const loop_frame& f, const std::vector<driver_handle*>& handles, const plan* p,
                               const launch& l, const loop_result& result) {
  now_ = {};
  handles_of_now_.clear();
  launch_sample& s = now_.sample;
  s.number = static_cast<std::uint64_t>(l.id);
  s.site = f.site;
  s.iterations = static_cast<std::uint64_t>(f.n);
  s.pass = l.pass;
  s.seed = f.launch.seed;
  s.value_bytes = l.values.size();
  s.batches = result.batches;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    s.partial_bytes += f.entry->captures[c].size;
    s.containers.emplace_back();
    if (handles[c] == nullptr) continue;
    s.containers.back() = sample(*handles[c], f.name_of(c), f.uses[c]);
    handles_of_now_.push_back(handles[c]);
  }
  if (p == nullptr) return;
  now_.history = history_of(f, *p, l);
  s.plan = now_.history->plan;
  push_last(now_.history->block_seconds, result.block_seconds, most_samples);
  push_last(now_.history->compute_seconds, result.work.seconds_compute, most_samples);
}

void simulation::complete(std::string_view label, double seconds) {
  now_.sample.label = label;
  if (now_.history != nullptr)
    push_last(now_.history->seconds_around, std::max(0.0, seconds - seconds_slowest_ - seconds_observing_),
              most_samples);
  keep(std::move(now_));
  note_versions();
}

void simulation::ran_alone(const launch_request& r, const abi::launch_key& key, double seconds,
                           std::string why) {
  now_ = {};
  handles_of_now_.clear();
  launch_sample& s = now_.sample;
  s.number = key.number;
  s.site = r.site;
  s.label = r.label == nullptr ? "" : r.label;
  s.iterations = static_cast<std::uint64_t>(r.n);
  s.seconds_alone = seconds;
  s.why_alone = std::move(why);
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] == nullptr) continue;
    const driver_handle& handle = *r.containers[c];
    const bool writes = (r.entry->captures[c].mode & abi::writes) != 0;
    s.containers.push_back(sample(handle, r.entry->captures[c].name, writes ? usage::owned : usage::read));
    handles_of_now_.push_back(&handle);
  }
  keep(std::move(now_));
  note_versions();
}

void simulation::keep(kept_launch launch) {
  const std::string key = launch.sample.site + " " + launch.sample.label;
  if (loops_.find(key) == loops_.end()) keys_.push_back(key);
  kept_loop& loop = loops_[key];
  ++loop.launches;
  push_last(loop.last, std::move(launch), most_launches);
}

/// Later changes of these versions come from main.
void simulation::note_versions() {
  for (const driver_handle* handle : handles_of_now_)
    versions_[handle->local().id()] = handle->versions().key(abi::all_fields);
}

// ---- the prediction ----

template <class T> static T median(std::vector<T> values) {
  if (values.empty()) return T{};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

static std::vector<float> medians(const std::deque<std::vector<float>>& samples) {
  std::vector<float> typical(samples.empty() ? 0 : samples.back().size());
  std::vector<float> of_one(samples.size());
  for (std::size_t b = 0; b < typical.size(); ++b) {
    for (std::size_t k = 0; k < samples.size(); ++k) of_one[k] = samples[k][b];
    typical[b] = median(of_one);
  }
  return typical;
}

static void add(launch_outcome& sum, const launch_outcome& one) {
  launch_outcome now = one;  // names and numbers of blocks: of the last
  now.seconds += sum.seconds;
  now.seconds_work += sum.seconds_work;
  now.seconds_around += sum.seconds_around;
  now.seconds_busiest += sum.seconds_busiest;
  now.seconds_chain += sum.seconds_chain;
  now.seconds_longest += sum.seconds_longest;
  now.seconds_hottest += sum.seconds_hottest;
  now.bytes_moved += sum.bytes_moved;
  now.messages += sum.messages;
  sum = std::move(now);
}

static void divide(launch_outcome& sum, double by) {
  for (double* value :
       {&sum.seconds, &sum.seconds_work, &sum.seconds_around, &sum.seconds_busiest, &sum.seconds_chain,
        &sum.seconds_longest, &sum.seconds_hottest, &sum.bytes_moved, &sum.messages}) {
    *value /= by;
  }
}

/// Sets the costs of the plan to the medians over its launches.
void simulation::settle(plan_history& h) {
  if (h.is_settled) return;
  h.is_settled = true;
  h.plan->block_seconds = medians(h.block_seconds);
  h.plan->compute_seconds = median(std::vector<double>(h.compute_seconds.begin(), h.compute_seconds.end()));
  h.plan->seconds_around = median(std::vector<double>(h.seconds_around.begin(), h.seconds_around.end()));
}

loop_prediction simulation::begin_prediction(const kept_loop& loop) const {
  const launch_sample& last = loop.last.back().sample;
  loop_prediction p;
  p.site = last.site;
  p.label = last.label;
  p.on = on_;
  p.launches = loop.launches;
  p.why_alone = last.why_alone;
  p.is_by_waves = last.plan != nullptr && last.plan->waves != nullptr;
  p.is_in_batches = last.plan == nullptr && last.why_alone.empty();
  return p;
}

std::vector<loop_prediction> simulation::predict() {
  std::map<std::uint64_t, std::pair<std::size_t, const kept_launch*>> launches;  // by number
  std::vector<loop_prediction> loops;
  std::vector<double> counted(keys_.size());
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    const kept_loop& loop = loops_.at(keys_[k]);
    loops.push_back(begin_prediction(loop));
    for (const kept_launch& one : loop.last) {
      launches[one.sample.number] = {k, &one};
      if (one.history != nullptr) settle(*one.history);
    }
  }
  simulated_holdings holdings;
  simulated_cluster late = without_network(on_);
  late.latency_seconds = on_.latency_seconds;
  for (const auto& [number, place] : launches) {
    const auto& [k, launch] = place;
    const kept_loop& loop = loops_.at(keys_[k]);
    const bool is_last = launch == &loop.last.back();
    simulated_holdings before = is_last ? holdings : simulated_holdings();
    const launch_outcome outcome = model_launch(launch->sample, on_, holdings);
    if (loop.last.size() > 1 && launch == &loop.last.front()) continue;
    add(loops[k].launch, outcome);
    loops[k].iterations += static_cast<double>(launch->sample.iterations);
    ++counted[k];
    if (!is_last) continue;
    simulated_holdings copy = before;
    loops[k].seconds_late = model_launch(launch->sample, late, copy).seconds;
    loops[k].seconds_free = model_launch(launch->sample, without_network(on_), before).seconds;
  }
  for (std::size_t k = 0; k < loops.size(); ++k) {
    divide(loops[k].launch, counted[k]);
    loops[k].iterations /= counted[k];
  }
  return loops;
}

}  // namespace stradsap::rt
