#include "runtime/loop/plan/planning.hpp"

#include <fmt/format.h>

namespace stradsap::rt {

std::vector<std::uint64_t> token_weights(const loop_frame& f, const block_plan& p) {
  std::vector<std::uint64_t> weights;
  for (const token_ref& t : p.tokens) {
    weights.push_back(f.replicas[t.capture]->size() * f.replicas[t.capture]->ops().size);
  }
  return weights;
}

std::vector<std::uint64_t> sum_of_ranks(exchange& ranks, std::vector<std::uint64_t> mine) {
  if (ranks.world_size() == 1) return mine;
  bytes own;
  abi::writer out(own);
  out(mine);
  std::vector<std::uint64_t> sum(mine.size());
  for (const bytes& of_rank : ranks.all_gather(own)) {
    std::vector<std::uint64_t> theirs;
    abi::reader in(of_rank);
    in(theirs);
    if (theirs.size() != sum.size())
      throw error(errc::decode, fmt::format("{} counts, {} expected", theirs.size(), sum.size()));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += theirs[i];
  }
  return sum;
}

}  // namespace stradsap::rt
