// The options of this process, from the launcher and the user. The only code that reads environment
// variables. Thread rule: immutable once read.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stradsap/consistency.hpp>

#include "runtime/base/ids.hpp"
#include "runtime/base/simulated_cluster.hpp"
#include "runtime/base/starter.hpp"
#include "runtime/base/wait_policy.hpp"

namespace stradsap::rt {

/// Ports that a rank may listen at; 0: the system chooses one.
struct port_range {
  int first = 0;
  int last = 0;
};

struct options {
  rank_id rank = 0;
  int world_size = 1;
  int threads = 1;      // executors in this process
  wait_policy waiting;  // wait policy of all its threads
  std::uint64_t seed = 0;
  bool serial = false;                                 // program order, on one rank and one thread
  std::optional<consistency::ConsistencyModel> model;  // in place of that of each async, sync or ordered loop
  std::string model_text;                              // as given; empty: none
  bool plan_cache = true;                              // false: every launch makes a new plan
  bool in_place = true;                                // transactions and waves may give way to program order
  /// Larger containers that a loop only reads are fetched page by page; most of all: copied whole.
  std::uint64_t replicate = ~std::uint64_t{0};
  bool shared_memory = true;           // messages between ranks of a machine use it if they can
  std::string run_dir;                 // folder of this job's sockets; empty without other ranks
  int local_size = 1;                  // ranks on this host
  std::string address;                 // of this host, for ranks of other hosts; empty without any
  port_range ports;                    // for connections of ranks of other hosts
  bool encrypt = true;                 // connections with ranks of other hosts
  std::optional<starter> started_by;   // in place of stradsap-run, as one of several ranks
  std::vector<std::string> run_bases;  // folders that may have that of such a run, the best first
  std::string home;                    // of the user; empty: unknown
  std::string rendezvous;         // of such ranks of several hosts: host:port or a folder; empty: in `home`
  std::string key_file;           // of a rendezvous at host:port; empty: none
  std::string network_interface;  // by which such ranks meet: a name or an address; empty: unknown
  std::string stats_path;         // empty: no statistics
  std::string metrics_path;       // empty: no metrics
  std::string falling = "objective,loss";  // reported values that should fall.
  std::string checkpoint_dir;              // in place of the program's folder; empty: none
  std::string resume;                      // a folder of checkpoints; 1 or latest: the program's; empty: no
  std::string job;                         // identifies the run, also over restarts; empty: unknown
  bool may_restart = false;                // the launcher starts this job again after a loss
  bool is_restart = false;                 // the launcher has started this job before
  bool summary = false;                    // of the loops' times, at the end
  int columns = 0;                         // of the launcher's terminal, for progress; 0: it has none
  bool quiet = false;                      // no progress
  bool check_conflicts = false;            // prove the serial order of each loop of a check build
  std::optional<simulated_cluster> simulate;  // predict the loops' times on this cluster
  std::int64_t simulate_parallel = 0;         // workers that trials of dynamic loops simulate; 0: no trials
  bool free_running = false;                  // dynamic loops by accesses may give up equal bits
  std::string order_path;                // check_conflicts writes the orders to this file, unless it is empty
  std::chrono::microseconds latency{0};  // after which messages of other ranks are delivered
  std::chrono::seconds start_timeout{60};
  std::string refusal;  // of a rank without a launcher: a wrong variable. It tells the others when they meet
  std::chrono::seconds hang_timeout{30};  // a peer is lost after this silence; 0: never
  bool awaits_debugger = false;           // before main
  bool ends_hangs = false;                // a run without progress for that long ends
};

/// The wait policy for `ranks` on this machine with `threads` executors each.
[[nodiscard]] wait_policy wait_policy_of(int ranks, int threads, bool shared_memory);

/// Reads STRADSAP_* variables. Throws error(errc::unsupported) that names a variable and the values it takes.
[[nodiscard]] options read_options();

}  // namespace stradsap::rt
