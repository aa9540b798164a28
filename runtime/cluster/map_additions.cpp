#include "runtime/cluster/map_additions.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace stradsap::rt {

/// Few, since each has entries of its own, but enough for executors to take them from each other.
std::uint32_t map_additions::accumulators() const {
  constexpr std::uint32_t each = 4;
  constexpr std::uint32_t most = 64;
  const auto executors = static_cast<std::uint32_t>(executors_);
  return executors == 1 ? 1 : std::min(most, std::bit_ceil(each * executors));
}

/// The inputs of the subscripts at which the loop adds.
static std::vector<std::uint64_t> places_of(const launch_request& r) {
  std::vector<std::uint64_t> parts = r.steering();
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const abi::capture_info& capture = r.entry->captures[c];
    if (r.containers[c] == nullptr || (capture.mode & abi::steers) == 0) continue;
    parts.push_back(r.containers[c]->versions().key(capture.steering));
    parts.push_back(r.containers[c]->local().size());
  }
  return parts;
}

static std::vector<container_id> containers_of(const launch_request& r) {
  std::vector<container_id> ids;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] != nullptr) ids.push_back(r.containers[c]->local().id());
  }
  return ids;
}

map_additions::calls& map_additions::count(const resolved_request& r,
                                           const std::vector<container_id>& destroyed) {
  constexpr std::size_t most_loops = 1024;
  std::erase_if(calls_, [&](const auto& one) {
    const auto& of = one.second.containers;
    return std::find_first_of(of.begin(), of.end(), destroyed.begin(), destroyed.end()) != of.end();
  });
  if (calls_.size() >= most_loops && !calls_.contains(r.plan)) {
    const auto older = [](const auto& a, const auto& b) { return a.second.last < b.second.last; };
    calls_.erase(std::min_element(calls_.begin(), calls_.end(), older));
  }
  calls& own = calls_[r.plan];
  std::vector<std::uint64_t> places = places_of(r.call);
  if (own.places != places) own = {};
  own.places = std::move(places);
  own.containers = containers_of(r.call);
  own.last = ++num_calls_;
  ++own.alike;
  return own;
}

/// Whether the result has the same bits in any order.
static bool is_exact(const resolved_request& r) {
  const auto rounds = [](const abi::capture_info& capture) {
    return capture.kind == abi::capture_kind::reduction && (capture.mode & abi::exact) == 0;
  };
  const abi::loop_entry& entry = *r.call.entry;
  return r.uses.is_exact && std::none_of(entry.captures, entry.captures + entry.num_captures, rounds);
}

/// If several calls in a row had the same places, more may follow, and a plan is worth its time while it
/// holds.
map_additions::decision map_additions::decide(const resolved_request& r,
                                              const std::vector<container_id>& destroyed) {
  constexpr std::uint64_t calls_before_plan = 4;
  const bool is_followed = (r.call.entry->flags & (abi::unknown_dependences | abi::random)) == 0;
  const calls& own = count(r, destroyed);
  const bool cuts = is_followed && keeps_plans_ && !own.cuts_badly && own.alike > calls_before_plan;
  return {cuts, cuts && own.alike > calls_before_plan + 1};
}

/// A plan is not used if it leaves executors idle. For sums of fractions the plan changes the bits, so the
/// choice must not depend on the number of executors: then it is not used if its parallelism is below 2.
void map_additions::cut(const resolved_request& r, double parallelism) {
  const double least = is_exact(r) ? 0.75 * executors_ : 2;
  calls_.at(r.plan).cuts_badly = parallelism < least;
}

void map_additions::save(abi::writer& out) const {
  out(num_calls_, std::uint64_t{calls_.size()});
  for (const auto& [id, one] : calls_) {
    calls copy = one;
    out(id);
    copy.serialize(out);
  }
}

void map_additions::resume(abi::reader& in) {
  calls_.clear();
  in(num_calls_);
  for (std::size_t left = in.count(sizeof(plan_id)); left > 0; --left) {
    plan_id id{};
    in(id);
    calls_[id].serialize(in);
  }
}

}  // namespace stradsap::rt
