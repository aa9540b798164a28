#include "runtime/loop/waves/wave_execution.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "runtime/dds/element_exchange.hpp"
#include "runtime/loop/run/known_values.hpp"
#include "runtime/loop/waves/wave_thread.hpp"

namespace stradsap::rt {

wave_execution::wave_execution(const loop_frame& frame, const wave_plan& p, exchange& ranks,
                               const loop_place& at)
    : running_loop(frame, at), frame_(frame), plan_(p), ranks_(ranks) {
  show_values(frame);
  for (std::size_t c = 0; c < frame.num_captures(); ++c) {
    sums_size_ += frame.entry->captures[c].size;
    if (frame.uses[c] != usage::owned) continue;
    const replica& local = *frame.replicas[c];
    places_.push_back({p.first_element[c], static_cast<std::uint32_t>(c), local.at(0), local.ops().size});
  }
  sums_.resize(static_cast<std::size_t>(frame.n) * sums_size_);
  counters_ = std::make_unique<counter[]>(p.threads.size() + static_cast<std::size_t>(ranks.world_size()));
  asleep_ = std::make_unique<std::atomic<const wave_need*>[]>(p.threads.size());
  threads_left_ = std::make_unique<std::atomic<std::uint32_t>[]>(p.departures.size());
  for (std::size_t d = 0; d < p.departures.size(); ++d) threads_left_[d].store(p.departures[d].threads);
}

wave_execution::~wave_execution() = default;

loop_result wave_execution::run(executor_pool& pool) {
  std::uint64_t total = 0;
  for (const wave_thread_share& share : plan_.threads) total += share.iterations.size();
  frame_.begin(work_stage::running, total);
  if (ranks_.world_size() > 1) collect_first();
  std::vector<executor_clock> clocks(plan_.threads.size());
  pool.run([&](int number) {
    thread work(*this, static_cast<std::uint32_t>(number));
    work.run(clocks[static_cast<std::size_t>(number)]);
  });
  if (ranks_.world_size() > 1) return_last();
  loop_result result;
  const std::vector<float> seconds = part_seconds(clocks);
  for (std::uint32_t part = 0; part < num_wave_parts; ++part) {
    if (!plan_.is_part_used[part] || plan_.rank_of_part[part] != at_.self) continue;
    result.blocks.push_back(part);
    result.piece_seconds.push_back(seconds[part]);
  }
  take_sums(result);
  report(clocks, result);
  return result;
}

/// Moves the sums of this rank's iterations into the result, in program order.
void wave_execution::take_sums(loop_result& result) {
  if (sums_size_ == 0) return;
  for (const wave_thread_share& share : plan_.threads)
    result.summed.insert(result.summed.end(), share.iterations.begin(), share.iterations.end());
  std::erase_if(result.summed, [&](std::uint32_t j) { return j < frame_.first; });
  std::sort(result.summed.begin(), result.summed.end());
  for (const std::uint32_t j : result.summed) {
    const auto at = sums_.begin() + static_cast<std::ptrdiff_t>(j * sums_size_);
    result.partials.insert(result.partials.end(), at, at + static_cast<std::ptrdiff_t>(sums_size_));
  }
}

/// The time of each part in levels that are dealt out. A part gets a share of its wave thread's time by its
/// ticks, or else by its work. Other levels take equally long on any thread.
std::vector<float> wave_execution::part_seconds(std::span<const executor_clock> clocks) const {
  const auto weight = [&](std::uint32_t part) {
    const part_work& work = plan_.work_of_part[part];
    const executor_clock& clock = clocks[plan_.thread_of_part[part]];
    return static_cast<double>(clock.ticks.empty() ? work.dealt + work.alone : clock.ticks[part]);
  };
  std::vector<double> weights(plan_.threads.size());
  for (std::uint32_t part = 0; part < num_wave_parts; ++part) {
    if (plan_.rank_of_part[part] == at_.self) weights[plan_.thread_of_part[part]] += weight(part);
  }
  std::vector<float> seconds(num_wave_parts);
  for (std::uint32_t part = 0; part < num_wave_parts; ++part) {
    const part_work& work = plan_.work_of_part[part];
    const std::uint32_t of = plan_.thread_of_part[part];
    if (plan_.rank_of_part[part] != at_.self || weights[of] == 0 || work.dealt == 0) continue;
    const double dealt = static_cast<double>(work.dealt) / static_cast<double>(work.dealt + work.alone);
    seconds[part] = static_cast<float>(clocks[of].seconds_compute * dealt * weight(part) / weights[of]);
  }
  return seconds;
}

// ---- transfer of elements ----

/// The current owner of each element.
std::vector<rank_id> wave_execution::owners_now() const {
  std::vector<rank_id> owners(plan_.first_rank.size());
  for (std::size_t c = 0; c < plan_.owners.size(); ++c) {
    if (plan_.owners[c].empty()) continue;
    const partition& groups = frame_.replicas[c]->groups();
    const auto first = owners.begin() + plan_.first_element[c];
    for (std::uint32_t g = 0; g < groups.num_groups(); ++g) {
      std::fill(first + static_cast<std::ptrdiff_t>(groups.begin(g)),
                first + static_cast<std::ptrdiff_t>(groups.end(g)), groups.owner(g));
    }
  }
  return owners;
}

/// Moves elements to the ranks that use them first.
void wave_execution::collect_first() { exchange_elements(owners_now(), plan_.first_rank); }

/// Moves elements from the ranks of their last use to the owners that the plan has chosen.
void wave_execution::return_last() {
  for (std::size_t c = 0; c < plan_.owners.size(); ++c) {
    for (std::uint32_t g = 0; g < plan_.owners[c].size(); ++g)
      frame_.replicas[c]->set_owner(g, plan_.owners[c][g]);
  }
  exchange_elements(plan_.last_rank, owners_now());
}

void wave_execution::exchange_elements(const std::vector<rank_id>& from, const std::vector<rank_id>& to) {
  const auto ranks = static_cast<std::size_t>(ranks_.world_size());
  std::vector<std::vector<std::uint32_t>> leave(ranks);
  std::vector<std::vector<std::uint32_t>> come(ranks);
  for (std::uint32_t e = 0; e < from.size(); ++e) {
    if (from[e] == to[e]) continue;
    if (from[e] == at_.self) leave[static_cast<std::size_t>(to[e])].push_back(e);
    if (to[e] == at_.self) come[static_cast<std::size_t>(from[e])].push_back(e);
  }
  element_exchange elements(ranks_);
  for (rank_id r = 0; r < ranks_.world_size(); ++r)
    write_elements(leave[static_cast<std::size_t>(r)], elements.writer(r));
  elements.trade();
  for (rank_id r = 0; r < ranks_.world_size(); ++r)
    read_elements(come[static_cast<std::size_t>(r)], elements.reader(r));
  elements.finish();
}

void wave_execution::prefetch(std::uint32_t element) const {
  const place* at = &places_.back();
  while (element < at->first) --at;
  const std::byte* begin = at->base + (element - at->first) * at->size;
  for (std::size_t line = 0; line < at->size && line < 1024; line += 64) __builtin_prefetch(begin + line, 1);
}

void wave_execution::write_elements(const std::vector<std::uint32_t>& elements, abi::writer& out) const {
  for (const std::uint32_t e : elements) {
    const std::uint32_t c = capture_of(e);
    const std::uint64_t i = e - plan_.first_element[c];
    const replica& local = *frame_.replicas[c];
    const poison::opened moved(local.at(i), local.ops().size);
    local.ops().write(local.at(i), 1, out);
    if (versions_ != nullptr) out(versions_->of(c, i));
  }
}

void wave_execution::read_elements(const std::vector<std::uint32_t>& elements, abi::reader& in) const {
  for (const std::uint32_t e : elements) {
    const std::uint32_t c = capture_of(e);
    const std::uint64_t i = e - plan_.first_element[c];
    const replica& local = *frame_.replicas[c];
    const poison::opened moved(local.at(i), local.ops().size);
    local.ops().read(local.at(i), 1, in);
    if (versions_ == nullptr) continue;
    std::uint64_t version = 0;
    in(version);
    versions_->put(c, i, i + 1, {version});
  }
}

/// A wave thread has finished the level of `departure`. Messages leave in level order, because receivers
/// number them.
void wave_execution::depart(std::uint32_t departure) {
  if (threads_left_[departure].fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const lock_guard hold(sending_);
  for (; next_departure_ < plan_.departures.size(); ++next_departure_) {
    if (threads_left_[next_departure_].load(std::memory_order_acquire) != 0) return;
    for (const wave_message& m : plan_.departures[next_departure_].messages) {
      moved_elements moved{at_.launch, {}};
      abi::writer out(moved.elements);
      write_elements(m.elements, out);
      at_.net->send(m.to, std::move(moved));
    }
  }
}

void wave_execution::received(rank_id from, moved_elements m) {
  const auto source = static_cast<std::size_t>(from);
  const auto number = counters_[plan_.threads.size() + source].value.load(std::memory_order_relaxed);
  if (source >= plan_.incoming.size() || number >= plan_.incoming[source].size())
    throw error(errc::decode,
                fmt::format("message {} of elements from rank {} was not planned", number, from));
  abi::reader in(m.elements);
  read_elements(plan_.incoming[source][number], in);
  reached(static_cast<std::uint32_t>(plan_.threads.size() + source), number + 1);
}

void wave_execution::received(rank_id from, token) {
  throw error(errc::decode, fmt::format("rank {} sends a token to a loop that has none", from));
}

// ---- waiting ----

void wave_execution::reached(std::uint32_t source, std::uint32_t count) {
  counters_[source].value.store(count, std::memory_order_release);
  counters_[source].value.notify_all();
}

// This wait always ends: a lost peer ends the process, from the network thread.
void wave_execution::wait_for(std::size_t number, const wave_need& need) {
  const std::atomic<std::uint32_t>& value = counters_[need.source].value;
  // Waking a thread takes longer than most waits last. Later polls yield the core.
  constexpr int pauses = 500;
  constexpr int all = 1000;
  {
    const polling_scope here(need.source < plan_.threads.size() ? nullptr : at_.waiting.post);
    for (int spin = 0; spin < all; ++spin) {
      here.look();
      if (value.load(std::memory_order_acquire) >= need.count) return;
      spin < pauses ? __builtin_ia32_pause() : std::this_thread::yield();
    }
  }
  std::uint32_t now = value.load(std::memory_order_acquire);
  asleep_[number] = &need;
  while (now < need.count) {
    value.wait(now, std::memory_order_acquire);
    now = value.load(std::memory_order_acquire);
  }
  asleep_[number] = nullptr;
}

std::vector<awaited_rank> wave_execution::awaits() const {
  std::vector<awaited_rank> found;
  const std::size_t threads = plan_.threads.size();
  for (std::size_t t = 0; t < threads; ++t) {
    const wave_need* need = asleep_[t];
    if (need == nullptr && !plan_.threads[t].steps.empty()) {
      const std::uint32_t last = plan_.threads[t].steps.back().level;
      if (counters_[t].value.load(std::memory_order_acquire) < last) return {};  // it runs bodies
    }
    if (need == nullptr || need->source < threads) continue;
    found.push_back({static_cast<rank_id>(need->source - threads),
                     fmt::format("wave thread {} needs its message {} of elements", t, need->count)});
  }
  return found;
}

}  // namespace stradsap::rt
