// Which blocks have whole windows, so that they may run the body's copy for these. The groups of a block
// decide, so it is the same on any ranks and threads. Stateless.
#pragma once

#include <cstddef>

#include "runtime/loop/launch/frame.hpp"
#include "runtime/loop/plan/plan.hpp"

namespace stradsap::rt {

/// Whether the block's groups of each container follow each other. A container that the loop only adds into
/// must have one group: the copy for whole windows takes element 0 for the first of the window.
[[nodiscard]] inline bool has_whole_windows(const loop_frame& f, const plan& p, const plan_block& b) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (!f.writes(c)) continue;
    const token_ref* before = nullptr;
    for (const std::uint32_t t : p.tokens_of(b)) {
      if (p.tokens[t].capture != c) continue;
      const token_ref* const now = &p.tokens[t];
      if (before != nullptr && before->group + 1 != now->group) return false;
      before = now;
    }
    const abi::capture_info& capture = f.entry->captures[c];
    const bool is_cut =
        f.uses[c] == usage::owned && !p.is_disjoint && f.replicas[c]->groups().num_groups() > 1;
    if (is_cut && capture.make_keys == nullptr && abi::is_only_added(capture.mode)) return false;
  }
  return true;
}

}  // namespace stradsap::rt
