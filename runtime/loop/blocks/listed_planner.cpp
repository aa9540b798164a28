#include "runtime/loop/blocks/listed_planner.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "runtime/loop/blocks/block_labels.hpp"
#include "runtime/loop/blocks/redistribution.hpp"
#include "runtime/loop/blocks/signature_counts.hpp"
#include "runtime/loop/blocks/total_counts.hpp"
#include "runtime/loop/plan/group_sizes.hpp"

namespace stradsap::rt {
namespace {

/// One planning, from the sets of this rank's share to the plan. The steps stand in the order in which they
/// run.
class listed_planner {
 public:
  listed_planner(const planning& in, inspection found)
      : in_(in), f_(in.frame), parts_(std::move(found.parts)) {
    plan_.units = where_.units = std::move(found.units);
  }

  plan make() {
    plan_.num_accumulators = f_.num_accumulators;
    number_tokens();
    label_iterations();
    gather_blocks();
    order_blocks();
    place(plan_, token_weights(f_, plan_), in_.ranks.world_size(), in_.pool.size(), in_.shares);
    plan_.listed = true;
    redistribute(in_, std::move(parts_), std::move(where_), plan_);
    return std::move(plan_);
  }

 private:
  void number_tokens() {
    tokens_.resize(f_.num_captures());
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (f_.uses[c] != usage::owned) continue;
      const partition& groups = f_.replicas[c]->groups();
      tokens_[c] = {static_cast<std::uint32_t>(plan_.tokens.size()), group_index(groups)};
      for (std::uint32_t g = 0; g < groups.num_groups(); ++g)
        plan_.tokens.push_back({static_cast<std::uint32_t>(c), g});
    }
  }

  void label_iterations() {
    labels_.resize(parts_.size());
    in_.pool.run([&](int executor) {
      const auto p = static_cast<std::size_t>(executor);
      const std::int64_t second_subpass = std::max<std::int64_t>(0, f_.n / 2 - parts_[p].begin);
      labels_[p] =
          std::make_unique<block_labels>(parts_[p].sets, tokens_, static_cast<std::uint64_t>(second_subpass));
    });
  }

  /// Makes the blocks: the signatures of all ranks in lexical order. A signature has two blocks, one for each
  /// subpass, if are_subpasses_worthwhile().
  void gather_blocks() {
    signature_counts mine;
    for (const auto& labels : labels_) {
      for (std::uint32_t l = 0; l < labels->num_labels(); ++l) {
        if (labels->count(l) > 0) mine[labels->signature(l)][labels->subpass(l)] += labels->count(l);
      }
    }
    total_counts of_all = add_up(in_.ranks, mine, local_pattern());
    where_.pattern = std::move(of_all.pattern);
    const signature_counts total = std::move(of_all.counts);
    const bool in_subpasses = are_subpasses_worthwhile(total);
    signature_counts number;
    for (const auto& [tokens, counts] : total) number[tokens] = add_blocks(tokens, counts, in_subpasses);
    where_.counts.assign(plan_.blocks.size(), 0);
    for (const auto& [tokens, counts] : mine) {
      for (std::size_t subpass = 0; subpass < counts.size(); ++subpass)
        where_.counts[number.at(tokens)[subpass]] += counts[subpass];
    }
    assign_labels(number);
  }

  /// Whether subpasses mix neighbouring iterations that are alike, and leave enough iterations to a block.
  /// Else they would only cost messages. If they touched different groups, one would wait for the other.
  [[nodiscard]] bool are_subpasses_worthwhile(const signature_counts& total) const {
    const auto n = static_cast<std::uint64_t>(f_.n);
    const std::set<std::uint32_t> captures(where_.pattern.begin(), where_.pattern.end());
    const bool has_one_of_each = !captures.empty() && captures.size() == where_.pattern.size();
    return has_one_of_each && n / 2 >= total.size() * least_iterations(n) && are_subpasses_alike(total) &&
           are_neighbours_alike(total);
  }

  /// Adds the blocks of one signature: one for all its iterations, or one for each subpass. A subpass without
  /// iterations has the number of the other's block.
  per_subpass add_blocks(const signature& tokens, const per_subpass& counts, bool in_subpasses) {
    per_subpass numbers{};
    const auto add = [&](std::uint32_t subpass, std::uint64_t count) {
      subpasses_.push_back(subpass);
      plan_.blocks.push_back({static_cast<std::uint32_t>(plan_.block_tokens.size()),
                              static_cast<std::uint32_t>(tokens.size()), count, 0, 0, 0});
      plan_.block_tokens.insert(plan_.block_tokens.end(), tokens.begin(), tokens.end());
      return static_cast<std::uint32_t>(plan_.blocks.size() - 1);
    };
    if (!in_subpasses || counts[0] == 0 || counts[1] == 0) {
      numbers.fill(add(in_subpasses && counts[0] == 0 ? 1 : 0, std::uint64_t{counts[0]} + counts[1]));
    } else {
      numbers = {add(0, counts[0]), add(1, counts[1])};
    }
    return numbers;
  }

  /// The captures that every iteration of this rank touches, in order; executors then prefetch by columns.
  /// Empty if iterations differ or touch too many. No value if this rank has no iterations.
  [[nodiscard]] touch_pattern local_pattern() const {
    constexpr std::size_t most_columns = 4;
    touch_pattern pattern;
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
        block_of[l] = number.at(labels->signature(l))[labels->subpass(l)];
        counts[block_of[l]] += labels->count(l);
      }
      where_.block_of.push_back(std::move(block_of));
      where_.part_counts.push_back(std::move(counts));
      where_.labels.push_back(std::move(labels->of_iterations()));
    }
  }

  /// Orders the blocks in rounds that mostly share no group. The round of a block is the sum of its group
  /// numbers. For two containers this is the rotation of their grid, for pairs of one container a tournament.
  /// A group occurs about once in a round; from round to round it moves on to its neighbour.
  /// A round begins with its last block. An executor then first passes on the groups that the next one needs,
  /// and needs last the groups that it waits for. Rounds of the second subpass follow those of the first, so
  /// elements meet each other's changes twice a pass.
  void order_blocks() {
    std::uint32_t cycle = 1;
    for (const token_ref& t : plan_.tokens) cycle = std::max(cycle, t.group + 1);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
    for (std::uint32_t b = 0; b < plan_.blocks.size(); ++b) {
      std::uint64_t sum = 0;
      for (const std::uint32_t t : plan_.tokens_of(plan_.blocks[b])) sum += plan_.tokens[t].group;
      keyed.emplace_back(std::uint64_t{subpasses_[b]} * cycle + sum % cycle, b);
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
  std::vector<std::uint32_t> subpasses_;  // per block
  plan plan_;
};

}  // namespace

plan make_listed_plan(const planning& in, inspection found) {
  return listed_planner(in, std::move(found)).make();
}

}  // namespace stradsap::rt
