#include "runtime/loop/accumulate/chunk_fold.hpp"

#include <atomic>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "runtime/dds/element_copies.hpp"
#include "runtime/dds/scratch_pool.hpp"
#include "runtime/loop/accumulate/finite_folds.hpp"

namespace stradsap::rt {

/// The chunks [first, end) of a container, folded by one executor.
class chunk_fold::piece {
 public:
  piece(const chunk_fold& of, std::uint64_t first, std::uint64_t end)
      : of_(of),
        ops_(of.replica_.ops()),
        first_(first),
        end_(end),
        out_(results),
        memory_(of.replica_.ops()) {}
  ~piece() {
    if (start_ != nullptr && !is_bytes(ops_)) ops_.destroy(start_, 1);
    for (std::byte* one : decoded_) ops_.destroy(one, 1);
  }
  piece(const piece&) = delete;
  piece& operator=(const piece&) = delete;

  void run(const changes_by_shard& shards) {
    open(shards);
    while (next_ < end_) {
      const std::uint64_t chunk = next_;
      gather(chunk);
      fold(chunk);
    }
  }

  std::vector<std::uint64_t> changed;
  bytes results;

 private:
  static bool is_before(const changed_chunk& one, std::uint64_t chunk) { return one.chunk < chunk; }

  /// Finds the changes of each shard within the piece.
  void open(const changes_by_shard& shards) {
    if (is_bytes(ops_)) {
      start_bytes_.resize(of_.chunks_.most_bytes() + ops_.align);
      start_ = start_bytes_.data();
      const auto beyond = reinterpret_cast<std::uintptr_t>(start_) % ops_.align;
      if (beyond != 0) start_ += ops_.align - beyond;
    }
    for (const std::span<const changed_chunk> all : shards) {
      const auto from = std::lower_bound(all.begin(), all.end(), first_, is_before);
      const auto to = std::lower_bound(from, all.end(), end_, is_before);
      if (from == to) continue;
      left_.emplace_back(from, to);
      next_ = std::min(next_, from->chunk);
    }
  }

  /// Collects the shards' copies of a chunk, and finds the next chunk.
  void gather(std::uint64_t chunk) {
    ends_.clear();
    num_decoded_ = 0;
    next_ = last_chunk;
    bool is_over = false;
    for (std::span<const changed_chunk>& left : left_) {
      if (left.front().chunk == chunk) {
        const bool is_encoded = !is_bytes(ops_) && !left.front().is_element;
        ends_.push_back(is_encoded ? decoded(left.front()) : left.front().end);
        left = left.subspan(1);
      }
      if (left.empty()) {
        is_over = true;
      } else {
        next_ = std::min(next_, left.front().chunk);
      }
    }
    if (is_over) std::erase_if(left_, [](const auto& left) { return left.empty(); });
  }

  /// The element of an encoded change, until the next chunk.
  const std::byte* decoded(const changed_chunk& one) {
    if (num_decoded_ == decoded_.size()) {
      std::byte* const room = memory_.take();
      copy_element(ops_, room, of_.replica_.at(one.chunk));
      decoded_.push_back(room);
    }
    abi::reader in(one.end, one.size);
    ops_.read(decoded_[num_decoded_], 1, in);
    return decoded_[num_decoded_++];
  }

  /// Folds the elements of a chunk that this rank owns.
  void fold(std::uint64_t chunk) {
    const std::uint64_t begin = of_.chunks_.begin(chunk);
    const std::uint64_t end = of_.chunks_.end(chunk);
    const partition& groups = of_.replica_.groups();
    std::byte* const into = of_.replica_.at(begin);
    bool owns = false;
    for (std::uint64_t at = begin; at < end;) {
      const auto group = groups.num_groups() == 1 ? 0 : groups.group_of(at);
      const std::uint64_t last = std::min(end, groups.end(group));
      if (of_.folds_all_ || groups.owner(group) == of_.self_) {
        if (!owns) keep_start(into, of_.chunks_.bytes_of(chunk));
        owns = true;
        fold(at - begin, last - at, into);
      }
      at = last;
    }
    if (!owns) return;
    changed.push_back(chunk);
    if (of_.pushes_) write_result(chunk, into);
  }

  void write_result(std::uint64_t chunk, const std::byte* now) {
    out_(chunk);
    is_bytes(ops_)
        ? write_difference(out_, start_, now, of_.chunks_.bytes_of(chunk), of_.chunks_.word_bytes())
        : ops_.write(now, 1, out_);
  }

