// The changes that a rank sends in one call of a loop with a budget of bytes: the most significant ones for
// one half, the oldest for the other. So lesser changes do not all become due in the same call. The others
// wait for later calls. See docs/decisions/relaxed.md. Thread rule: values.
#pragma once

#include <cstdint>
#include <vector>

namespace stradsap::rt {

struct waiting_change {
  double significance = 0;
  std::uint64_t since = 0;  // the first clock with a part of the change
  std::uint64_t size_bytes = 0;
  bool waits = false;  // the choice
};

/// Chooses changes of up to `budget` bytes. All that are older than clock `due` are sent, and count. A change
/// that does not fit leaves its bytes to lesser ones.
void choose_changes(std::vector<waiting_change>& all, std::uint64_t budget, std::uint64_t due);

}  // namespace stradsap::rt
