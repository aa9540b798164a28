// The data that `sync` loops, and loops with relaxed containers, keep from launch to launch: the memory of
// private copies, access rates of loops, and the histories of merge::adaptive. Thread rule: the thread that
// runs launches; executors use windows of their own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/loop/accumulate/adaptive_scale.hpp"
#include "runtime/loop/accumulate/shard_window.hpp"
#include "runtime/loop/launch/registry.hpp"

namespace stradsap::rt {

/// Accesses of one iteration on average, while the loop's shards copied on demand. All ranks have the same
/// numbers.
struct access_rate {
  double accesses = 0;
  double chunks = 0;
};

class batch_memory {
 public:
  /// The private copies of one container.
  struct container_copies {
    std::vector<std::unique_ptr<shard_window>> windows;  // by executor, or by accumulator
    std::vector<shard_changes> changes;                  // by shard
  };

  container_copies& copies_of(replica& local, std::size_t windows, std::size_t shards) {
    container_copies& kept = by_container_[local.id()];
    if (!kept.windows.empty() && !kept.windows.front()->fits()) kept.windows.clear();
    while (kept.windows.size() < windows) kept.windows.push_back(std::make_unique<shard_window>(local));
    if (kept.changes.size() < shards) kept.changes.resize(shards);
    return kept;
  }
  /// Gives the memory of large copies back. Smaller ones stay for the next launch.
  void remove_large(const replica& local) {
    const auto kept = by_container_.find(local.id());
    if (kept == by_container_.end()) return;
    constexpr std::uint64_t most = std::uint64_t{64} << 20;
    if (local.size() * local.ops().size * kept->second.windows.size() > most) by_container_.erase(kept);
  }
  /// Call it before the container ends.
  void remove(container_id id) {
    by_container_.erase(id);
    std::erase_if(scales_, [&](const auto& one) { return one.first.second == id; });
  }
  /// The loop's history of merge::adaptive for the elements of the container. The same on all ranks.
  [[nodiscard]] adaptive_scale& scale_of(const abi::loop_entry& loop, const replica& local) {
    const auto found = scales_.try_emplace({&loop, local.id()}, local.size()).first;
    if (found->second.size() != local.size()) found->second = adaptive_scale(local.size());
    return found->second;
  }

  /// For a checkpoint: the histories of all loops. resume_scales() throws error(errc::decode).
  void save_scales(abi::writer& out) const {
    out(std::uint64_t{scales_.size()});
    for (const auto& [of, scale] : scales_) {
      out(of.first->id, name_of(*of.first), of.second);
      scale.save(out);
    }
  }
  void resume_scales(abi::reader& in) {
    scales_.clear();
    for (std::size_t left = in.count(1); left > 0; --left) {
      std::uint64_t id = 0;
      std::string name;
      container_id container{};
      in(id, name, container);
      const abi::loop_entry* const loop = find_loop(id, name);
      if (loop == nullptr) throw error(errc::decode, "the scales of a loop that the program does not have");
      scales_.try_emplace({loop, container}, 0).first->second.resume(in);
    }
  }

  /// Null if no shard of the loop has copied this capture's container on demand yet.
  [[nodiscard]] const access_rate* rate_of(const abi::loop_entry& loop, std::size_t capture) const {
    const auto found = rates_.find({&loop, capture});
    return found == rates_.end() ? nullptr : &found->second;
  }
  void set_rate(const abi::loop_entry& loop, std::size_t capture, access_rate rate) {
    rates_[{&loop, capture}] = rate;
  }

 private:
  std::map<container_id, container_copies> by_container_;
  std::map<std::pair<const abi::loop_entry*, std::size_t>, access_rate> rates_;
  std::map<std::pair<const abi::loop_entry*, container_id>, adaptive_scale> scales_;
};

}  // namespace stradsap::rt