  void keep_start(const std::byte* from, std::size_t size) {
    if (is_bytes(ops_)) return void(std::memcpy(start_, from, size));
    if (start_ != nullptr) return assign_element(ops_, start_, from);
    std::byte* const room = memory_.take();
    copy_element(ops_, room, from);
    start_ = room;
  }

  /// Folds n elements of the chunk, from its element `first` on.
  void fold(std::uint64_t first, std::uint64_t n, std::byte* chunk) {
    const std::size_t at = first * ops_.size;
    if (of_.scale_ != nullptr) {
      for (std::uint64_t i = 0; i < n; ++i) fold_adaptively(chunk, at + i * ops_.size);
    } else if (of_.rule_.folded != nullptr) {
      for (const std::byte* end : ends_) of_.rule_.folded->combine(chunk + at, end + at, n);
    } else if (folds_by_rule()) {
      for (const std::byte*& end : ends_) end += at;
      for (std::uint64_t i = 0; i < n; ++i) fold_by_rule(chunk + at + i * ops_.size, at + i * ops_.size);
      for (const std::byte*& end : ends_) end -= at + n * ops_.size;
    } else if (of_.rule_.last_counts) {
      for (const std::byte* end : ends_) take_changed(chunk + at, start_ + at, end + at, n);
    } else {
      // an exception names the element; only elements with an encoding of their own throw
      const std::uint64_t together = ops_.own.write == nullptr ? n : 1;
      for (const std::byte* end : ends_) {
        for (std::size_t i = 0; i < n; i += together)
          add_difference(chunk, at + i * ops_.size, end, together);
      }
    }
    if (!of_.rule_.stays_finite) return;
    const std::size_t bad = ops_.first_infinite(chunk + at, start_ + at, n);
    if (bad != n) refuse_infinite(element_of(chunk + at) + bad, of_.name_, of_.rule_.how);
  }

  [[nodiscard]] std::uint64_t element_of(const std::byte* at) const {
    return static_cast<std::uint64_t>(at - of_.replica_.at(0)) / ops_.size;
  }

  /// Folds one element, which is at `at` in the chunk: the sum of all changes, its fractions scaled.
  void fold_adaptively(std::byte* chunk, std::size_t at) {
    const bool has_neighbours = of_.chunks_.most_bytes() > ops_.size;  // of which one may have changed alone
    unsigned touching = 0;
    for (const std::byte* end : ends_) {
      if (has_neighbours && !differ(ops_, end + at, start_ + at)) continue;
      if (touching++ == 0 && is_bytes(ops_)) {
        std::memcpy(chunk + at, end + at, ops_.size);  // the same as the difference added to its start
      } else {
        add_difference(chunk, at, end, 1);
      }
    }
    if (touching == 0) return;
    const std::uint64_t element = element_of(chunk + at);
    const double scale = scale_of(element, chunk + at, start_ + at, touching);
    if (std::isnan(scale)) refuse_infinite(element, of_.name_, of_.rule_.how);
    if (scale < 1) ops_.scale_changes(chunk + at, start_ + at, scale);
  }

  double scale_of(std::uint64_t element, const std::byte* now, const std::byte* start, unsigned touching) {
    if (ops_.num_fractions != 0)
      return of_.scale_->of(element, ops_, now, start, touching, of_.round_, known_);
    change_.clear();
    ops_.list_changes(now, start, change_);
    return of_.scale_->of(element, change_, touching, of_.round_);
  }

  /// Folds n elements that are at `at` in the chunk.
  void add_difference(std::byte* chunk, std::size_t at, const std::byte* end, std::uint64_t n) const {
    try {
      ops_.merge(chunk + at, start_ + at, end + at, n);
    } catch (const error& e) {
      throw error(e.code(),
                  fmt::format("element {} of `{}`: {}", element_of(chunk + at), of_.name_, e.what()));
    }
  }

  /// Folds one element, which is at `at` in the chunk and at the pointers `ends`; moves these on.
  void fold_by_rule(std::byte* into, std::size_t at) {
    ops_.merge_by(of_.rule_.how, into, start_ + at, ends_.data(), ends_.size());
    for (const std::byte*& end : ends_) end += ops_.size;
  }

  /// Of one copy, all rules but a function take its values.
  [[nodiscard]] bool folds_by_rule() const {
    const merge::rule::kind kind = of_.rule_.how.which();
    return kind == merge::rule::kind::function || (kind != merge::rule::kind::sum && ends_.size() > 1);
  }

