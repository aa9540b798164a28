#include "runtime/loop/launch/launch_request.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "runtime/loop/launch/registry.hpp"

namespace stradsap::rt {

namespace {
struct memory_range {
  const void* first = nullptr;
  std::size_t size_bytes = 0;

  [[nodiscard]] bool overlaps(const memory_range& other) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(first);
    const auto others = reinterpret_cast<std::uintptr_t>(other.first);
    return begin < others + other.size_bytes && others < begin + size_bytes;
  }
};
}  // namespace

/// Appends a hash of the bytes from `first` on if the capture steers, else 0. Keys of plans contain these
/// hashes.
static void note_steering(launch_request& r, unsigned mode, std::size_t first) {
  const bool steers = (mode & abi::steers) != 0;
  r.steering.push_back(steers ? abi::hash_bytes(r.values.data() + first, r.values.size() - first) : 0);
}

launch_request make_request(const abi::loop_call& call) {
  launch_request r{&call.entry, call.site, call.label, call.num_iterations, call.model};
  abi::writer out(r.values);
  for (std::size_t c = 0; c < call.entry.num_captures; ++c) {
    const abi::capture_info& capture = call.entry.captures[c];
    const std::size_t first = r.values.size();
    void* const captured = const_cast<void*>(call.captured[c]);
    const bool is_container = capture.kind == abi::capture_kind::container;
    auto* const target = is_container ? static_cast<abi::handle_target*>(captured) : nullptr;
    r.containers.push_back(static_cast<driver_handle*>(target));
    r.reductions.push_back(capture.kind == abi::capture_kind::reduction ? captured : nullptr);
    if (capture.write != nullptr) capture.write(captured, out);
    note_steering(r, is_container ? 0 : capture.mode, first);
  }
  for (std::size_t g = 0; g < call.entry.num_globals; ++g) {
    const std::size_t first = r.values.size();
    call.entry.globals[g].write(out);
    note_steering(r, call.entry.globals[g].mode, first);
  }
  return r;
}

/// The memory of a reduction or container. Empty for a value: the loop has a copy.
static memory_range memory_of(const launch_request& r, std::size_t c) {
  if (r.reductions[c] != nullptr) return {r.reductions[c], r.entry->captures[c].size};
  if (r.containers[c] == nullptr) return {};
  const replica& local = r.containers[c]->local();
  return {local.at(0), local.size() * local.ops().size};
}

void refuse_second_names(const launch_request& r) {
  for (std::size_t c = 0; c < r.reductions.size(); ++c) {
    if (r.reductions[c] == nullptr) continue;
    const memory_range own = memory_of(r, c);
    for (std::size_t other = 0; other < r.reductions.size(); ++other) {
      if (other == c || !own.overlaps(memory_of(r, other))) continue;
      const char* const name = r.entry->captures[c].name;
      const char* const second = r.entry->captures[other].name;
      const char* const fault =
          r.containers[other] != nullptr
              ? "{}: `{}` is an element of `{}`, which the loop captures too: fold into a variable"
              : "{}: `{}` and `{}` are one variable, or parts of one, and the loop folds into it: capture it "
                "once";
      throw error(errc::unsupported, fmt::format(fmt::runtime(fault), r.site, name, second));
    }
  }
}

static plan_id plan_of(const launch_request& r, const loop_uses& uses) {
  std::vector<std::uint64_t> parts{
      r.entry->id, static_cast<std::uint64_t>(r.n), static_cast<std::uint64_t>(r.model.which()),
      static_cast<std::uint64_t>(r.model.batch()), static_cast<std::uint64_t>(r.model.shards())};
  const std::string type = name_of(*r.entry);
  parts.push_back(abi::hash_bytes(type.data(), type.size()));
  parts.push_back(uses.num_accumulators);
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const driver_handle* handle = r.containers[c];
    parts.push_back(handle == nullptr ? 0 : 1 + static_cast<std::uint64_t>(handle->local().id()));
    parts.push_back(static_cast<std::uint64_t>(uses.by_capture[c]));
  }
  return plan_id{abi::hash_bytes(parts.data(), parts.size() * sizeof parts[0])};
}

resolved_request resolve(const launch_request& call, std::uint32_t map_accumulators) {
  std::vector<replica*> replicas;
  for (const driver_handle* handle : call.containers)
    replicas.push_back(handle == nullptr ? nullptr : &handle->local());
  loop_uses uses = uses_of(*call.entry, call.n, call.model.which(), replicas, map_accumulators);
  const plan_id plan = plan_of(call, uses);
  const auto& of = uses.by_capture;
  const bool lists = std::find(of.begin(), of.end(), usage::owned) != of.end();
  return {call, map_accumulators, std::move(uses), plan, lists};
}

bool adds_into_maps(const resolved_request& r) {
  const std::vector<usage>& uses = r.uses.by_capture;
  for (std::size_t c = 0; c < uses.size(); ++c) {
    if (uses[c] == usage::accumulated && r.call.containers[c]->local().keys() != nullptr) return true;
  }
  return false;
}

bool is_written(const abi::capture_info& capture) {
  return capture.kind == abi::capture_kind::container && (capture.mode & abi::writes) != 0;
}

bool steers_itself(const abi::capture_info& capture) {
  return (capture.mode & (abi::steers | abi::steady)) == abi::steers;
}

bool is_transactional(const launch_request& r) {
  return (r.entry->flags & abi::transactional) != 0 && r.model.which() == ConsistencyModel::kind::async;
}

}  // namespace stradsap::rt
