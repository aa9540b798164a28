#include "runtime/loop/listed_planner.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runtime/loop/block_labels.hpp"
#include "runtime/loop/grouping.hpp"
#include "runtime/loop/inspection.hpp"
#include "runtime/loop/shipment.hpp"
#include "runtime/loop/wave_planner.hpp"

namespace stradsap::rt {
namespace {

using signature = std::vector<std::uint32_t>;
using signature_counts = std::map<signature, std::uint32_t>;

/// One planning, from the sets of this rank's share to the plan. Steps run in the order they stand here.
class listed_planner {
 public:
  explicit listed_planner(const planning& in) : in_(in), f_(in.frame) {}

  plan make() {
    parts_ = inspect(in_);
    if (in_.hash_sets) plan_.sets_hash = hash_of(parts_);
    cut_by_use(in_, parts_);
    plan_.delta_lanes = f_.delta_lanes;
    plan_.waves = make_wave_plan(in_, parts_);
    if (plan_.waves != nullptr) {
      plan_.shares = in_.shares;
      plan_.delta_ranks = ranks_of_deltas(*plan_.waves, f_.delta_lanes);
      return std::move(plan_);
    }
    number_tokens();
    label_iterations();
    gather_blocks();
    order_blocks();
    place(plan_, token_weights(f_, plan_), in_.ranks.world_size(), in_.lanes.lanes(), in_.shares);
    plan_.listed = true;
    ship(in_, std::move(parts_), std::move(where_), plan_);
    return std::move(plan_);
  }

 private:
  void number_tokens() {
    tokens_.resize(f_.num_captures());
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.uses[c] != usage::owned) continue;
      const partition& groups = f_.stores[c]->groups();
      tokens_[c] = {static_cast<std::uint32_t>(plan_.tokens.size()), group_index(groups)};
      for (std::uint32_t g = 0; g < groups.num_groups(); ++g)
        plan_.tokens.push_back({static_cast<std::uint32_t>(c), g});
    }
  }

  void label_iterations() {
    labels_.resize(parts_.size());
    in_.lanes.run([&](int lane) {
      const auto p = static_cast<std::size_t>(lane);
      labels_[p] = std::make_unique<block_labels>(parts_[p].sets, tokens_);
    });
  }

  /// All ranks' signatures, in lexical order, become the blocks.
  void gather_blocks() {
    signature_counts mine;
    for (const auto& labels : labels_) {
      for (std::uint32_t l = 0; l < labels->num_labels(); ++l) {
        if (labels->count(l) > 0) mine[labels->signature(l)] += labels->count(l);
      }
    }
    const std::vector<signature_counts> all = exchange_counts(mine);
    signature_counts number;
    for (const signature_counts& of_rank : all) number.insert(of_rank.begin(), of_rank.end());
    for (auto& [tokens, block] : number) {
      block = static_cast<std::uint32_t>(plan_.blocks.size());
      plan_.blocks.push_back({static_cast<std::uint32_t>(plan_.block_tokens.size()),
                              static_cast<std::uint32_t>(tokens.size()), 0, 0, 0, 0});
      plan_.block_tokens.insert(plan_.block_tokens.end(), tokens.begin(), tokens.end());
    }
    where_.rank_counts.assign(all.size(), std::vector<std::uint32_t>(plan_.blocks.size()));
    for (std::size_t r = 0; r < all.size(); ++r) {
      for (const auto& [tokens, count] : all[r]) {
        where_.rank_counts[r][number.at(tokens)] = count;
        plan_.blocks[number.at(tokens)].count += count;
      }
    }
    assign_labels(number);
  }

