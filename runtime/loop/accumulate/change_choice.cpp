#include "runtime/loop/accumulate/change_choice.hpp"

#include <algorithm>
#include <tuple>

namespace stradsap::rt {

static bool is_more_significant(const waiting_change* one, const waiting_change* other) {
  return std::tuple(-one->significance, one->since) < std::tuple(-other->significance, other->since);
}

static bool is_older(const waiting_change* one, const waiting_change* other) {
  return std::tuple(one->since, -one->significance) < std::tuple(other->since, -other->significance);
}

void choose_changes(std::vector<waiting_change>& all, std::uint64_t budget, std::uint64_t due) {
  std::vector<waiting_change*> waiting;
  std::uint64_t left = budget;
  for (waiting_change& one : all) {
    one.waits = one.since >= due;
    if (one.waits)
      waiting.push_back(&one);
    else
      left -= std::min(left, one.size_bytes);
  }
  const auto send = [&](bool (*is_before)(const waiting_change*, const waiting_change*), std::uint64_t keep) {
    std::stable_sort(waiting.begin(), waiting.end(), is_before);
    for (waiting_change* const one : waiting) {
      if (one->size_bytes + keep > left) continue;
      one->waits = false;
      left -= one->size_bytes;
    }
    std::erase_if(waiting, [](const waiting_change* one) { return !one->waits; });
  };
  send(is_more_significant, budget / 2);
  send(is_older, 0);
}

}  // namespace stradsap::rt
