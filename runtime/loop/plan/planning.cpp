#include "runtime/loop/plan/planning.hpp"

namespace stradsap::rt {

std::vector<std::uint64_t> token_weights(const loop_frame& f, const block_plan& p) {
  std::vector<std::uint64_t> weights;
  for (const token_ref& t : p.tokens) {
    weights.push_back(f.replicas[t.capture]->size() * f.replicas[t.capture]->ops().size);
  }
  return weights;
}

}  // namespace stradsap::rt
