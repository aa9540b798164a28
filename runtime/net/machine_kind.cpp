#include "runtime/net/machine_kind.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <gnu/libc-version.h>
#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#include <sys/utsname.h>
#endif

#include <fmt/format.h>

namespace stradsap::rt {

#if defined(__x86_64__)
/// The text that the CPU has for people, such as "AMD EPYC 7B13 64-Core Processor", with family, model and
/// stepping as one number: virtual machines may hide the name.
static std::string cpu_model() {
  constexpr unsigned first_leaf = 0x80000002;
  std::array<unsigned, 12> words{};
  for (unsigned leaf = 0; leaf < 3; ++leaf) {
    unsigned* const at = words.data() + 4 * leaf;
    if (__get_cpuid(first_leaf + leaf, at, at + 1, at + 2, at + 3) == 0) return "unknown CPU";
  }
  char text[sizeof words + 1] = "";
  std::memcpy(text, words.data(), sizeof words);
  unsigned signature = 0;
  std::array<unsigned, 3> features{};
  (void)__get_cpuid(1, &signature, &features[0], &features[1], &features[2]);
  return fmt::format("{} ({:x})", text, signature);
}
#else
static std::string cpu_model() {
  utsname of{};
  (void)::uname(&of);
  return fmt::format("{} with features {:x}", of.machine, ::getauxval(AT_HWCAP));
}
#endif

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
