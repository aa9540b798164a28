// The cores that this process may use. Thread rule: none.
#pragma once

#include <optional>
#include <string>

namespace stradsap::rt {

/// Those of the affinity mask, or fewer if the control groups of this process have a quota; at least 1.
[[nodiscard]] int usable_cores();

/// The same for the nearest process above this one that may use more cores: it has bound this one, and others
/// have the rest. usable_cores() if there is none.
[[nodiscard]] int cores_around();

/// Whether the parent process may use more cores.
[[nodiscard]] bool is_bound_by_parent();

/// The least quota of the control groups in a file such as /proc/self/cgroup, and of those around them, in
/// cores and rounded up. None if there is none. Groups are folders below `root`, such as /sys/fs/cgroup.
[[nodiscard]] std::optional<int> quota_in_cores(const std::string& groups, const std::string& root);

}  // namespace stradsap::rt