  /// Every rank's signatures with their iterations, and the pattern of the sets, if all have one.
  std::vector<signature_counts> exchange_counts(const signature_counts& mine) {
    bytes own;
    abi::writer out(own);
    const std::optional<std::vector<std::uint32_t>> pattern = local_pattern();
    out(pattern.has_value(), pattern.value_or(std::vector<std::uint32_t>()));
    for (const auto& [tokens, count] : mine) out(tokens, count);
    std::vector<signature_counts> all;
    bool first = true;
    for (const bytes& one : in_.ranks.all_gather(own)) {
      abi::reader in(one);
      bool has_iterations = false;
      std::vector<std::uint32_t> theirs;
      in(has_iterations, theirs);
      if (has_iterations) {
        if (!std::exchange(first, false) && theirs != where_.pattern) theirs.clear();
        where_.pattern = std::move(theirs);
      }
      all.emplace_back();
      while (in.remaining() > 0) {
        signature tokens;
        std::uint32_t count = 0;
        in(tokens, count);
        all.back().emplace(std::move(tokens), count);
      }
    }
    return all;
  }

  /// What executors can be told ahead: where every iteration touches the same containers in the same order.
  /// Nothing where this rank has none, which says nothing of the others.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> local_pattern() const {
    constexpr std::size_t most_columns = 4;
    std::optional<std::vector<std::uint32_t>> pattern;
    for (const inspected_part& part : parts_) {
      const auto other = part.sets.pattern();
      if (part.sets.size() == 0) continue;
      if (!pattern) pattern.emplace(other.begin(), other.end());
      if (!part.sets.is_uniform() || other.size() > most_columns ||
          !std::equal(pattern->begin(), pattern->end(), other.begin(), other.end())) {
        return std::vector<std::uint32_t>();
      }
    }
    return pattern;
  }

  void assign_labels(const signature_counts& number) {
    for (const auto& labels : labels_) {
      std::vector<std::uint32_t> block_of(labels->num_labels());
      std::vector<std::uint32_t> counts(plan_.blocks.size());
      for (std::uint32_t l = 0; l < labels->num_labels(); ++l) {
        if (labels->count(l) == 0) continue;
        block_of[l] = number.at(labels->signature(l));
        counts[block_of[l]] += labels->count(l);
      }
      where_.block_of.push_back(std::move(block_of));
      where_.part_counts.push_back(std::move(counts));
      where_.labels.push_back(std::move(labels->of_iterations()));
    }
  }

  /// Rounds of blocks that mostly do not meet: a block's round is the sum of its groups' numbers. For two
  /// containers that is the rotation of their grid, for pairs within one the tournament; within a round each
  /// group occurs once, and from round to round a group moves on to its neighbour. A round begins with its
  /// last block: what an executor hands on to the next it hands on first, and what it waits for it needs
  /// last.
  void order_blocks() {
    std::uint32_t cycle = 1;
    for (const token_ref& t : plan_.tokens) cycle = std::max(cycle, t.group + 1);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> keyed;
    for (std::uint32_t b = 0; b < plan_.blocks.size(); ++b) {
      std::uint64_t sum = 0;
      for (const std::uint32_t t : plan_.tokens_of(plan_.blocks[b])) sum += plan_.tokens[t].group;
      keyed.emplace_back(static_cast<std::uint32_t>(sum % cycle), b);
    }
    std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    for (std::uint32_t at = 0; at < keyed.size(); ++at) {
      if (at == 0 || keyed[at].first != keyed[at - 1].first) plan_.round_begins.push_back(at);
      plan_.order.push_back(keyed[at].second);
    }
  }

  const planning& in_;
  const loop_frame& f_;
  std::vector<inspected_part> parts_;
  std::vector<token_table> tokens_;                    // per capture
  std::vector<std::unique_ptr<block_labels>> labels_;  // per part
  assignment where_;
  plan plan_;
};

}  // namespace

plan make_listed_plan(const planning& in) {
  if (in.frame.n > std::int64_t{1} << 32) {
    throw error(errc::unsupported, fmt::format("{}: the loop has {} iterations; one that writes at computed "
                                               "subscripts may have 2^32",
                                               in.frame.site, in.frame.n));
  }
  return listed_planner(in).make();
}

}  // namespace stradsap::rt
