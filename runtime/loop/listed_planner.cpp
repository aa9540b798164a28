#include "runtime/loop/listed_planner.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/loop/iteration_check.hpp"
#include "runtime/loop/keys.hpp"
#include "runtime/loop/recorder.hpp"
#include "runtime/loop/signatures.hpp"
#include "runtime/loop/wave_planner.hpp"

namespace stradsap::rt {
namespace {

constexpr std::uint64_t most_bins = 65536;  // of a histogram of uses
constexpr std::size_t most_columns = 4;

/// One planning, from the iterations of this rank's share to the plan. Steps run in the order they stand
/// here.
class listed_planner {
 public:
  explicit listed_planner(const planning& in)
      : in_(in),
        f_(in.frame),
        begin_(share(in.ranks.self())),
        end_(share(in.ranks.self() + 1)),
        checked_(is_checked(in.frame)) {}

  plan make() {
    hold_inputs();
    record();
    number_new_keys();
    hash_sets();
    cut_containers();
    plan_.waves = make_wave_plan(in_, sets_);
    if (plan_.waves != nullptr) return std::move(plan_);
    sign_iterations();
    gather_blocks();
    order_blocks();
    place(plan_, token_weights(f_, plan_), in_.ranks.world_size(), in_.lanes.lanes());
    ship();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] std::int64_t share(rank_id r) const {
    return static_cast<std::int64_t>(static_cast<__int128>(f_.n) * r / in_.ranks.world_size());
  }
  [[nodiscard]] std::uint64_t num_local() const { return static_cast<std::uint64_t>(end_ - begin_); }
  [[nodiscard]] bool is_owned(std::size_t c) const {
    return f_.uses[c] == usage::owned && f_.first_of(c) == c;
  }
  [[nodiscard]] bool is_aligned(std::size_t c) const {
    return f_.uses[c] == usage::aligned_read || f_.uses[c] == usage::aligned_write;
  }
  [[nodiscard]] std::span<const touch> touches_of(std::uint64_t i) const {
    const std::size_t from = i == 0 ? 0 : sets_.ends[i - 1];
    return {sets_.touches.data() + from, sets_.ends[i] - from};
  }

  /// The block that local iteration i belongs to.
  [[nodiscard]] const plan_block& block_of(std::uint64_t i) const {
    return plan_.blocks[block_of_[signature_of_[i]]];
  }

  /// Bodies of the share can be run here: what they read is here.
  void hold_inputs() {
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      // Of an uncut container the first touch would fetch everything, and the lookup for each would cost a
      // lock.
      const bool looked_at =
          (f_.entry->captures[c].mode & abi::listed) == 0 || f_.stores[c]->keys() != nullptr;
      const bool whole =
          f_.uses[c] == usage::read || (f_.uses[c] == usage::owned && f_.stores[c]->uncut() && looked_at);
      if (whole) f_.stores[c]->hold_all();
      if (is_aligned(c)) {
        f_.stores[c]->hold_range(static_cast<std::uint64_t>(begin_), static_cast<std::uint64_t>(end_));
      }
    }
  }

  void record() {
    const auto lanes = static_cast<std::int64_t>(in_.lanes.lanes());
    for (std::int64_t l = 0; l < lanes; ++l) {
      recorders_.push_back(std::make_unique<recorder>(f_, in_.copies));
    }
    in_.lanes.run([&](int lane) {
      const std::int64_t n = end_ - begin_;
      recorders_[static_cast<std::size_t>(lane)]->run(begin_ + n * lane / lanes,
                                                      begin_ + n * (lane + 1) / lanes);
    });
  }

  /// Joins the lanes' sets, in order, with slots where there were new keys.
  void number_new_keys() {
    std::vector<std::vector<std::vector<std::uint64_t>>> slots(f_.num_captures());
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (!is_owned(c) || f_.stores[c]->keys() == nullptr) continue;
      std::vector<const abi::key_index*> mine;
      for (const auto& r : recorders_) mine.push_back(r->new_keys(c));
      slots[c] = agree_on_keys(*f_.stores[c], mine, in_.ranks);
    }
    for (std::size_t lane = 0; lane < recorders_.size(); ++lane) {
      touch_list& part = recorders_[lane]->result();
      for (touch& t : part.touches) {
        if (t.pending_key != 0) t = {slots[t.capture][lane][t.element], t.capture, 0};
      }
      if (lane == 0) {
        sets_ = std::move(part);
      } else {
        const auto offset = static_cast<std::uint32_t>(sets_.touches.size());
        sets_.touches.insert(sets_.touches.end(), part.touches.begin(), part.touches.end());
        for (const std::uint32_t end : part.ends) sets_.ends.push_back(offset + end);
      }
      recorders_[lane].reset();
    }
  }

