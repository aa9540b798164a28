// What the launcher and the user asked of this process. The only place that reads the environment.
// Thread rule: immutable once read.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/base/ids.hpp"
#include "runtime/base/patience.hpp"
#include "runtime/base/simulated_cluster.hpp"

namespace stradsap::rt {

struct options {
  rank_id rank = 0;
  int world_size = 1;
  int threads = 1;   // executors in this process
  patience waiting;  // of all its threads
  std::uint64_t seed = 0;
  bool serial = false;           // program order, on one rank and one thread
  bool plan_cache = true;        // false: every launch is planned anew
  bool rounds_only = false;      // transactions never run in place
  bool shared_memory = true;     // messages between ranks of a machine go through it where they can
  std::string run_dir;           // sockets of this job; empty when the process is alone
  std::string stats_path;        // empty: no statistics
  bool check_conflicts = false;  // prove of each loop of a check build that it had a serial order
  std::optional<simulated_cluster> simulate;  // say how the loops would run there
  std::string order_path;                     // where these orders are written; empty: nowhere
  std::chrono::seconds start_timeout{60};
  std::chrono::seconds hang_timeout{30};  // silence after which a peer counts as lost; 0: never
};

/// How threads wait where this machine has so many ranks with so many executors each.
[[nodiscard]] patience patience_of(int ranks, int threads, bool shared_memory);

/// Reads STRADSAP_* variables. Throws error(errc::unsupported) that names a variable and what it should hold.
[[nodiscard]] options read_options();

}  // namespace stradsap::rt
