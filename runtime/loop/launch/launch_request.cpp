#include "runtime/loop/launch/launch_request.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

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
    r.containers.push_back(is_container ? static_cast<abi::handle_target*>(captured) : nullptr);
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
  const container_store& store = store_of(r, c);
  return {store.at(0), store.size() * store.ops().size};
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

container_store& store_of(const launch_request& r, std::size_t c) {
  return static_cast<container_store&>(*r.containers[c]);
}

loop_uses uses_in(const launch_request& r) {
  std::vector<container_store*> stores;
  for (abi::handle_target* target : r.containers) stores.push_back(static_cast<container_store*>(target));
  return uses_of(*r.entry, r.n, r.model.which(), stores, r.map_accumulators);
}

bool adds_into_maps(const launch_request& r) {
  const std::vector<usage> uses = uses_in(r).by_capture;
  for (std::size_t c = 0; c < uses.size(); ++c) {
    if (uses[c] == usage::accumulated && store_of(r, c).keys() != nullptr) return true;
  }
  return false;
}

bool is_written(const abi::capture_info& capture) {
  return capture.kind == abi::capture_kind::container && (capture.mode & abi::writes) != 0;
}

bool lists_iterations(const launch_request& r) {
  const std::vector<usage> uses = uses_in(r).by_capture;
  return std::find(uses.begin(), uses.end(), usage::owned) != uses.end();
}

bool steers_itself(const abi::capture_info& capture) {
  return (capture.mode & (abi::steers | abi::steady)) == abi::steers;
}

bool is_transactional(const launch_request& r) {
  return (r.entry->flags & abi::transactional) != 0 && r.model.which() == ConsistencyModel::kind::async;
}

}  // namespace stradsap::rt