  /// A sum over touches, so that it does not depend on who inspects what.
  void hash_sets() {
    for (std::uint64_t i = 0; i < num_local(); ++i) {
      const std::uint64_t iteration = scrambled(static_cast<std::uint64_t>(begin_) + i);
      for (const touch& t : touches_of(i))
        plan_.sets_hash += scrambled(iteration ^ std::bit_cast<std::uint64_t>(t));
    }
  }

  /// The finalizer of splitmix64.
  static std::uint64_t scrambled(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  /// Sums a vector of counts over all ranks.
  std::vector<std::uint64_t> sum_over_ranks(const std::vector<std::uint64_t>& mine) {
    bytes own;
    abi::writer out(own);
    out(mine);
    std::vector<std::uint64_t> total(mine.size());
    for (const bytes& one : in_.ranks.all_gather(own)) {
      std::vector<std::uint64_t> counts;
      abi::reader in(one);
      in(counts);
      STRADSAP_ASSERT(counts.size() == total.size(), "{} counts, {} expected", counts.size(), total.size());
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += counts[i];
    }
    return total;
  }

  /// Groups of about equal use for each container that no plan has cut.
  void cut_containers() {
    const double touches =
        static_cast<double>(sum_over_ranks({sets_.touches.size()})[0]) / static_cast<double>(f_.n);
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (!is_owned(c) || !f_.stores[c]->uncut()) continue;
      container_store& store = *f_.stores[c];
      const std::uint64_t bins = std::min(store.size(), most_bins);
      std::vector<std::uint64_t> uses(bins);
      for (const touch& t : sets_.touches) {
        if (t.capture == c) ++uses[bin_of(t.element, bins, store.size())];
      }
      uses = sum_over_ranks(uses);
      const std::uint32_t groups = number_of_groups(static_cast<std::uint64_t>(f_.n), touches, store.size());
      if (groups > 1) cut_by_use(store, uses, groups);
    }
  }

