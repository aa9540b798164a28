// The calls of a loop under consistency::stale, as the driver sees them until it needs the loop's containers.
// Thread rule: main thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "runtime/loop/launch/launch_request.hpp"
#include "runtime/observe/run_stats.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// A call that other ranks may still run.
struct clocked_call {
  launch_id id{};
  std::vector<done> parts;        // by rank
  bool has_ended = false;         // on all ranks; else their parts are missing
  launch_record record;           // without parts
  std::vector<void*> reductions;  // by capture: to fold the parts into, or null

  [[nodiscard]] bool folds_into(const void* value) const {
    return std::find(reductions.begin(), reductions.end(), value) != reductions.end();
  }
};

/// A container that the loop writes.
struct clocked_container {
  driver_handle* handle;
  std::uint64_t fields;
  bool is_relaxed;  // else only at the loop's index
};

struct clocked_calls {
  clocked_calls(const launch_request& r, launch_id id) : entry(r.entry), site(r.site), n(r.n), first(id) {
    relaxed = r.relaxed;
    for (std::size_t c = 0; c < r.containers.size(); ++c) {
      if (r.containers[c] == nullptr) continue;
      containers.push_back(r.containers[c]->local().id());
      const abi::capture_info& capture = r.entry->captures[c];
      if (is_written(capture))
        written.push_back({r.containers[c], capture.written, r.relaxed[c].has_value()});
    }
    for (const auto& one : relaxed) bound = one ? static_cast<std::uint64_t>(one->bound) : bound;
  }

  /// Whether the request is the next call of the loop.
  [[nodiscard]] bool is_same(const launch_request& r) const {
    if (!r.is_clock || r.entry != entry || r.n != n || r.relaxed != relaxed) return false;
    std::vector<container_id> others;
    for (const driver_handle* handle : r.containers) {
      if (handle != nullptr) others.push_back(handle->local().id());
    }
    return others == containers;
  }
  [[nodiscard]] bool writes(const driver_handle* container) const {
    return std::any_of(written.begin(), written.end(),
                       [&](const clocked_container& one) { return one.handle == container; });
  }

  [[nodiscard]] bool folds_into(const void* value) const {
    return std::any_of(open.begin(), open.end(),
                       [&](const clocked_call& call) { return call.folds_into(value); });
  }

  const abi::loop_entry* entry;
  const char* site;
  std::int64_t n;
  relaxations relaxed;
  std::vector<container_id> containers;  // that it captures
  std::vector<clocked_container> written;
  std::uint64_t bound = 0;
  launch_id first{};              // of clock 0
  launch_id last{};               // of the latest call
  std::uint64_t issued = 0;       // calls
  std::deque<clocked_call> open;  // the latest ones, in their order
};

}  // namespace stradsap::rt
