#include "runtime/loop/accumulate/relaxed_copies.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runtime/dds/element_exchange.hpp"

namespace stradsap::rt {

/// The accumulators of one container, for the executors of one round.
class relaxed_copies::view final : public stale_accumulators {
 public:
  view(relaxed_copies& of, std::size_t capture)
      : stale_accumulators(*of.in_.frame.replicas[capture]), of_(of), capture_(capture) {}

  void open(std::uint32_t accumulator, abi::window& to) override { to = window_of(accumulator); }
  std::byte* at(std::uint32_t accumulator, std::uint64_t i) override { return range(accumulator, i, 1); }
  std::byte* range(std::uint32_t accumulator, std::uint64_t first, std::uint64_t n) override {
    const abi::window& from = window_of(accumulator);
    if (from.covers(from.count, first, n))
      return static_cast<std::byte*>(from.base) + first * replica_.ops().size;
    return static_cast<std::byte*>(from.source->range(first, n, abi::access::write));
  }

 private:
  /// The first use in a round copies the elements, or begins to.
  const abi::window& window_of(std::uint32_t accumulator) const {
    const std::size_t place = of_.place_[accumulator];
    std::optional<abi::window>& opened = of_.windows_[capture_][place];
    if (!opened) {
      of_.containers_[capture_]->begin_batch(place);
      opened = of_.containers_[capture_]->open(place, 0, 0);
    }
    return *opened;
  }

  relaxed_copies& of_;
  const std::size_t capture_;
};

relaxed_copies::relaxed_copies(const planning& in, const plan& p, batch_memory& kept, std::size_t rounds)
    : in_(in), plan_(p), kept_(kept), place_(p.accumulator_ranks.size()) {
  for (std::size_t a = 0; a < place_.size(); ++a) {
    if (p.accumulator_ranks[a] == in.ranks.self()) place_[a] = num_mine_++;
  }
  const loop_frame& f = in.frame;
  const auto num_accumulators = static_cast<std::int64_t>(place_.size());
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    windows_.emplace_back(f.is_relaxed(c) ? num_mine_ : 0);
    const auto make = [&] {
      return std::make_unique<batch_container>(
          in, kept, c, rule_for(f.entry->captures[c], f.relaxed[c]->merge, /*is_relaxed=*/true),
          std::max<std::int64_t>(1, f.n / static_cast<std::int64_t>(rounds)), num_accumulators, num_mine_,
          /*windows=*/num_mine_, /*is_one_for_each_shard=*/true);
    };
    containers_.push_back(f.is_relaxed(c) ? make() : nullptr);
    hot_.emplace_back();
    if (f.is_hottest_relaxed(c)) add_hot(c, rounds);
  }
}

void relaxed_copies::add_hot(std::size_t capture, std::size_t rounds) {
  const loop_frame& f = in_.frame;
  const merge::rule& how = f.relaxed[capture]->merge;
  const bool adapts = how.which() == merge::rule::kind::adaptive;
  const auto accumulators = static_cast<unsigned>(place_.size());
  const double iterations = static_cast<double>(f.n) / static_cast<double>(rounds * accumulators);
  hot_[capture] =
      std::make_unique<hot_copies>(in_, plan_.hot[capture], capture, plan_.accumulator_ranks,
                                   round_shape{accumulators, std::max(1.0, iterations), 0, how.uses()},
                                   adapts ? &kept_.scale_of(*f.entry, *f.replicas[capture]) : nullptr);
}

void relaxed_copies::begin_round() {
  for (const auto& one : hot_) {
    if (one != nullptr) one->begin_round();
  }
}

relaxed_copies::~relaxed_copies() {
  for (std::size_t c = 0; c < containers_.size(); ++c) {
    if (std::exchange(containers_[c], nullptr) != nullptr) kept_.remove_large(*in_.frame.replicas[c]);
  }
}

std::unique_ptr<accumulators> relaxed_copies::accumulators_of(std::size_t capture) {
  return std::make_unique<view>(*this, capture);
}

/// Lists the changes of each accumulator.
void relaxed_copies::close(std::size_t capture) {
  constexpr std::size_t least_compared = std::size_t{512} << 10;  // bytes to compare
  const replica& local = *in_.frame.replicas[capture];
  const auto close_from = [&](std::size_t first, std::size_t step) {
    for (std::size_t place = first; place < num_mine_; place += step) {
      const bool was_used = std::exchange(windows_[capture][place], std::nullopt).has_value();
      containers_[capture]->close(place, place, was_used);
    }
  };
  if (num_mine_ * local.size() * local.ops().size < least_compared) return close_from(0, 1);
  const auto executors = static_cast<std::size_t>(in_.pool.size());
  in_.pool.run([&](int number) { close_from(static_cast<std::size_t>(number), executors); });
}

bool relaxed_copies::end_round(bool has_failed) {
  element_exchange changes(in_.ranks);
  for (std::size_t c = 0; c < containers_.size(); ++c) {
    if (containers_[c] != nullptr) close(c);
  }
  for (rank_id r = 0; r < in_.ranks.world_size(); ++r) {
    changes.writer(r)(has_failed);
    for (const auto& container : containers_) {
      if (container != nullptr && !has_failed) container->write_changes(r, changes.writer(r));
    }
    for (const auto& one : hot_) {
      if (one != nullptr && !has_failed && r != in_.ranks.self()) one->write_changes(changes.writer(r));
    }
  }
  changes.trade();
  bool has_any_failed = false;
  for (rank_id r = 0; r < in_.ranks.world_size(); ++r)
    has_any_failed = changes.reader(r).flag() || has_any_failed;
  if (!has_any_failed) fold(changes);
  return has_any_failed;
}

void relaxed_copies::fold(element_exchange& changes) {
  for (rank_id r = 0; r < in_.ranks.world_size(); ++r) {
    for (const auto& container : containers_) {
      if (container != nullptr) container->read_changes(r, changes.reader(r));
    }
    for (const auto& one : hot_) {
      if (one != nullptr && r != in_.ranks.self()) one->read_changes(r, changes.reader(r));
    }
  }
  try {
    for (const auto& container : containers_) {
      if (container != nullptr) container->fold();
    }
    for (const auto& one : hot_) {
      if (one != nullptr) one->fold();
    }
  } catch (const error& e) {
    throw error(e.code(), fmt::format("{}: {}", in_.frame.site, e.what()));
  }
  changes.finish();
  return_results(in_.ranks, containers_);
}

}  // namespace stradsap::rt
