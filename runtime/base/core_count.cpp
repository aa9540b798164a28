// stradsap-run counts in the same way (tools/launcher/cores.py).
#include "runtime/base/core_count.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string_view>

#include <sched.h>
#include <unistd.h>

namespace stradsap::rt {

static std::optional<std::int64_t> next_number(std::istream& in) {
  std::int64_t value = 0;
  if (in >> value) return value;
  return std::nullopt;  // also for "max"
}

/// Of a control group of version 2, or of version 1.
static std::optional<int> quota_of_group(const std::string& folder, bool is_unified) {
  std::ifstream first(folder + (is_unified ? "/cpu.max" : "/cpu.cfs_quota_us"));
  const auto quota = next_number(first);
  std::ifstream second(folder + "/cpu.cfs_period_us");
  const auto period = next_number(is_unified ? first : second);
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<int>(std::max<std::int64_t>(1, (*quota + *period - 1) / *period));
}

/// Whether a list such as cpu,cpuacct has cpu.
static bool has_cpu(std::string_view kinds) {
  while (!kinds.empty()) {
    const std::string_view one = kinds.substr(0, kinds.find(','));
    if (one == "cpu") return true;
    kinds.remove_prefix(std::min(kinds.size(), one.size() + 1));
  }
  return false;
}

std::optional<int> quota_in_cores(const std::string& groups, const std::string& root) {
  std::optional<int> least;
  std::ifstream file(groups);
  for (std::string line; std::getline(file, line);) {  // NUMBER:KINDS:PATH; version 2 has no kinds
    const std::size_t kinds = line.find(':') + 1;
    const std::size_t end = line.find(':', kinds);
    if (kinds == 0 || end == line.npos) continue;
    const bool is_unified = end == kinds;
    if (!is_unified && !has_cpu(std::string_view(line).substr(kinds, end - kinds))) continue;
    const std::string mount = is_unified ? root : root + "/cpu";
    std::string path = line.substr(end + 1);
    while (true) {  // a container sees its own group as the root, under any path
      const auto quota = quota_of_group(mount + path, is_unified);
      if (quota) least = std::min(*quota, least.value_or(*quota));
      const std::size_t slash = path.rfind('/');
      if (slash == path.npos) break;
      path.resize(slash);
    }
  }
  return least;
}

/// Of the affinity mask; 0 if it is not known. Process 0 is this one.
static int cores_of_mask(int process) {
  cpu_set_t set;
  return sched_getaffinity(process, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

static int within_quota(int cores) {
  const int most = std::max(1, cores);
  return std::min(most, quota_in_cores("/proc/self/cgroup", "/sys/fs/cgroup").value_or(most));
}

int usable_cores() { return within_quota(cores_of_mask(0)); }

/// 0 if it is not known.
static int parent_of(int process) {
  std::string text;
  std::getline(std::ifstream("/proc/" + std::to_string(process) + "/stat"), text);
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));  // after the name
  std::string state;
  int parent = 0;
  return fields >> state >> parent ? parent : 0;
}

int cores_around() {
  const int own = cores_of_mask(0);
  constexpr int most_steps = 8;
  int process = ::getppid();
  for (int k = 0; k < most_steps && process > 0; ++k, process = parent_of(process)) {
    if (const int cores = cores_of_mask(process); cores > own) return within_quota(cores);
  }
  return within_quota(own);
}

bool is_bound_by_parent() { return cores_of_mask(::getppid()) > cores_of_mask(0); }

}  // namespace stradsap::rt
