// A loop that runs on the driver's rank over the driver's own handles, which own all elements that it writes.
// Thread rule: main thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/base/faults.hpp"
#include "runtime/loop/launch/frame.hpp"
#include "runtime/loop/launch/launch_request.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

/// Brings all elements of the loop's containers here, and makes the driver the owner of those that it writes.
inline void bring_here(const launch_request& r) {
  for (std::size_t c = 0; c < r.entry->num_captures; ++c) {
    if (r.containers[c] == nullptr) continue;
    if (is_written(r.entry->captures[c])) {
      r.containers[c]->take(r.entry->captures[c].written, r.site);
    } else {
      if (gives_places(r.entry->captures[c])) r.containers[c]->await_write();
      r.containers[c]->all(abi::access::read);
    }
  }
}

/// A loop over the driver's own handles; all elements are on this rank.
class launch_here {
 public:
  launch_here(const launch_request& r, const abi::launch_key& key, work_counter& work,
              std::uint32_t map_accumulators = 0, std::uint32_t large_accumulators = 0)
      : request_(r), start_(steady::now()) {
    const std::size_t n = r.entry->num_captures;
    std::vector<replica*> replicas(n);
    copy_reductions();
    bring_here(r);
    for (std::size_t c = 0; c < n; ++c) {
      if (r.containers[c] != nullptr) replicas[c] = &r.containers[c]->local();
    }
    launch l;
    l.id = launch_id{key.number};
    l.site = r.site;
    l.n = r.n;
    l.map_accumulators = map_accumulators;
    l.large_accumulators = large_accumulators;
    frame_ = make_frame(*r.entry, l, key.seed, r.values.borrowed(), std::move(replicas));
    frame_.handles.assign(r.containers.begin(), r.containers.end());
    frame_.work = &work;
  }

  [[nodiscard]] loop_frame& frame() { return frame_; }
  [[nodiscard]] const std::vector<std::byte*>& partials() const { return partials_; }
  /// Stores the folded values in the program's variables.
  void keep_reductions() const {
    for (std::size_t c = 0; c < partials_.size(); ++c) {
      if (request_.reductions[c] != nullptr)
        std::memcpy(request_.reductions[c], partials_[c], request_.entry->captures[c].size);
    }
  }
  [[nodiscard]] done result(const transport* net) const {
    done d;
    if (net != nullptr) {
      d.work.bytes_sent = net->bytes_sent();
      d.work.bytes_received = net->bytes_received();
    }
    d.work.iterations = static_cast<std::uint64_t>(request_.n);
    d.work.seconds_compute = std::chrono::duration<double>(steady::now() - start_).count();
    return d;
  }

 private:
  using steady = std::chrono::steady_clock;

  /// Bodies fold into copies, for a loop that fails to leave the variables as they were.
  void copy_reductions() {
    constexpr std::size_t alignment = alignof(std::max_align_t);
    const auto room = [](std::size_t size) { return (size + alignment - 1) / alignment * alignment; };
    std::size_t size = 0;
    for (std::size_t c = 0; c < request_.entry->num_captures; ++c)
      size += room(request_.entry->captures[c].size);
    reductions_.resize(size);
    partials_.resize(request_.entry->num_captures);
    size = 0;
    for (std::size_t c = 0; c < request_.entry->num_captures; ++c) {
      if (request_.reductions[c] == nullptr) continue;
      partials_[c] = reductions_.data() + size;
      std::memcpy(partials_[c], request_.reductions[c], request_.entry->captures[c].size);
      size += room(request_.entry->captures[c].size);
    }
  }

  const launch_request& request_;
  const steady::time_point start_;
  std::vector<std::byte> reductions_;
  std::vector<std::byte*> partials_;
  loop_frame frame_;
};

}  // namespace stradsap::rt
