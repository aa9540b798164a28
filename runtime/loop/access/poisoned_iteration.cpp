#include "runtime/loop/access/poisoned_iteration.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include <fmt/format.h>

#include "runtime/base/faults.hpp"

namespace stradsap::rt {

/// The iteration of this thread. The sanitizer's callback has no argument for it.
static constinit thread_local const poisoned_iteration* running_here = nullptr;

/// The approximate number of poisoned bytes around a copy of a single element (scratch_pool).
static constexpr std::uint64_t copy_redzone = 2048;

poisoned_iteration::poisoned_iteration(const loop_frame& frame) : frame_(frame) {
  poison::is_possible() ? poison::explain_by(&explain) : explain_faults_by(&explain_fault);
}

void poisoned_iteration::begin(std::int64_t j, const std::vector<touch>* set) {
  running_here = this;
  iteration_ = j;
  if (!poison::is_possible()) return;
  turn_.begin();
  answers_.clear();
  if (set == nullptr) return;
  for (const touch& one : *set) {
    const replica& local = *frame_.replicas[one.capture];
    if (frame_.uses[one.capture] == usage::owned && one.element < local.size())
      turn_.allow(local.at(one.element), local.ops().size);
  }
}

void poisoned_iteration::asked(std::uint32_t capture, std::uint64_t first, std::uint64_t n, const void* at) {
  if (!poison::is_possible() || n == 0) return;
  turn_.allow(at, n * frame_.replicas[capture]->ops().size);
  answers_.push_back({capture, first, n, static_cast<const std::byte*>(at), abi::current_access});
}

void poisoned_iteration::end() {
  if (running_here == this) running_here = nullptr;
  turn_.end();
}

// ---- reports --------------------------------------------------------------------------------------------

/// FILE:LINE of the first stack frame in the program's own sources, or nothing. Frames of the sanitizer's
/// interceptors, the standard library and our headers are skipped.
static std::string_view place_in(std::string_view report) {
  const auto is_own = [](std::string_view file) {
    for (const std::string_view other :
         {"/usr/", "/include/stradsap/", "compiler-rt/", "libsanitizer/", "sysdeps/", "csu/", "nptl/"}) {
      if (file.find(other) != std::string_view::npos) return false;
    }
    return true;
  };
  bool in_stack = false;
  while (!report.empty()) {
    const std::string_view line = report.substr(0, report.find('\n'));
    report.remove_prefix(std::min(report.size(), line.size() + 1));
    if (line.find("    #") != 0) {
      if (in_stack) break;  // the stacks after it are of other moments
      continue;
    }
    in_stack = true;
    const std::string_view place = line.substr(line.rfind(' ') + 1);
    const std::size_t colon = place.find(':');
    if (colon == std::string_view::npos || place.front() == '(' || !is_own(place.substr(0, colon))) continue;
    const std::size_t digits = place.find_first_not_of("0123456789", colon + 1);
    if (colon + 1 < place.size() && std::isdigit(static_cast<unsigned char>(place[colon + 1])) != 0)
      return place.substr(0, digits);
  }
  return {};
}

void poisoned_iteration::explain(const char* report) {
  if (running_here == nullptr) return;
  const std::string_view said = report;
  const bool is_poison = said.find("use-after-poison") != std::string_view::npos;
  const std::byte* const stray = poison::stray_address();
  const answer* const from = running_here->nearest(stray, is_poison ? ~std::uint64_t{0} : copy_redzone);
  if (from == nullptr && !is_poison) return;  // a fault outside all containers
  const std::string text = running_here->explained(stray, from, place_in(said));
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

/// Runs in a signal handler, so it must not allocate.
std::size_t poisoned_iteration::explain_fault(const void* address, char* text, std::size_t size) {
  if (running_here == nullptr) return 0;
  const auto* const stray = static_cast<const std::byte*>(address);
  const loop_frame& f = running_here->frame_;
  for (std::uint32_t c = 0; c < f.num_captures(); ++c) {
    const replica* local = f.replicas[c];
    if (local == nullptr || stray < local->at(0) || stray >= local->at(local->size())) continue;
    const int written = std::snprintf(
        text, size,
        "iteration %lld touches element %zu of `%s` through a pointer, and this rank does not hold it: "
        "write %s.span(first, n)",
        static_cast<long long>(running_here->iteration_),
        static_cast<std::size_t>(stray - local->at(0)) / local->ops().size, f.name_of(c), f.name_of(c));
    return std::min(size, static_cast<std::size_t>(std::max(written, 0)));
  }
  return 0;
}

/// One line, in the form of other stray accesses.
std::string poisoned_iteration::explained(const std::byte* stray, const answer* from,
                                          std::string_view place) const {
  const std::string what = from != nullptr ? of_nearest(*from, stray) : of_container(stray);
  std::string where(place);
  if (where.empty() && abi::current_access.line != 0)
    where = fmt::format("{}:{}", abi::current_access.file, abi::current_access.line);
  if (where.empty()) where = frame_.site;
  return fmt::format("{}: error: iteration {} {}\n", where, iteration_, what);
}

/// The answer nearest to the stray address: most likely the pointer's origin. Null if it is more than `most`
/// bytes or the container's size away.
const poisoned_iteration::answer* poisoned_iteration::nearest(const std::byte* stray,
                                                              std::uint64_t most) const {
  const auto distance = [&](const answer& one) {
    const auto at = reinterpret_cast<std::uintptr_t>(one.at);
    const auto to = reinterpret_cast<std::uintptr_t>(stray);
    return at < to ? to - at : at - to;
  };
  const auto found =
      std::min_element(answers_.begin(), answers_.end(),
                       [&](const answer& a, const answer& b) { return distance(a) < distance(b); });
  if (found == answers_.end()) return nullptr;
  const replica& local = *frame_.replicas[found->capture];
  return distance(*found) <= std::min(most, local.size() * local.ops().size) ? &*found : nullptr;
}

static std::string advice(const char* name, bool is_map) {
  return is_map ? std::string("look up each key") : fmt::format("write {}.span(first, n)", name);
}

std::string poisoned_iteration::of_nearest(const answer& from, const std::byte* stray) const {
  const auto size = static_cast<std::int64_t>(frame_.replicas[from.capture]->ops().size);
  const std::int64_t distance = stray - from.at;
  const std::int64_t steps = (distance >= 0 ? distance : distance - size + 1) / size;
  const std::int64_t element = static_cast<std::int64_t>(from.first & ~abi::pending_bit) + steps;
  const char* const name = frame_.name_of(from.capture);
  const std::string line = from.where.line == 0 ? "" : fmt::format(" (line {})", from.where.line);
  const bool is_map = frame_.replicas[from.capture]->keys() != nullptr;
  return fmt::format(
      "touches element {} of `{}` through a pointer to element {}{}, and its read and write sets "
      "do not hold it: {}",
      element, name, from.first & ~abi::pending_bit, line, advice(name, is_map));
}

/// The message for a pointer that no answer explains.
std::string poisoned_iteration::of_container(const std::byte* stray) const {
  for (std::uint32_t c = 0; c < frame_.num_captures(); ++c) {
    const replica* local = frame_.replicas[c];
    if (local == nullptr || stray < local->at(0) || stray >= local->at(local->size())) continue;
    const auto element = static_cast<std::size_t>(stray - local->at(0)) / local->ops().size;
    return fmt::format(
        "touches element {} of `{}` through a pointer, and its read and write sets do not hold "
        "it: {}",
        element, frame_.name_of(c), advice(frame_.name_of(c), local->keys() != nullptr));
  }
  return "touches an element that it has not asked for, through a pointer";
}

}  // namespace stradsap::rt