  void take_changed(std::byte* into, const std::byte* start, const std::byte* end, std::uint64_t n) const {
    for (std::uint64_t i = 0; i < n; ++i, into += ops_.size, start += ops_.size, end += ops_.size) {
      if (differ(ops_, end, start)) assign_element(ops_, into, end);
    }
  }

  const chunk_fold& of_;
  const abi::element_ops& ops_;
  const std::uint64_t first_;
  const std::uint64_t end_;
  abi::writer out_;
  scratch_pool memory_;
  bytes start_bytes_;
  std::byte* start_ = nullptr;  // a chunk, or an element, as it was before the batch
  std::uint64_t next_ = last_chunk;
  std::vector<std::span<const changed_chunk>> left_;  // by shard
  std::vector<const std::byte*> ends_;
  std::vector<std::byte*> decoded_;
  std::size_t num_decoded_ = 0;  // of the chunk
  std::vector<double> change_;
  known_scales known_;
};

/// The first chunks of pieces with about equal work, judged by the shard with most changes.
static std::vector<std::uint64_t> cuts_of(const changes_by_shard& shards, std::size_t pieces) {
  std::vector<std::uint64_t> cuts{0};
  const auto has_fewer = [](const auto& one, const auto& other) { return one.size() < other.size(); };
  const auto most = std::max_element(shards.begin(), shards.end(), has_fewer);
  for (std::size_t p = 1; p < pieces; ++p) {
    const std::uint64_t cut = (*most)[most->size() * p / pieces].chunk;
    if (cut > cuts.back()) cuts.push_back(cut);
  }
  return cuts;
}

void chunk_fold::run(executor_pool& pool, const changes_by_shard& shards) {
  constexpr std::size_t least_bytes = std::size_t{128} << 10;  // for two threads
  constexpr std::size_t pieces_of_executor = 4;
  std::size_t most = 0;
  std::size_t all = 0;
  for (const auto& shard : shards) {
    most = std::max(most, shard.size());
    all += shard.size();
  }
  changed_.clear();
  results_.clear();
  if (most == 0) return;
  const std::size_t executors =
      all * chunks_.most_bytes() < least_bytes ? 1 : static_cast<std::size_t>(pool.size());
  std::vector<std::uint64_t> cuts =
      cuts_of(shards, executors == 1 ? 1 : std::min(most, executors * pieces_of_executor));
  cuts.push_back(last_chunk);
  std::vector<std::vector<std::uint64_t>> changed(cuts.size() - 1);
  results_.resize(changed.size());
  std::atomic<std::size_t> taken = 0;
  const auto work = [&](int) {
    for (std::size_t p; (p = taken++) < changed.size();) {
      piece one(*this, cuts[p], cuts[p + 1]);
      one.run(shards);
      changed[p] = std::move(one.changed);
      results_[p] = std::move(one.results);
    }
  };
  executors == 1 ? work(0) : pool.run(work);
  for (const auto& of_piece : changed) changed_.insert(changed_.end(), of_piece.begin(), of_piece.end());
}

void chunk_fold::write_results(abi::writer& out) const {
  for (const bytes& of_piece : results_) out.bytes(of_piece.data(), of_piece.size());
  out(last_chunk);
}

/// Whether this rank has all elements of the chunk.
static bool is_held(const replica& local, const chunking& chunks, std::uint64_t chunk) {
  const partition& groups = local.groups();
  const auto last = groups.group_of(chunks.end(chunk) - 1);
  for (auto g = groups.group_of(chunks.begin(chunk)); g <= last; ++g) {
    if (!local.held(g)) return false;
  }
  return true;
}

void read_results(replica& local, abi::reader& in, std::vector<std::uint64_t>& changed) {
  const chunking chunks(local);
  const abi::element_ops& ops = local.ops();
  scratch_pool memory(ops);
  std::byte* unused = nullptr;
  std::uint64_t chunk = 0;
  for (in(chunk); chunk != last_chunk; in(chunk)) {
    if (chunk >= chunks.num_chunks())
      throw error(errc::decode, fmt::format("no chunk {} of {}", chunk, chunks.num_chunks()));
    std::byte* const to = local.at(chunks.begin(chunk));
    if (is_bytes(ops)) {
      read_difference(in, to, chunks.bytes_of(chunk), chunks.word_bytes());
    } else if (is_held(local, chunks, chunk)) {
      ops.read(to, 1, in);
    } else {
      if (unused == nullptr) copy_element(ops, unused = memory.take(), to);
      ops.read(unused, 1, in);
    }
    changed.push_back(chunk);
  }
  if (unused != nullptr) ops.destroy(unused, 1);
}

}  // namespace stradsap::rt
