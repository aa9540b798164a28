// The starter of this process, if that is srun, mpirun or a user's own, and not stradsap-run: found by the
// variables that it sets. Thread rule: immutable.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/ids.hpp"

namespace stradsap::rt {

/// The value of a variable of the environment; none if it is unset or empty.
using variable_lookup = std::function<std::optional<std::string_view>(const char* name)>;

/// One that has started this process as one of several ranks.
struct starter {
  std::string name;  // for messages to people
  rank_id rank = 0;
  int size = 1;
  int local_size = 0;  // ranks on this host; 0: unknown
  /// Cores of this rank alone; 0: it shares the usable ones with the other ranks of its host.
  int cores = 0;
  /// Whether it has bound this rank to some cores of the host.
  bool is_bound = false;
  /// Whether it may have done so without a variable that tells it.
  bool may_bind = false;
  bool stays = false;  // the parent process lives as long as the ranks
  std::string job;     // the same in all ranks, and in no other job of this user that runs now
  std::string host;    // its name for this host; may be empty

  [[nodiscard]] bool is_one_host() const { return local_size == size; }
};

/// None if the process is alone, or stradsap-run has started it. Throws error(errc::unsupported) that names
/// variables without sense.
[[nodiscard]] std::optional<starter> find_starter(const variable_lookup& variable);

/// A warning for a process that is alone in a Slurm job of several tasks, outside of its steps; else empty.
[[nodiscard]] std::string warning_of_unused_tasks(const variable_lookup& variable);

}  // namespace stradsap::rt
