#include "runtime/loop/plan/survey.hpp"

#include <algorithm>

#include "runtime/loop/access/recorder.hpp"

namespace stradsap::rt {
namespace {

constexpr std::int64_t most_sampled = 512;
constexpr std::int64_t least_sampled = 64;
constexpr std::int64_t least_share = 8;  // of a short loop, one iteration in so many

}  // namespace

void conflict_counter::add(const access_sets& sets, std::uint64_t i) {
  touched_.clear();
  std::uint64_t chain = 0;
  sets.visit(i, [&](std::uint32_t capture, std::uint64_t element) {
    element_uses& uses = uses_[element << 16 | capture];
    chain = std::max(chain, uses.chain);
    touched_.push_back({&uses, capture, element});
  });
  ++found_.iterations;
  found_.longest_chain = std::max(found_.longest_chain, chain + 1);
  for (const auto& [uses, capture, element] : touched_) {
    if (uses->chain == chain + 1) continue;  // an element may stand twice in a set
    uses->chain = chain + 1;
    if (++uses->count <= found_.most_uses) continue;
    found_.most_uses = uses->count;
    found_.capture = capture;
    found_.element = element;
  }
}

std::int64_t sample_size(std::int64_t n) {
  return std::min(n, std::clamp(n / least_share, least_sampled, most_sampled));
}

std::int64_t sampled_iteration(std::int64_t k, std::int64_t sampled, std::int64_t n) {
  const auto begin_of = [&](std::int64_t at) {
    return static_cast<std::int64_t>(static_cast<__int128>(n) * at / sampled);
  };
  const std::int64_t begin = begin_of(k);
  const auto scattered = static_cast<std::uint64_t>(k) * 0x9e3779b97f4a7c15u >> 32;
  return begin + static_cast<std::int64_t>(scattered % static_cast<std::uint64_t>(begin_of(k + 1) - begin));
}

/// Units of rows may shrink while iterations are recorded, so the sample is recorded until they stay.
survey survey_iterations(const loop_frame& f, copy_service& copies) {
  const std::int64_t sampled = sample_size(f.n);
  recorder from(f, copies);
  const auto units = [&] {
    std::vector<std::uint64_t> now;
    for (std::size_t c = 0; c < f.num_captures(); ++c) now.push_back(from.unit(c));
    return now;
  };
  while (true) {
    conflict_counter counter;
    bool stay = true;
    for (std::int64_t k = 0; k < sampled; ++k) {
      const std::vector<std::uint64_t> before = units();
      const std::int64_t j = sampled_iteration(k, sampled, f.n);
      from.run(j, j + 1);
      counter.add(from.result(), 0);
      stay = stay && std::equal(before.begin(), before.end(), units().begin(),
                                [](std::uint64_t old, std::uint64_t now) { return old == 0 || old == now; });
    }
    if (stay) return counter.result();
  }
}

}  // namespace stradsap::rt
