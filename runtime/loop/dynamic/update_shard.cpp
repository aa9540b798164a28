#include "runtime/loop/dynamic/update_shard.hpp"

#include <algorithm>
#include <utility>

namespace stradsap::rt {

/// Whether bodies only add into the container, so that copies of it add up.
static bool is_only_summed(const abi::capture_info& capture) {
  const bool is_read = (capture.mode & abi::adds_late) != 0;
  return abi::is_only_added(capture.mode) && !is_read && capture.added != nullptr && capture.added->is_sum;
}

written_captures written_by(const loop_frame& f, const std::vector<std::uint64_t>& followed, bool in_place) {
  written_captures found;
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.replicas[c] == nullptr) continue;
    const bool is_aligned = f.uses[c] == usage::aligned_write;
    if (is_aligned || (in_place && f.writes_own(c))) {
      found.own.push_back(c);
      found.is_followed.push_back(followed.empty() ||
                                  std::find(followed.begin(), followed.end(), c) != followed.end());
      found.is_read.push_back(!is_aligned);
    }
    if (!is_aligned && f.writes(c)) {
      const bool needs_copies = !in_place || is_only_summed(f.entry->captures[c]);
      (needs_copies ? found.shared : found.in_place).push_back(c);
    }
  }
  return found;
}

update_shard::update_shard(const loop_frame& f, const written_captures& written, std::size_t most)
    : frame_(f), written_(written), whole_(f), squared_(most) {
  whole_.open();
  windows_.assign(whole_.data(), whole_.data() + f.num_captures());
  for (const std::size_t c : written.own)
    kept_.push_back(std::make_unique<kept_elements>(*f.replicas[c], most));
  for (std::size_t c = 0; c < f.num_captures(); ++c)
    reductions_.emplace_back(
        f.entry->captures[c].kind == abi::capture_kind::reduction ? f.entry->captures[c].size : 0);
  for (std::vector<std::byte>& one : reductions_) partials_.push_back(one.data());
  block_.windows = windows_.data();
  block_.partials = partials_.data();
  block_.count = 1;
  block_.is_whole = true;
}

void update_shard::use(const private_copy& copy) {
  for (std::size_t i = 0; i < written_.shared.size(); ++i)
    windows_[written_.shared[i]].base = copy.container(i);
}

void update_shard::route(std::size_t c, abi::element_source& source) {
  windows_[c].source = &source;
  windows_[c].count = windows_[c].readable = 0;
  block_.is_whole = false;
}

void update_shard::assign(std::vector<candidate> members) {
  members_ = std::move(members);
  std::fill(squared_.begin(), squared_.end(), 0.0);
  begun_ = 0;
  failure_.reset();
}

void update_shard::run() {
  if (members_.empty()) return;
  const abi::launch_scope now(frame_.launch);
  abi::run_all(frame_.entry->run, frame_.values.data(), *this);
}

const abi::block* update_shard::next() {
  if (begun_ != 0 && !failure_) {
    const std::size_t ran = begun_ - 1;
    squared_[ran] = 0;
    const auto j = static_cast<std::uint64_t>(members_[ran].iteration);
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (written_.is_followed[i]) kept_[i]->add_distances(j, 1, &squared_[ran], ran);
    }
  }
  if (failure_ || begun_ == members_.size()) return nullptr;
  const std::int64_t j = members_[begun_].iteration;
  for (const auto& before : kept_) before->keep(static_cast<std::uint64_t>(j), 1, begun_);
  block_.begin = j;
  block_.continues = begun_ != 0;
  ++begun_;
  return &block_;
}

void update_shard::failed(std::int64_t iteration, errc code, const char* what) {
  failure_ = failure{static_cast<std::uint8_t>(code), what, driver_rank, iteration, 0};
}

void update_shard::undo() {
  for (std::size_t k = 0; k < begun_; ++k) {
    for (const auto& before : kept_) before->restore(static_cast<std::uint64_t>(members_[k].iteration), k);
  }
}

}  // namespace stradsap::rt
