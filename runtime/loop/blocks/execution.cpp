#include "runtime/loop/blocks/execution.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/check.hpp"
#include "runtime/loop/access/iteration_check.hpp"
#include "runtime/loop/accumulate/delayed_rounds.hpp"
#include "runtime/loop/blocks/executor.hpp"
#include "runtime/loop/blocks/range_pieces.hpp"
#include "runtime/loop/run/iteration_sums.hpp"
#include "runtime/loop/run/known_values.hpp"

namespace stradsap::rt {

// Pieces of a serial order. In a piece, an executor works on each of its groups of the heaviest container
// once, so these groups enter its cache 8 times a pass. In a piece it needs an eighth of the other
// containers' groups, which stay in the cache.
static constexpr std::uint64_t order_pieces = 8;
static constexpr std::uint64_t most_turns = 0xffff;

// Waking the other executors takes about as long. Executors change no bit, so the time may decide.
static constexpr double least_seconds_to_share = 15e-6;

static int executors_for(const plan& p, int executors) {
  const bool is_short = p.seconds_compute >= 0 && p.seconds_compute < least_seconds_to_share;
  return is_short ? 1 : executors;
}

/// The blocks with iterations that run now.
static std::vector<std::uint32_t> blocks_to_run(const loop_frame& f, const plan& p,
                                                std::vector<std::uint32_t> order) {
  if (f.is_whole() || p.listed) return order;
  std::erase_if(order, [&](std::uint32_t b) {
    const auto begin = static_cast<std::int64_t>(p.blocks[b].begin);
    return begin >= f.end || begin + static_cast<std::int64_t>(p.blocks[b].count) <= f.first;
  });
  return order;
}

/// The pieces of the blocks in `order`, cut to the iterations that run now.
static std::vector<block_piece> pieces_to_run(const loop_frame& f, const plan& p,
                                              const std::vector<std::uint32_t>& order,
                                              std::vector<block_piece> pieces) {
  if (order.size() != p.blocks.size()) {
    std::vector<bool> runs(p.blocks.size());
    for (const std::uint32_t b : order) runs[b] = true;
    std::erase_if(pieces, [&](const block_piece& one) { return !runs[one.block]; });
  }
  if (f.is_whole() || p.listed) return pieces;
  for (block_piece& one : pieces) {
    const auto begin = static_cast<std::int64_t>(one.begin);
    const std::int64_t first = std::max(begin, f.first);
    const std::int64_t end = std::min(begin + static_cast<std::int64_t>(one.count), f.end);
    one.begin = static_cast<std::uint64_t>(first);
    one.count = static_cast<std::uint64_t>(std::max<std::int64_t>(0, end - first));
  }
  std::erase_if(pieces, [](const block_piece& one) { return one.count == 0; });
  return pieces;
}

execution::execution(const loop_frame& frame, const plan& p, std::vector<std::uint32_t> order,
                     const loop_place& at)
    : running_loop(frame, at),
      frame_(frame),
      plan_(p),
      executors_(executors_for(p, at.executors)),
      is_in_program_order_(executors_ == 1 && at.ranks == 1 && !p.listed && at.delayed == nullptr),
      order_(blocks_to_run(frame, p, std::move(order))),
      pieces_(pieces_to_run(frame, p, order_, p.pieces.empty() ? whole_blocks(p, at.self) : p.pieces)) {
  for (std::size_t c = 0; c < frame.num_captures(); ++c) {
    partial_offsets_.push_back(partials_size_);
    partials_size_ += frame.entry->captures[c].size;
  }
  partials_.resize(pieces_.size() * partials_size_);
  if (p.is_disjoint && has_inexact_sums(*frame.entry))
    sums_.resize(static_cast<std::size_t>(frame.n) * partials_size_);
  const bool is_balanced = !plan_.listed && at_.ranks * at_.executors > 1;
  if (frame_.is_timed || is_balanced) piece_seconds_.resize(pieces_.size());
  if (p.is_by_index) alone_.resize(p.blocks.size());
  show_values(frame);
  close_absent_pages();
  if (!is_in_program_order_) schedule();
}

execution::~execution() = default;

void execution::schedule() {
  link_blocks();
  count_pieces();
  set_urgencies();
  const std::size_t folds = at_.delayed == nullptr ? 0 : at_.delayed->num_rounds();
  ready_ = std::make_unique<ready_blocks>(executors_, pieces_.size() + folds, at_.waiting);
  for (const std::uint32_t b : order_) {
    if (plan_.blocks[b].rank == at_.self && missing_[b] == 0) ready(b);
  }
  if (at_.delayed != nullptr) fold_soon(at_.delayed->start());
}

std::uint32_t execution::take_piece(int by, double& seconds_wait) {
  if (!is_in_program_order_) return ready_->take(by, seconds_wait);
  return next_piece_ < pieces_.size() ? next_piece_++ : none;
}

/// Closes the pages of groups that are on other ranks. Only in check builds with several ranks, without
/// AddressSanitizer. Containers that the loop only reads at computed places are complete here.
void execution::close_absent_pages() {
  if (!is_checked(frame_) || at_.ranks == 1 || poison::is_possible()) return;
  absent_ = std::make_unique<absent_pages>();
  for (std::size_t c = 0; c < frame_.num_captures(); ++c) {
    const replica* local = frame_.replicas[c];
    if (local == nullptr || local->plan_layout() || frame_.uses[c] == usage::accumulated) continue;
    const partition& groups = local->groups();
    const bool only_owned = local->is_blank() && frame_.writes(c);
    const auto is_absent = [&](partition::group_id g) {
      return only_owned ? groups.owner(g) != at_.self : !local->held(g);
    };
    for (partition::group_id g = 0, next = 0; g < groups.num_groups(); g = next) {
      for (next = g; next < groups.num_groups() && is_absent(next);) ++next;
      const std::uint64_t count = next == g ? 0 : groups.end(next - 1) - groups.begin(g);
      absent_->close(local->at(groups.begin(g)), count * local->ops().size);
      if (next == g) ++next;
    }
  }
}

/// Links the queues. The queue of a group is the serial order restricted to the blocks that use it. The queue
/// of an accumulator has the blocks that add into it.
void execution::link_blocks() {
  const std::size_t num_blocks = plan_.blocks.size();
  position_.resize(num_blocks);
  next_.assign(plan_.block_tokens.size(), none);
  next_adder_.assign(plan_.num_accumulators == 0 ? 0 : num_blocks, none);
  first_.assign(plan_.tokens.size(), none);
  last_.assign(plan_.tokens.size(), none);
  urgency_.resize(num_blocks);
  awaited_.assign(num_blocks, none);
  missing_ = std::make_unique<std::atomic<std::uint32_t>[]>(num_blocks);
  has_come_ = std::make_unique<std::atomic<bool>[]>(plan_.block_tokens.size());
  std::vector<std::uint32_t> last_use(plan_.tokens.size(), none);  // place in block_tokens
  std::vector<std::uint32_t> last_adder(plan_.num_accumulators, none);
  if (at_.delayed != nullptr) {
    ends_round_.assign(num_blocks, true);
    awaiting_folds_.resize(at_.delayed->num_rounds());
  }
  for (std::uint32_t at = 0; at < order_.size(); ++at) {
    const std::uint32_t b = order_[at];
    const plan_block& block = plan_.blocks[b];
    position_[b] = at;
    missing_[b].store(block.num_tokens, std::memory_order_relaxed);
    for (std::uint32_t use = block.first_token; use < block.first_token + block.num_tokens; ++use) {
      const std::uint32_t t = plan_.block_tokens[use];
      if (first_[t] == none) first_[t] = b;
      if (last_use[t] != none) next_[last_use[t]] = b;
      last_use[t] = use;
      last_[t] = b;
    }
    if (plan_.num_accumulators == 0) continue;
    std::uint32_t& before = last_adder[block.accumulator];
    if (at_.delayed != nullptr) await_fold(b, before);
    if (before != none) {
      next_adder_[before] = b;
      missing_[b].fetch_add(1, std::memory_order_relaxed);
    }
    before = b;
  }
}

void execution::count_pieces() {
  first_piece_.assign(plan_.blocks.size(), none);
  unfinished_ = std::make_unique<std::atomic<std::uint32_t>[]>(pieces_.size());
  for (std::uint32_t i = 0; i < pieces_.size(); ++i) {
    std::uint32_t& first = first_piece_[pieces_[i].block];
    if (first == none) first = i;
    unfinished_[first].fetch_add(1, std::memory_order_relaxed);
  }
}

/// In delayed rounds, `before` is the last block of the accumulator before `block`, or `none`.
void execution::await_fold(std::uint32_t block, std::uint32_t before) {
  const std::size_t round = at_.delayed->round_of(block);
  if (before != none && at_.delayed->round_of(before) == round) {
    ends_round_[before] = false;
    return;
  }
  if (round <= at_.delayed->bound() || plan_.blocks[block].rank != at_.self) return;
  awaiting_folds_[round - at_.delayed->bound() - 1].push_back(block);
  missing_[block].fetch_add(1, std::memory_order_relaxed);
}

void execution::fold(std::size_t round) {
  const std::optional<std::size_t> next = at_.delayed->fold(round);
  if (at_.delayed->has_error()) stop_after(0);
  for (const std::uint32_t block : awaiting_folds_[round]) satisfied(block, none);
  fold_soon(next);
}

/// An executor folds the round before it takes another block.
void execution::fold_soon(std::optional<std::size_t> round) {
  if (round) ready_->add_urgent(static_cast<std::uint32_t>(pieces_.size() + *round));
}

/// By group of the heaviest container: its turn in a piece of the order. If blocks use the same groups again
/// and again, an executor stays with one such group, which is in its cache. It begins with the groups of the
/// blocks that come last in a round: their other groups are already here, and the groups that they release
/// are those that the next executor needs.
std::vector<std::uint64_t> execution::turns_of_anchors() const {
  std::vector<std::uint64_t> turns;
  if (plan_.round_begins.size() < 2) return turns;
  for (const std::uint32_t b : order_) {
    const std::uint32_t anchor_group = plan_.blocks[b].anchor_group;
    if (anchor_group >= turns.size()) turns.resize(anchor_group + 1, none);
    if (turns[anchor_group] == none)
      turns[anchor_group] = most_turns - most_turns * position_[b] / order_.size();
  }
  return turns;
}

/// A block runs the sooner, the sooner another executor needs one of its groups. The group then travels while
/// this executor computes. Needs within the same piece of the order count as equally urgent.
void execution::set_urgencies() {
  const std::vector<std::uint64_t> turns = turns_of_anchors();
  const auto piece_of = [&](std::uint64_t at) { return at * order_pieces / order_.size(); };
  std::vector<std::uint32_t> crossing(plan_.tokens.size(), none);  // by token: next position elsewhere
  for (std::size_t at = order_.size(); at-- > 0;) {
    const std::uint32_t b = order_[at];
    const plan_block& block = plan_.blocks[b];
    std::uint32_t soonest = none;
    for (std::uint32_t use = block.first_token; use < block.first_token + block.num_tokens; ++use) {
      std::uint32_t& needed = crossing[plan_.block_tokens[use]];
      const std::uint32_t next = next_[use];
      if (next != none && !plan_.blocks[next].is_placed_with(block)) needed = position_[next];
      soonest = std::min(soonest, needed);
    }
    std::uint64_t when = soonest;
    if (!turns.empty()) {
      const std::uint64_t piece = soonest != none ? piece_of(soonest) : order_pieces + piece_of(at);
      when = piece << 16 | turns[block.anchor_group];
    }
    urgency_[b] = when << 32 | at;
  }
}

loop_result execution::run(executor_pool& pool) {
  std::uint64_t total = 0;
  for (const block_piece& piece : pieces_) total += piece.count;
  if (at_.relaxed == nullptr) frame_.begin(work_stage::running, total);  // else for all rounds
  send_first_tokens();
  std::vector<executor_clock> clocks(static_cast<std::size_t>(pool.size()));
  const auto run_one = [&](int number) {
    executor work(*this, number);
    work.run(clocks[static_cast<std::size_t>(number)]);
  };
  if (executors_ < pool.size()) {
    run_one(0);
  } else {
    pool.run(run_one);
  }
  absent_.reset();
  settle_owners();
  loop_result result = take_result();
  report(clocks, result);
  return result;
}

std::vector<failure> execution::failures_alone() const {
  std::vector<failure> all;
  for (const std::optional<failure>& one : alone_) {
    if (one) all.push_back(*one);
  }
  return all;
}

loop_result execution::take_result() {
  loop_result result;
  result.blocks.reserve(pieces_.size());
  for (const block_piece& piece : pieces_) result.blocks.push_back(piece.block);
  result.partials = std::move(partials_);
  if (frame_.is_timed) {
    result.block_seconds.resize(plan_.blocks.size());
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      result.block_seconds[pieces_[i].block] += piece_seconds_[i];
  }
  result.piece_seconds = std::move(piece_seconds_);
  if (!sums_.empty()) take_sums(result);
  return result;
}

/// The sums of single iterations replace those of pieces.
void execution::take_sums(loop_result& result) const {
  result.partials.clear();
  for (const block_piece& piece : pieces_) {
    for (std::uint64_t j = piece.begin; j < piece.begin + piece.count; ++j)
      result.summed.push_back(static_cast<std::uint32_t>(j));
    const auto at = [&](std::uint64_t j) {
      return sums_.begin() + static_cast<std::ptrdiff_t>(j * partials_size_);
    };
    result.partials.insert(result.partials.end(), at(piece.begin), at(piece.begin + piece.count));
  }
}

/// Sends this rank's groups to the ranks of their first blocks. Groups that stay are counted at once.
void execution::send_first_tokens() {
  if (is_in_program_order_) return;
  for (std::uint32_t t = 0; t < plan_.tokens.size(); ++t) {
    const token_ref& ref = plan_.tokens[t];
    if (first_[t] == none || frame_.replicas[ref.capture]->groups().owner(ref.group) != at_.self) continue;
    if (plan_.blocks[first_[t]].rank == at_.self) {
      satisfied(first_[t], ref.capture);
    } else {
      send_token(t, first_[t], !frame_.replicas[ref.capture]->is_blank());
    }
  }
}

void execution::pass_on(std::uint32_t block) {
  const plan_block& b = plan_.blocks[block];
  for (std::uint32_t use = b.first_token; use < b.first_token + b.num_tokens; ++use) {
    if (next_[use] == none) continue;
    if (plan_.blocks[next_[use]].rank == at_.self) {
      satisfied(next_[use], plan_.tokens[plan_.block_tokens[use]].capture);
    } else {
      send_token(plan_.block_tokens[use], next_[use], /*with_elements=*/true);
    }
  }
  if (at_.delayed != nullptr && ends_round_[block]) {
    const std::size_t round = at_.delayed->round_of(block);
    fold_soon(at_.delayed->close(b.accumulator, round));
  }
  if (plan_.num_accumulators != 0 && next_adder_[block] != none) satisfied(next_adder_[block], none);
}

void execution::send_token(std::uint32_t token_number, std::uint32_t to_block, bool with_elements) {
  const token_ref& ref = plan_.tokens[token_number];
  const replica& local = *frame_.replicas[ref.capture];
  const std::uint64_t begin = local.groups().begin(ref.group);
  const std::uint64_t end = local.groups().end(ref.group);
  token out{at_.launch, to_block, ref.capture, ref.group, {}, {}};
  if (with_elements) out.elements = local.pack(begin, end);
  if (versions_ != nullptr) out.versions = versions_->take(ref.capture, begin, end);
  if (absent_ != nullptr) absent_->close(local.at(begin), (end - begin) * local.ops().size);
  at_.net->send(plan_.blocks[to_block].rank, std::move(out));
}

void execution::received(rank_id from, moved_elements m) {
  if (at_.delayed != nullptr) return fold_soon(at_.delayed->received(from, m.elements));
  throw error(errc::decode, fmt::format("rank {} moves elements of a loop that moves groups", from));
}

void execution::received(rank_id, token t) {
  if (t.block >= plan_.blocks.size() || t.capture >= frame_.num_captures() ||
      frame_.replicas[t.capture] == nullptr || t.group >= frame_.replicas[t.capture]->groups().num_groups()) {
    throw error(errc::decode,
                fmt::format("token for block {}, capture {}, group {}", t.block, t.capture, t.group));
  }
  replica& local = *frame_.replicas[t.capture];
  const std::uint64_t begin = local.groups().begin(t.group);
  const std::uint64_t end = local.groups().end(t.group);
  if (absent_ != nullptr) absent_->open(local.at(begin), (end - begin) * local.ops().size);
  if (!local.is_blank() || !t.elements.empty()) local.unpack(begin, end, t.elements);
  if (versions_ != nullptr) versions_->put(t.capture, begin, end, t.versions);
  note_token(t);
  satisfied(t.block, t.capture);
}

void execution::note_token(const token& t) {
  const plan_block& b = plan_.blocks[t.block];
  for (std::uint32_t use = b.first_token; use < b.first_token + b.num_tokens; ++use) {
    const token_ref& ref = plan_.tokens[plan_.block_tokens[use]];
    if (ref.capture == t.capture && ref.group == t.group) has_come_[use] = true;
  }
}

/// A group of `capture` is there, or, for `none`, an accumulator.
void execution::satisfied(std::uint32_t block, std::uint32_t capture) {
  if (missing_[block].fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  awaited_[block] = capture;
  ready(block);
}

void execution::ready(std::uint32_t block) {
  const std::uint32_t first = first_piece_[block];
  const std::uint32_t count = unfinished_[first];  // read it before executors take the first piece
  for (std::uint32_t i = first; i < first + count; ++i)
    ready_->add(i, std::min(pieces_[i].executor, executors_ - 1), urgency_[block]);
}

void execution::finished(std::uint32_t piece) {
  if (is_in_program_order_) return;
  const std::uint32_t block = pieces_[piece].block;
  if (unfinished_[first_piece_[block]].fetch_sub(1, std::memory_order_acq_rel) == 1) pass_on(block);
}

void execution::settle_owners() {
  if (is_in_program_order_) return;  // this rank has been the owner
  for (std::uint32_t t = 0; t < plan_.tokens.size(); ++t) {
    if (last_[t] == none) continue;
    frame_.replicas[plan_.tokens[t].capture]->set_owner(plan_.tokens[t].group, plan_.blocks[last_[t]].rank);
  }
}

// ---- a loop that does not go on ----

std::uint32_t execution::first_waiting_block() const {
  for (const std::uint32_t b : order_) {
    if (plan_.blocks[b].rank == at_.self && missing_[b] != 0) return b;
  }
  return none;
}

/// By group of the block: the last block before it that uses the group, or `none`.
std::vector<std::uint32_t> execution::blocks_before(std::uint32_t block) const {
  const plan_block& b = plan_.blocks[block];
  std::vector<std::uint32_t> before(b.num_tokens, none);
  for (const std::uint32_t earlier : order_) {
    if (earlier == block) break;
    const plan_block& other = plan_.blocks[earlier];
    for (std::uint32_t use = other.first_token; use < other.first_token + other.num_tokens; ++use) {
      for (std::uint32_t k = 0; k < b.num_tokens; ++k) {
        if (plan_.block_tokens[b.first_token + k] == plan_.block_tokens[use]) before[k] = earlier;
      }
    }
  }
  return before;
}

/// Those of the first block in the serial order that waits. Later ones may wait for it.
std::vector<awaited_rank> execution::awaits() const {
  std::vector<awaited_rank> found;
  if (ready_ == nullptr || !ready_->are_all_waiting()) return found;
  const std::uint32_t block = first_waiting_block();
  if (block == none) return found;
  const plan_block& b = plan_.blocks[block];
  const std::vector<std::uint32_t> before = blocks_before(block);
  for (std::uint32_t k = 0; k < b.num_tokens; ++k) {
    const token_ref& ref = plan_.tokens[plan_.block_tokens[b.first_token + k]];
    const partition& groups = frame_.replicas[ref.capture]->groups();
    const rank_id from = before[k] == none ? groups.owner(ref.group) : plan_.blocks[before[k]].rank;
    if (from == at_.self || has_come_[b.first_token + k]) continue;
    const std::string_view name = frame_.entry->captures[ref.capture].name;
    found.push_back(
        {from,
         fmt::format("block {} of {} needs elements {} to {} of `{}`{}", block, plan_.blocks.size(),
                     groups.begin(ref.group), groups.end(ref.group) - 1, name,
                     before[k] == none ? std::string() : fmt::format(", which block {} has", before[k]))});
  }
  if (!found.empty() || at_.delayed == nullptr) return found;
  for (rank_id r = 0; r < at_.ranks; ++r) {
    if (r != at_.self)
      found.push_back({r, fmt::format("block {} needs the changes of an earlier round", block)});
  }
  return found;
}

}  // namespace stradsap::rt
