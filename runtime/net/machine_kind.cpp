#include "runtime/net/machine_kind.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <utility>

#include <gnu/libc-version.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include <fmt/format.h>

namespace stradsap::rt {

/// The value of a line `name : value` of /proc/cpuinfo, for the first CPU. Empty if there is none.
static std::string cpu_field(std::string_view name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(name) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

static std::string cpu_model() {
  std::string model = cpu_field("model name");
  if (!model.empty()) return model;
  utsname of{};
  (void)::uname(&of);
  return fmt::format("{} {} {:x}", of.machine, cpu_field("CPU part"), ::getauxval(AT_HWCAP));
}

std::string machine_kind() {
  static const std::string kind = fmt::format("{}, C library {}", cpu_model(), ::gnu_get_libc_version());
  return kind;
}

std::string why_bits_may_differ(std::vector<kind_of_rank> ranks) {
  std::sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  std::vector<std::pair<std::string, std::string>> kinds;  // each with its ranks, in the order of the first
  for (const kind_of_rank& one : ranks) {
    auto found =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.first == one.kind; });
    if (found == kinds.end()) found = kinds.insert(kinds.end(), {one.kind, {}});
    found->second += fmt::format("{}{}", found->second.empty() ? "" : ", ", one.rank);
  }
  if (kinds.size() < 2) return {};
  std::string text = "the bits may differ from a run on machines of one kind:";
  for (const auto& [kind, of] : kinds) text += fmt::format(" rank {} on {};", of, kind);
  text.back() = '.';
  return text;
}

}  // namespace stradsap::rt
