#include "runtime/loop/waves/wave_steps.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace stradsap::rt {

wave_steps::wave_steps(const planning& in, wave_plan& out, std::uint64_t num_elements, std::uint64_t touches,
                       int ranks)
    : in_(in),
      plan_(out),
      self_(in.ranks.self()),
      num_elements_(num_elements),
      places_(num_elements, touches) {
  const auto threads = static_cast<std::uint32_t>(in.pool.size());
  for (std::uint32_t part = 0; part < num_wave_parts; ++part) {
    const wave_place at = place_of_part(part, in.frame.num_accumulators, ranks, threads, in.shares);
    plan_.rank_of_part.push_back(at.rank);
    plan_.thread_of_part.push_back(at.thread);
  }
  plan_.executors = static_cast<std::uint32_t>(ranks) * threads;
  plan_.threads.resize(threads);
  plan_.is_part_used.resize(num_wave_parts);
  known_.assign(threads, std::vector<std::uint32_t>(threads));
  waiting_.resize(threads);
  is_awaited_.resize(threads);
  if (in.ranks.world_size() > 1) plan_.first_rank.assign(num_elements_, -1);
  reserve(touches);
}

/// Reserves the expected sizes of the lists. Doubling them would touch twice the memory.
void wave_steps::reserve(std::uint64_t touches) {
  const auto n = static_cast<double>(in_.frame.n);
  const double of_part = n / num_wave_parts * 1.05;
  std::vector<double> iterations(plan_.threads.size());
  for (std::uint32_t part = 0; part < num_wave_parts; ++part) {
    if (rank_of(part) == self_) iterations[thread_of(part)] += of_part;
  }
  for (std::size_t l = 0; l < iterations.size(); ++l) {
    wave_thread_share& thread = plan_.threads[l];
    thread.iterations.reserve(static_cast<std::size_t>(iterations[l]));
    thread.parts.reserve(static_cast<std::size_t>(iterations[l]));
    thread.set_ends.reserve(static_cast<std::size_t>(iterations[l]));
    thread.sets.reserve(static_cast<std::size_t>(iterations[l] / n * static_cast<double>(touches)));
  }
}

std::uint64_t iterations_taken(const wave_plan& before, const wave_plan& now, rank_id rank) {
  std::uint64_t taken = 0;
  for (std::uint32_t part = 0; part < num_wave_parts; ++part) {
    if (now.rank_of_part[part] == rank && before.rank_of_part[part] != rank)
      taken += now.work_of_part[part].iterations;
  }
  return taken;
}

std::vector<rank_id> ranks_of_accumulators(const wave_plan& p, std::uint32_t num_accumulators) {
  std::vector<rank_id> ranks(num_accumulators, -1);
  for (std::uint32_t part = 0; part < num_wave_parts && num_accumulators != 0; ++part) {
    if (p.is_part_used[part]) ranks[accumulator_of(part, num_accumulators)] = p.rank_of_part[part];
  }
  return ranks;
}

void wave_steps::add(std::uint64_t iteration, std::uint32_t part, std::uint32_t level,
                     std::span<const std::uint32_t> set) {
  plan_.is_part_used[part] = true;
  const rank_id rank = rank_of(part);
  if (rank == self_) add_own(iteration, part, level, set);
  for (const std::uint32_t e : set) {
    element_place& at = places_[e];
    if (at.level == 0) {
      if (!plan_.first_rank.empty()) plan_.first_rank[e] = rank;
    } else if (rank == self_) {
      follow(e, thread_of(part));
    } else if (rank_of(at.part) == self_) {
      leaving_.push_back({at.level, rank, e});
    }
    at = {level, static_cast<std::uint8_t>(part)};
  }
}

void wave_steps::add_own(std::uint64_t iteration, std::uint32_t part, std::uint32_t level,
                         std::span<const std::uint32_t> set) {
  wave_thread_share& thread = plan_.threads[thread_of(part)];
  if (thread.steps.empty() || thread.steps.back().level != level) {
    thread.steps.push_back({thread.iterations.size(), level});
    is_awaited_[thread_of(part)].push_back(false);
  }
  thread.iterations.push_back(static_cast<std::uint32_t>(iteration));
  thread.parts.push_back(static_cast<std::uint8_t>(part));
  thread.sets.insert(thread.sets.end(), set.begin(), set.end());
  thread.set_ends.push_back(thread.sets.size());
  ++thread.steps.back().end;
}

/// Adds the need of `thread`'s last step for an element from its last place.
void wave_steps::follow(std::uint32_t element, std::uint32_t thread) {
  const element_place at = place(element);
  const auto step = static_cast<std::uint32_t>(plan_.threads[thread].steps.size() - 1);
  if (rank_of(at.part) != self_) {
    incoming_.push_back({rank_of(at.part), at.level, element, thread, step});
  } else if (thread_of(at.part) != thread) {
    await(thread, thread_of(at.part), at.level);
  }
}

void wave_steps::await(std::uint32_t thread, std::uint32_t other, std::uint32_t level) {
  if (level <= known_[thread][other]) return;
  known_[thread][other] = level;
  waiting_[thread].push_back(
      {static_cast<std::uint32_t>(plan_.threads[thread].steps.size() - 1), {other, level}});
  is_awaited_[other][step_at(other, level)] = true;
}

/// The step with that level's iterations. Requires that the wave thread has some.
std::uint32_t wave_steps::step_at(std::uint32_t thread, std::uint32_t level) const {
  const auto& steps = plan_.threads[thread].steps;
  const auto at = std::lower_bound(steps.begin(), steps.end(), level,
                                   [](const wave_step& s, std::uint32_t l) { return s.level < l; });
  return static_cast<std::uint32_t>(at - steps.begin());
}

