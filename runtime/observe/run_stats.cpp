#include "runtime/observe/run_stats.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/base/log.hpp"

namespace stradsap::rt {

static void accumulate(counters& total, const counters& one) {
  total.iterations += one.iterations;
  total.seconds_plan += one.seconds_plan;
  total.seconds_compute += one.seconds_compute;
  total.seconds_wait += one.seconds_wait;
  total.clocks += one.clocks;
  total.staleness += one.staleness;
  total.bytes_due += one.bytes_due;
  total.bytes_beyond += one.bytes_beyond;
  // These count from the start of the run, so the largest value is the last one.
  total.bytes_sent = std::max(total.bytes_sent, one.bytes_sent);
  total.bytes_received = std::max(total.bytes_received, one.bytes_received);
  total.bytes_unchanged = std::max(total.bytes_unchanged, one.bytes_unchanged);
  total.refused = std::max(total.refused, one.refused);
}

static std::string key_of(const std::string& site, const std::string& label) { return site + " " + label; }

/// Averages over the executors that ran the launch, and over ranks.
static loop_seconds parts_of(const launch_record& record) {
  loop_seconds parts;
  for (const counters& one : record.work) {
    parts.compute += one.seconds_compute / record.executors;
    parts.wait += one.seconds_wait / record.executors;
    parts.plan += one.seconds_plan / static_cast<double>(record.work.size());
  }
  parts.move = std::max(0.0, record.seconds - parts.compute - parts.wait - parts.plan);
  return parts;
}

double seen_staleness::mean() const {
  std::uint64_t sum = 0;
  std::uint64_t count = 0;
  for (std::size_t s = 0; s < calls.size(); ++s) {
    sum += s * calls[s];
    count += calls[s];
  }
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

counters run_stats::total() const {
  counters sum;
  for (const counters& one : ranks_) {
    sum.iterations += one.iterations;
    sum.seconds_plan += one.seconds_plan;
    sum.seconds_compute += one.seconds_compute;
    sum.seconds_wait += one.seconds_wait;
    sum.clocks += one.clocks;
    sum.staleness += one.staleness;
    sum.bytes_sent += one.bytes_sent;
    sum.bytes_received += one.bytes_received;
    sum.bytes_unchanged += one.bytes_unchanged;
    sum.refused += one.refused;
  }
  return sum;
}

std::vector<const loop_total*> run_stats::loops() const {
  std::vector<const loop_total*> all;
  for (const std::string& key : sites_) all.push_back(&loops_.at(key));
  return all;
}

void run_stats::predicted(const loop_prediction& p) { loops_[key_of(p.site, p.label)].prediction = p; }

static nlohmann::ordered_json json_of(const loop_prediction& p) {
  nlohmann::ordered_json j{{"ranks", p.on.ranks},
                           {"threads", p.on.threads},
                           {"bytes_per_second", p.on.bytes_per_second},
                           {"seconds_latency", p.on.latency_seconds},
                           {"seconds_message", p.on.message_seconds},
                           {"seconds_byte", p.on.byte_seconds},
                           {"seconds", p.launch.seconds},
                           {"seconds_one_thread", p.seconds_one_thread()},
                           {"speedup", p.speedup()},
                           {"efficiency", p.efficiency()},
                           {"balance", p.balance()},
                           {"seconds_blocks", p.launch.seconds_work},
                           {"seconds_around", p.launch.seconds_around},
                           {"seconds_critical_path", p.launch.seconds_chain},
                           {"critical_path", p.chain_share()},
                           {"blocks", p.launch.tasks},
                           {"threads_used", p.launch.threads_used},
                           {"bytes_moved", p.launch.bytes_moved},
                           {"messages", p.launch.messages},
                           {"bytes_held", p.launch.rank_bytes},
                           {"limit", name_of(limit_of(p))},
                           {"advice", advice_on(p)}};
  if (std::isinf(p.on.bytes_per_second)) j["bytes_per_second"] = nullptr;
  return j;
}

static nlohmann::ordered_json json_of(const seen_staleness& s) {
  return {{"mean", s.mean()}, {"max", s.greatest()}, {"histogram", s.calls}};
}

void run_stats::add(const launch_record& record) {
  const auto [known, is_new] = loops_.try_emplace(key_of(record.site, record.label));
  if (is_new) sites_.push_back(known->first);
  loop_total& loop = known->second;
  loop.last = record;
  ++loop.calls;
  if (record.planned) ++loop.plans;
  if (record.surveyed) ++loop.surveys;
  loop.iterations += record.iterations;
  loop.iterations_moved += record.iterations_moved;
  loop.rounds_ahead += record.rounds_ahead;
  loop.captured_bytes += record.captured_bytes;
  loop.seconds += record.seconds;
  const loop_seconds parts = parts_of(record);
  loop.parts.compute += parts.compute;
  loop.parts.wait += parts.wait;
  loop.parts.plan += parts.plan;
  loop.parts.move += parts.move;
  for (const auto& [container, seconds] : record.waits) loop.waits[container] += seconds;
  loop.compute_by_rank.resize(ranks_.size());
  for (std::size_t r = 0; r < ranks_.size() && r < record.work.size(); ++r) {
    loop.compute_by_rank[r] += record.work[r].seconds_compute;
    loop.bytes_sent += std::max(record.work[r].bytes_sent, ranks_[r].bytes_sent) - ranks_[r].bytes_sent;
    loop.bytes_unchanged +=
        std::max(record.work[r].bytes_unchanged, ranks_[r].bytes_unchanged) - ranks_[r].bytes_unchanged;
    accumulate(ranks_[r], record.work[r]);
    accumulate(loop.work, record.work[r]);
    if (record.work[r].clocks != 0) loop.staleness.add(record.work[r].staleness);
  }
}

loop_total& run_stats::loop_of(const launch_record& record) {
  return loops_.at(key_of(record.site, record.label));
}

void run_stats::add_again(loop_total& loop, const launch_record& record, double seconds,
                          const counters& work) {
  launch_record& last = loop.last;
  if (last.executors != record.executors || last.planned || last.surveyed) last = record;
  last.seconds = seconds;
  last.iterations = work.iterations;
  last.work.front() = work;
  ++loop.calls;
  loop.iterations += work.iterations;
  loop.seconds += seconds;
  loop.parts.compute += work.seconds_compute;
  loop.parts.move += std::max(0.0, seconds - work.seconds_compute);
  loop.compute_by_rank.front() += work.seconds_compute;
  counters& driver = ranks_.front();
  loop.bytes_sent += std::max(work.bytes_sent, driver.bytes_sent) - driver.bytes_sent;
  accumulate(driver, work);
  accumulate(loop.work, work);
}

void run_stats::add_bytes(const std::vector<counters>& by_rank) {
  for (std::size_t r = 0; r < ranks_.size() && r < by_rank.size(); ++r) {
    counters bytes_alone;
    bytes_alone.bytes_sent = by_rank[r].bytes_sent;
    bytes_alone.bytes_received = by_rank[r].bytes_received;
    bytes_alone.bytes_unchanged = by_rank[r].bytes_unchanged;
    accumulate(ranks_[r], bytes_alone);
  }
}

void run_stats::add_operation(const std::string& name, double seconds) {
  auto found = std::find_if(operations_.begin(), operations_.end(),
                            [&](const operation_total& one) { return one.name == name; });
  if (found == operations_.end()) found = operations_.insert(found, operation_total{name});
  ++found->calls;
  found->seconds += seconds;
}

void run_stats::holdings(container_id id, std::uint64_t size, std::vector<std::uint64_t> by_rank) {
  holdings_[id] = {size, std::move(by_rank)};
}

/// Writes all of the file or none. A device or a pipe is never replaced.
static bool write_text(const std::string& path, const std::string& text) {
  std::error_code absent;
  const bool special =
      std::filesystem::exists(path, absent) && !std::filesystem::is_regular_file(path, absent);
  const std::string aside = special ? path : path + ".part";
  std::ofstream file(aside);
  file << text << '\n';
  file.close();
  if (!file || (!special && std::rename(aside.c_str(), path.c_str()) != 0)) {
    warn(fmt::format("cannot write the statistics to {}: {}", path, std::strerror(errno)));
    if (!special) std::remove(aside.c_str());
    return false;
  }
  return true;
}

static nlohmann::ordered_json json_of_rank(std::size_t rank, const counters& w, std::uint64_t held) {
  return {{"rank", rank},
          {"iterations", w.iterations},
          {"seconds_compute", w.seconds_compute},
          {"seconds_wait", w.seconds_wait},
          {"bytes_sent", w.bytes_sent},
          {"bytes_received", w.bytes_received},
          {"bytes_unchanged", w.bytes_unchanged},
          {"refused_connections", w.refused},
          {"elements_held", held}};
}

/// Of the dynamic scheduler.
static nlohmann::ordered_json json_of_updates(const launch_record& last) {
  return {{"passes", last.passes},
          {"sweeps", last.sweeps},
          {"sets", last.sets},
          {"shards", last.shards},
          {"undone", last.undone},
          {"dependence_calls", last.dependence_calls},
          {"depth", last.depth},
          {"sets_in_flight", last.sets_in_flight},
          {"rejected", last.rejected},
          {"refilled", last.refilled},
          {"free_executors", last.free_executors},
          {"set_bytes", last.set_bytes},
          {"choice_seconds", last.choice_seconds},
          {"set_seconds", last.set_seconds},
          {"why_no_sets", last.why_no_sets},
          {"last_change", last.last_change},
          {"converged", last.converged}};
}

bool run_stats::write(const std::string& path) const {
  nlohmann::ordered_json all{{"ranks", nlohmann::ordered_json::array()},
                             {"loops", nlohmann::ordered_json::array()},
                             {"containers", nlohmann::ordered_json::array()},
                             {"operations", nlohmann::ordered_json::array()}};
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    std::uint64_t held = 0;
    for (const auto& [id, h] : holdings_) held += h.by_rank[r];
    all["ranks"].push_back(json_of_rank(r, ranks_[r], held));
  }
  for (const loop_total* of : loops()) {
    const loop_total& l = *of;
    all["loops"].push_back({{"site", l.last.site},
                            {"label", l.last.label},
                            {"calls", l.calls},
                            {"iterations", l.iterations},
                            {"seconds", l.seconds},
                            {"seconds_move", l.parts.move},
                            {"bytes_sent", l.bytes_sent},
                            {"bytes_unchanged", l.bytes_unchanged},
                            {"waits", l.waits},
                            {"seconds_plan", l.work.seconds_plan},
                            {"seconds_compute", l.work.seconds_compute},
                            {"seconds_wait", l.work.seconds_wait},
                            {"planner", l.last.planner},
                            {"parallelism", l.last.parallelism},
                            {"levels", l.last.levels},
                            {"rounds", l.last.rounds},
                            {"retries", l.last.retries},
                            {"groups", l.last.groups},
                            {"blocks", l.last.blocks},
                            {"accumulated", l.last.accumulated},
                            {"plans", l.plans},
                            {"surveys", l.surveys},
                            {"iterations_moved", l.iterations_moved},
                            {"rounds_ahead", l.rounds_ahead},
                            {"staleness", json_of(l.staleness)},
                            {"bytes_due", l.work.bytes_due},
                            {"bytes_beyond_budget", l.work.bytes_beyond},
                            {"captured_bytes", l.captured_bytes},
                            {"sets_hash", fmt::format("{:016x}", l.last.sets_hash)}});
    all["loops"].back().update(json_of_updates(l.last));
    if (l.prediction) all["loops"].back()["simulated"] = json_of(*l.prediction);
  }
  for (const auto& [id, h] : holdings_) {
    all["containers"].push_back(
        {{"container", static_cast<std::uint32_t>(id)}, {"elements", h.size}, {"elements_held", h.by_rank}});
  }
  for (const operation_total& one : operations_)
    all["operations"].push_back({{"name", one.name}, {"calls", one.calls}, {"seconds", one.seconds}});
  return write_text(path, all.dump(2));
}

}  // namespace stradsap::rt
