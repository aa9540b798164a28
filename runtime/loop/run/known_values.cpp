#include "runtime/loop/run/known_values.hpp"

namespace stradsap::rt {

/// Elements that change before each launch are read in each. That takes as long as the launch if there are
/// 100,000 for each iteration. Rows of sparse data have 10 to 10,000.
static bool pays(const loop_frame& f, std::size_t c) {
  constexpr std::uint64_t most_for_each = 1 << 16;  // elements, for an iteration
  return f.replicas[c]->size() / most_for_each <= static_cast<std::uint64_t>(f.n);
}

bool may_show_values(const loop_frame& f, std::size_t c) {
  // rounds of transactions check each access, and must leave the bits of program order
  if ((f.entry->flags & abi::transactional) != 0) return false;
  return f.entry->captures[c].values != nullptr && f.uses[c] == usage::read && pays(f, c);
}

void show_values(const loop_frame& f) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (may_show_values(f, c)) f.replicas[c]->show_values(f.entry->captures[c].values);
  }
}

}  // namespace stradsap::rt