void wave_steps::finish() {
  if (in_.ranks.world_size() > 1) {
    number_incoming();
    list_departures();
    settle_owners();
  }
  for (std::uint32_t thread = 0; thread < num_threads(); ++thread) join_steps(thread);
}

/// Numbers the incoming messages. A message has all elements from one rank after one level, sorted by
/// element.
void wave_steps::number_incoming() {
  std::sort(incoming_.begin(), incoming_.end(), [](const incoming_element& a, const incoming_element& b) {
    return std::tie(a.from, a.level, a.element) < std::tie(b.from, b.level, b.element);
  });
  plan_.incoming.resize(static_cast<std::size_t>(in_.ranks.world_size()));
  const incoming_element* before = nullptr;
  for (const incoming_element& a : incoming_) {
    auto& messages = plan_.incoming[static_cast<std::size_t>(a.from)];
    if (before == nullptr || before->from != a.from || before->level != a.level) messages.emplace_back();
    messages.back().push_back(a.element);
    waiting_[a.thread].push_back(
        {a.step,
         {num_threads() + static_cast<std::uint32_t>(a.from), static_cast<std::uint32_t>(messages.size())}});
    before = &a;
  }
}

void wave_steps::list_departures() {
  std::sort(leaving_.begin(), leaving_.end(), [](const leaving& a, const leaving& b) {
    return std::tie(a.level, a.to, a.element) < std::tie(b.level, b.to, b.element);
  });
  std::uint32_t level = 0;
  for (const leaving& l : leaving_) {
    if (l.level != level) {
      level = l.level;
      plan_.departures.emplace_back();
      for (wave_thread_share& thread : plan_.threads) {
        const std::uint32_t step = step_at(static_cast<std::uint32_t>(&thread - plan_.threads.data()), level);
        if (step == thread.steps.size() || thread.steps[step].level != level) continue;
        thread.steps[step].departure = static_cast<std::uint32_t>(plan_.departures.size() - 1);
        ++plan_.departures.back().threads;
      }
    }
    auto& messages = plan_.departures.back().messages;
    if (messages.empty() || messages.back().to != l.to) messages.push_back({l.to, {}});
    messages.back().elements.push_back(l.element);
  }
}

/// Joins a step without needs to the one before, unless something waits for the end of that one.
void wave_steps::join_steps(std::uint32_t number) {
  wave_thread_share& thread = plan_.threads[number];
  auto& waiting_here = waiting_[number];
  std::sort(waiting_here.begin(), waiting_here.end(), [](const waiting& a, const waiting& b) {
    return std::tie(a.step, a.need.source, b.need.count) < std::tie(b.step, b.need.source, a.need.count);
  });
  std::vector<std::uint32_t> known(num_threads() + static_cast<std::uint32_t>(in_.ranks.world_size()));
  std::vector<wave_step> joined;
  auto next = waiting_here.begin();
  for (std::uint32_t s = 0; s < thread.steps.size(); ++s) {
    const std::size_t needs = thread.needs.size();
    for (; next != waiting_here.end() && next->step == s; ++next) {
      if (std::exchange(known[next->need.source], std::max(known[next->need.source], next->need.count)) <
          next->need.count) {
        thread.needs.push_back(next->need);
      }
    }
    wave_step step = thread.steps[s];
    step.needs_end = static_cast<std::uint32_t>(thread.needs.size());
    const bool joins = s > 0 && needs == thread.needs.size() && !is_awaited_[number][s - 1] &&
                       joined.back().departure == wave_step::no_departure;
    joins ? void(joined.back() = step) : joined.push_back(step);
  }
  thread.steps = std::move(joined);
}

/// A group goes to the rank that used most of its elements last. Elements without uses go there, too.
void wave_steps::settle_owners() {
  plan_.last_rank.resize(num_elements_);
  plan_.owners.resize(in_.frame.num_captures());
  for (std::size_t c = 0; c < in_.frame.num_captures(); ++c) {
    if (in_.frame.uses[c] != usage::owned) continue;
    const partition& groups = in_.frame.replicas[c]->groups();
    for (std::uint32_t g = 0; g < groups.num_groups(); ++g) {
      const std::uint64_t first = plan_.first_element[c] + groups.begin(g);
      const std::uint64_t end = plan_.first_element[c] + groups.end(g);
      const rank_id owner = busiest_rank(first, end, groups.owner(g));
      plan_.owners[c].push_back(owner);
      for (std::uint64_t e = first; e < end; ++e) {
        const element_place last = place(static_cast<std::uint32_t>(e));
        plan_.last_rank[e] = last.level == 0 ? owner : rank_of(last.part);
        if (last.level == 0) plan_.first_rank[e] = owner;
      }
    }
  }
}

rank_id wave_steps::busiest_rank(std::uint64_t first, std::uint64_t end, rank_id now) const {
  std::vector<std::uint64_t> uses(static_cast<std::size_t>(in_.ranks.world_size()));
  ++uses[static_cast<std::size_t>(now)];  // a tie leaves the group with its owner
  for (std::uint64_t e = first; e < end; ++e) {
    const element_place last = place(static_cast<std::uint32_t>(e));
    if (last.level != 0) uses[static_cast<std::size_t>(rank_of(last.part))] += 2;
  }
  return static_cast<rank_id>(std::max_element(uses.begin(), uses.end()) - uses.begin());
}

}  // namespace stradsap::rt