  static std::uint64_t bin_of(std::uint64_t element, std::uint64_t bins, std::uint64_t size) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(element) * bins / size);
  }

  static void cut_by_use(container_store& store, const std::vector<std::uint64_t>& uses,
                         std::uint32_t groups) {
    std::uint64_t total = 0;
    for (const std::uint64_t u : uses) total += u;
    std::vector<std::uint64_t> bounds;
    std::uint64_t before = 0;
    for (std::uint64_t bin = 0; bin < uses.size(); ++bin) {
      before += uses[bin];
      // The first element beyond the bin: the inverse of bin_of, rounded up.
      const auto end = static_cast<std::uint64_t>(
          (static_cast<unsigned __int128>(bin + 1) * store.size() + uses.size() - 1) / uses.size());
      if (before * groups >= (bounds.size() + 1) * total && end < store.size()) {
        bounds.push_back(end);
      }
    }
    bounds.push_back(store.size());
    std::vector<rank_id> owners(bounds.size(), store.groups().owner(0));
    store.cut(partition(std::move(bounds), std::move(owners)));
  }

  void sign_iterations() {
    std::vector<std::uint32_t> first_token(f_.num_captures());
    std::vector<std::vector<std::uint32_t>> group_of(f_.num_captures());
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (!is_owned(c)) continue;
      const partition& groups = f_.stores[c]->groups();
      first_token[c] = static_cast<std::uint32_t>(plan_.tokens.size());
      for (std::uint32_t g = 0; g < groups.num_groups(); ++g) {
        plan_.tokens.push_back({static_cast<std::uint32_t>(c), g});
        group_of[c].insert(group_of[c].end(), groups.count(g), first_token[c] + g);
      }
    }
    std::vector<std::uint32_t> tokens;
    signature_of_.reserve(num_local());
    for (std::uint64_t i = 0; i < num_local(); ++i) {
      tokens.clear();
      for (const touch& t : touches_of(i)) tokens.push_back(group_of[t.capture][t.element]);
      std::sort(tokens.begin(), tokens.end());
      tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
      signature_of_.push_back(signatures_.count(tokens));
    }
  }

  /// All ranks' signatures, in lexical order, become the blocks.
  void gather_blocks() {
    bytes own;
    abi::writer out(own);
    for (std::uint32_t s = 0; s < signatures_.size(); ++s)
      out(signatures_.tokens(s), signatures_.iterations(s));
    std::map<std::vector<std::uint32_t>, std::uint64_t> all;
    for (const bytes& one : in_.ranks.all_gather(own)) {
      abi::reader in(one);
      while (in.remaining() > 0) {
        std::vector<std::uint32_t> tokens;
        std::uint64_t count = 0;
        in(tokens, count);
        all[tokens] += count;
      }
    }
    std::map<std::vector<std::uint32_t>, std::uint32_t> number;
    for (const auto& [tokens, count] : all) {
      number[tokens] = static_cast<std::uint32_t>(plan_.blocks.size());
      plan_.blocks.push_back({static_cast<std::uint32_t>(plan_.block_tokens.size()),
                              static_cast<std::uint32_t>(tokens.size()), count, 0, 0, 0});
      plan_.block_tokens.insert(plan_.block_tokens.end(), tokens.begin(), tokens.end());
    }
    for (std::uint32_t s = 0; s < signatures_.size(); ++s) block_of_.push_back(number[signatures_.tokens(s)]);
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

  // ---- the iterations go where their blocks run ----

  void ship() {
    plan_.listed = true;
    choose_columns();
    std::vector<bytes> out;
    for (rank_id r = 0; r < in_.ranks.world_size(); ++r) out.push_back(pack_for(r));
    const std::vector<bytes> in = in_.ranks.all_to_all(std::move(out));
    lay_out(in);
  }

  /// Where every iteration touches the same containers in the same order, the executors can ask ahead.
  void choose_columns() {
    std::vector<std::uint32_t> pattern;
    bool same = num_local() > 0;
    for (const touch& t : num_local() > 0 ? touches_of(0) : std::span<const touch>())
      pattern.push_back(t.capture);
    for (std::uint64_t i = 0; i < num_local() && same; ++i) {
      const auto touches = touches_of(i);
      same = touches.size() == pattern.size();
      for (std::size_t t = 0; t < touches.size() && same; ++t) {
        same = touches[t].capture == pattern[t] && touches[t].element <= 0xffffffffu;
      }
    }
    if (pattern.size() > most_columns || !same) pattern.clear();
    bytes own;
    abi::writer out(own);
    out(pattern);
    for (const bytes& one : in_.ranks.all_gather(own)) {
      if (one != own) pattern.clear();
    }
    for (const std::uint32_t c : pattern) plan_.columns.push_back({c, {}});
  }

  bytes pack_for(rank_id to) {
    std::vector<std::uint64_t> chosen;
    for (std::uint64_t i = 0; i < num_local() && to != in_.ranks.self(); ++i) {
      if (block_of(i).rank == to) chosen.push_back(i);
    }
    std::vector<std::uint32_t> blocks(chosen.size());
    std::vector<std::int64_t> iterations(chosen.size());
    std::vector<std::uint32_t> columns(chosen.size() * plan_.columns.size());
    auto column = columns.begin();
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      blocks[k] = block_of_[signature_of_[chosen[k]]];
      iterations[k] = begin_ + static_cast<std::int64_t>(chosen[k]);
      const auto touches = touches_of(chosen[k]);
      for (std::size_t t = 0; t < plan_.columns.size(); ++t)
        *column++ = static_cast<std::uint32_t>(touches[t].element);
    }
    bytes out;
    abi::writer writer(out);
    writer(blocks, iterations, columns);
    if (checked_) pack_sets(chosen, writer);
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (!is_aligned(c)) continue;
      const container_store& store = *f_.stores[c];
      for (const std::int64_t j : iterations)
        store.ops().write(store.at(static_cast<std::uint64_t>(j)), 1, writer);
    }
    return out;
  }

  void pack_sets(const std::vector<std::uint64_t>& chosen, abi::writer& out) {
    for (const std::uint64_t i : chosen) {
      std::vector<std::uint64_t> set;
      for (const touch& t : touches_of(i)) set.push_back(std::bit_cast<std::uint64_t>(t));
      out(set);
    }
  }

  static std::vector<touch> read_set(abi::reader& in) {
    std::vector<std::uint64_t> words;
    in(words);
    std::vector<touch> set;
    for (const std::uint64_t word : words) set.push_back(std::bit_cast<touch>(word));
    return set;
  }

  /// Blocks of this rank follow each other in the lists; within one, iterations stand in program order, since
  /// the ranks' shares come in that order.
  void lay_out(const std::vector<bytes>& in) {
    std::uint64_t total = 0;
    for (plan_block& b : plan_.blocks) {
      if (b.rank != in_.ranks.self()) continue;
      b.begin = total;
      total += b.count;
    }
    plan_.iterations.resize(total);
    if (checked_) plan_.sets.resize(total);
    for (touch_column& column : plan_.columns) column.elements.resize(total);
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      plan_.streams.push_back(is_aligned(c) ? element_array(f_.stores[c]->ops(), total) : element_array());
    }
    std::vector<std::uint64_t> next(plan_.blocks.size());
    for (std::size_t b = 0; b < plan_.blocks.size(); ++b) next[b] = plan_.blocks[b].begin;
    for (rank_id r = 0; r < in_.ranks.world_size(); ++r) {
      r == in_.ranks.self() ? lay_out_own(next) : lay_out_share(in[static_cast<std::size_t>(r)], next);
    }
  }

  /// What stays on this rank goes straight to its place.
  void lay_out_own(std::vector<std::uint64_t>& next) {
    for (std::uint64_t i = 0; i < num_local(); ++i) {
      if (block_of(i).rank != in_.ranks.self()) continue;
      const std::uint64_t place = next[block_of_[signature_of_[i]]]++;
      plan_.iterations[place] = begin_ + static_cast<std::int64_t>(i);
      const auto touches = touches_of(i);
      if (checked_) plan_.sets[place].assign(touches.begin(), touches.end());
      for (std::size_t t = 0; t < plan_.columns.size(); ++t) {
        plan_.columns[t].elements[place] = static_cast<std::uint32_t>(touches[t].element);
      }
      for (std::size_t c = 0; c < f_.num_captures(); ++c) {
        if (!is_aligned(c)) continue;
        const container_store& store = *f_.stores[c];
        store.ops().assign(plan_.streams[c].at(place), store.at(static_cast<std::uint64_t>(begin_) + i));
      }
    }
  }

  void lay_out_share(const bytes& share, std::vector<std::uint64_t>& next) {
    std::vector<std::uint32_t> blocks;
    std::vector<std::int64_t> iterations;
    std::vector<std::uint32_t> columns;
    abi::reader in(share);
    in(blocks, iterations, columns);
    STRADSAP_ASSERT(
        iterations.size() == blocks.size() && columns.size() == blocks.size() * plan_.columns.size(),
        "{} blocks, {} iterations, {} columns", blocks.size(), iterations.size(), columns.size());
    std::vector<std::uint64_t> places(blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      places[i] = next[blocks[i]]++;
      plan_.iterations[places[i]] = iterations[i];
      for (std::size_t t = 0; t < plan_.columns.size(); ++t) {
        plan_.columns[t].elements[places[i]] = columns[i * plan_.columns.size() + t];
      }
    }
    for (std::size_t i = 0; checked_ && i < places.size(); ++i) plan_.sets[places[i]] = read_set(in);
    for (std::size_t c = 0; c < f_.num_captures(); ++c) {
      if (!is_aligned(c)) continue;
      for (const std::uint64_t place : places) f_.stores[c]->ops().read(plan_.streams[c].at(place), 1, in);
    }
  }

  const planning& in_;
  const loop_frame& f_;
  const std::int64_t begin_;
  const std::int64_t end_;
  const bool checked_;  // a check build: the sets go along with their iterations
  std::vector<std::unique_ptr<recorder>> recorders_;
  touch_list sets_;
  signature_table signatures_;
  std::vector<std::uint32_t> signature_of_;  // local iteration -> signature
  std::vector<std::uint32_t> block_of_;      // signature -> block
  plan plan_;
};

}  // namespace

plan make_listed_plan(const planning& in) { return listed_planner(in).make(); }

}  // namespace stradsap::rt
