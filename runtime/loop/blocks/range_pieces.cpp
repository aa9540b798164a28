#include "runtime/loop/blocks/range_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/loop/access/iteration_check.hpp"

namespace stradsap::rt {

// At least this long, so that taking a piece costs a hundredth of its time.
static constexpr double least_piece_seconds = 20e-6;
// The wait for the last piece is then at most an eighth of an executor's share.
static constexpr int pieces_an_executor = 8;
// Less idle time, as a part of a launch, changes nothing.
static constexpr double idle_share = 0.05;

std::vector<block_piece> whole_blocks(const block_plan& p, rank_id self) {
  std::vector<block_piece> pieces;
  pieces.reserve(p.blocks.size());
  for (std::uint32_t b = 0; b < p.blocks.size(); ++b) {
    const plan_block& block = p.blocks[b];
    if (block.rank == self) pieces.push_back({b, block.executor, block.begin, block.count});
  }
  return pieces;
}

bool may_cut_blocks(const loop_frame& f, const plan& p) {
  if (p.lists_iterations() || p.num_accumulators != 0 || f.logs_accesses || f.is_timed) return false;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    const abi::capture_info& capture = f.entry->captures[c];
    if (capture.kind == abi::capture_kind::reduction && (capture.mode & abi::exact) == 0) return false;
  }
  return true;
}

/// Whether each block runs the same copy of the body as the joined one. That for whole windows takes element
/// 0 for the first of a container that the loop only adds into.
static bool runs_alike(const loop_frame& f) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    const abi::capture_info& capture = f.entry->captures[c];
    if (f.writes(c) && (capture.make_keys != nullptr || abi::is_only_added(capture.mode))) return false;
  }
  return !is_checked(f);
}

std::shared_ptr<const plan> join_blocks(const loop_frame& f, const plan& p) {
  if (p.blocks.size() < 2 || !may_cut_blocks(f, p) || !runs_alike(f)) return nullptr;
  auto made = std::make_shared<plan>();
  made->tokens = p.tokens;
  made->block_tokens = p.block_tokens;  // of one container after the other: its groups follow each other
  std::sort(made->block_tokens.begin(), made->block_tokens.end());
  const auto end = std::unique(made->block_tokens.begin(), made->block_tokens.end());
  made->block_tokens.erase(end, made->block_tokens.end());
  plan_block all;
  all.num_tokens = static_cast<std::uint32_t>(made->block_tokens.size());
  for (const plan_block& b : p.blocks) all.count += b.count;
  made->blocks = {all};
  made->order = {0};
  return made;
}

/// Cuts a block that took `seconds` into `count` pieces. Assumes that the iterations of an old piece take
/// equally long.
static void cut_block(std::span<const block_piece> pieces, std::span<const float> took, double seconds,
                      std::uint64_t count, std::vector<block_piece>& out) {
  const std::uint64_t end = pieces.back().begin + pieces.back().count;
  const std::uint64_t first = pieces.front().begin;
  std::uint64_t begin = first;
  std::size_t at = 0;
  double before = 0;  // seconds of the pieces before `at`
  for (std::uint64_t k = 1; k <= count; ++k) {
    const double goal = seconds * static_cast<double>(k) / static_cast<double>(count);
    while (at + 1 < pieces.size() && before + took[at] < goal) before += took[at++];
    const double part = took[at] > 0 ? std::clamp((goal - before) / took[at], 0.0, 1.0) : 1.0;
    const auto whole = static_cast<double>(pieces[at].count);
    std::uint64_t stop =
        k == count ? end : pieces[at].begin + static_cast<std::uint64_t>(std::llround(part * whole));
    if (end - first >= 2 * count * abi::straight_stretch && stop != end)
      stop -= (stop - first) % abi::straight_stretch;
    if (stop <= begin) continue;  // one iteration takes longer than a piece should
    out.push_back({pieces[at].block, 0, begin, stop - begin});
    begin = stop;
  }
}

/// Deals contiguous runs of about equal work to executors. `seconds`: by new piece, an equal part of its
/// block's time.
static void deal(std::vector<block_piece>& pieces, const std::vector<double>& seconds, double total,
                 int executors) {
  double before = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const double middle = before + seconds[i] / 2;
    pieces[i].executor =
        total > 0 ? std::min(executors - 1, static_cast<int>(middle / total * executors)) : 0;
    before += seconds[i];
  }
}

std::vector<block_piece> cut_by_work(std::span<const block_piece> pieces, std::span<const float> seconds,
                                     int executors) {
  const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const double size = std::max(least_piece_seconds, total / (pieces_an_executor * executors));
  std::vector<block_piece> cut;
  std::vector<double> expected;
  for (std::size_t first = 0; first < pieces.size();) {
    std::size_t last = first + 1;
    while (last < pieces.size() && pieces[last].block == pieces[first].block) ++last;
    const auto took = seconds.subspan(first, last - first);
    const double of_block = std::accumulate(took.begin(), took.end(), 0.0);
    const auto count = static_cast<std::uint64_t>(std::max(1.0, std::round(of_block / size)));
    cut_block(pieces.subspan(first, last - first), took, of_block, count, cut);
    const std::size_t made = cut.size() - expected.size();
    expected.insert(expected.end(), made, of_block / static_cast<double>(made));
    first = last;
  }
  deal(cut, expected, total, executors);
  return cut;
}

void balance_executors(const loop_frame& f, plan& p, const loop_result& last, int executors, rank_id self) {
  if (executors == 1 || !may_cut_blocks(f, p) || last.piece_seconds.empty()) return;
  const double all = last.seconds_slowest * executors;
  if (all - last.work.seconds_compute < std::max(least_piece_seconds, idle_share * all)) return;
  p.pieces = cut_by_work(p.pieces.empty() ? whole_blocks(p, self) : p.pieces, last.piece_seconds, executors);
}

}  // namespace stradsap::rt
