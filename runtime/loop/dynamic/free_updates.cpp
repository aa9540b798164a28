#include "runtime/loop/dynamic/free_updates.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "runtime/base/elapsed.hpp"

namespace stradsap::rt {

// Iterations of a round: few waits for its end, and a list that is small beside the elements.
static constexpr std::size_t most_in_round = 1 << 16;
// A round that takes less time than threads need to wake up runs on one thread.
static constexpr double least_round_seconds = 100e-6;

free_executor::free_executor(const loop_frame& f, const written_captures& written,
                             const shared_pieces& shared, chunk_claims& claims, free_round& round, int number)
    : frame_(f), shared_(shared), claims_(claims), round_(round), number_(number), whole_(f), copy_(shared) {
  whole_.open();
  windows_.assign(whole_.data(), whole_.data() + f.num_captures());
  for (std::size_t i = 0; i < written.shared.size(); ++i)
    windows_[written.shared[i]].base = copy_.container(i);
  for (std::size_t i = 0; i < written.own.size(); ++i)
    if (written.is_followed[i])
      kept_.push_back(std::make_unique<kept_elements>(*f.replicas[written.own[i]], claims.chunk_size()));
  for (std::size_t c = 0; c < f.num_captures(); ++c)
    reductions_.emplace_back(
        f.entry->captures[c].kind == abi::capture_kind::reduction ? f.entry->captures[c].size : 0);
  for (std::vector<std::byte>& one : reductions_) partials_.push_back(one.data());
  squared_.resize(claims.chunk_size());
  block_.windows = windows_.data();
  block_.partials = partials_.data();
  block_.in_place = true;
  block_.is_whole = true;
}

void free_executor::run() {
  copy_.refresh();
  block_.continues = false;
  block_.count = 0;
  const abi::launch_scope now(frame_.launch);
  abi::run_all(frame_.entry->run, frame_.values.data(), *this);
  claims_.release(number_);
}

const abi::block* free_executor::next() {
  if (block_.count != 0) {
    if (!failure_) note_changes();
    block_.continues = true;
  }
  if (!take_chunk()) return nullptr;
  listed_.clear();
  for (const std::uint32_t place : *places_)
    listed_.push_back(static_cast<std::uint32_t>(round_.members[place].iteration));
  block_.iterations = listed_.data();
  block_.count = listed_.size();
  for (const auto& before : kept_) before->keep(listed_);
  return &block_;
}

/// Whether there is one of which some member may run.
bool free_executor::take_chunk() {
  while (!round_.has_failed) {
    const std::size_t chunk = round_.next.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= claims_.num_chunks()) return false;
    places_ = &claims_.claim(number_, chunk);
    if (!places_->empty()) return true;
  }
  return false;
}

void free_executor::note_changes() {
  std::fill_n(squared_.begin(), listed_.size(), 0.0);
  for (const auto& before : kept_) before->add_distances(listed_, squared_.data());
  for (std::size_t k = 0; k < listed_.size(); ++k) {
    round_.squared[(*places_)[k]] = squared_[k];
    round_.ran[(*places_)[k]] = 1;
  }
}

void free_executor::failed(std::int64_t iteration, errc code, const char* what) {
  failure_ = failure{static_cast<std::uint8_t>(code), what, driver_rank, iteration, 0};
  round_.has_failed = true;
}

void free_executor::add_reductions(const std::vector<std::byte*>& partials) const {
  if (!block_.continues) return;
  for (std::size_t c = 0; c < reductions_.size(); ++c) {
    if (!reductions_[c].empty()) frame_.entry->captures[c].combine(partials[c], reductions_[c].data());
  }
}

void free_executor::find_differences(std::vector<std::size_t>& changed) {
  for (std::size_t p = 0; p < shared_.size() && block_.continues; ++p) {
    if (std::memcmp(copy_.elements(p), shared_.elements(p), shared_[p].num_bytes) == 0) continue;
    shared_.ops(p).merge(copy_.elements(p), shared_.elements(p), shared_.zeros(), shared_.num_elements(p));
    copy_.changed(p);
    changed.push_back(p);
  }
}

free_updates::free_updates(const loop_frame& f, const written_captures& written,
                           const touched_elements& touched, const claim_shape& shape, executor_pool& pool)
    : frame_(f), pool_(pool), shared_(f, written.shared), claims_(touched, shape, pool.size()) {
  for (int e = 0; e < pool.size(); ++e)
    executors_.push_back(std::make_unique<free_executor>(f, written, shared_, claims_, round_, e));
}

updates_end free_updates::run(update_order& order, const std::vector<std::byte*>& partials) {
  updates_end end;
  while (!end.failed && !end.not_finite) {
    round_.members = order.take(most_in_round);
    if (round_.members.empty()) return end;
    run_round();
    fold(partials);  // additions before an exception stay, as other writes do
    end.failed = first_failure();
    if (end.failed) return end;
    end.not_finite = note(order);
  }
  return end;
}

bool free_updates::runs_alone() const {
  const auto n = static_cast<double>(round_.members.size());
  const bool is_short = seconds_of_update_ != 0 && n * seconds_of_update_ < least_round_seconds;
  return many_left_ || is_short || claims_.num_chunks() < 2;
}

void free_updates::run_round() {
  const std::size_t n = round_.members.size();
  round_.squared.assign(n, 0);
  round_.ran.assign(n, 0);
  round_.next = 0;
  claims_.begin(round_.members);
  const auto start = std::chrono::steady_clock::now();
  running_ = runs_alone() ? 1 : executors_.size();
  if (running_ == 1) {
    executors_[0]->run();
  } else {
    pool_.run([this](int executor) { executors_[static_cast<std::size_t>(executor)]->run(); });
  }
  seconds_of_update_ = seconds_since(start) * static_cast<double>(running_) / static_cast<double>(n);
}

std::optional<failure> free_updates::first_failure() const {
  for (std::size_t e = 0; e < running_; ++e)
    if (executors_[e]->failed()) return executors_[e]->failed();
  return std::nullopt;
}

/// Adds up the sums that executors have apart. All differences are found before elements change.
void free_updates::fold(const std::vector<std::byte*>& partials) {
  std::vector<std::vector<std::size_t>> changed(running_);
  for (std::size_t e = 0; e < running_; ++e) {
    executors_[e]->add_reductions(partials);
    executors_[e]->find_differences(changed[e]);
  }
  for (std::size_t e = 0; e < running_; ++e) {
    for (const std::size_t p : changed[e]) {
      shared_.ops(p).merge(shared_.elements(p), shared_.zeros(), executors_[e]->copy().elements(p),
                           shared_.num_elements(p));
      shared_.changed(p);
    }
  }
}

/// Takes the changes of a round for the order of updates. Returns a member that moved its element by no
/// finite distance.
std::optional<std::int64_t> free_updates::note(update_order& order) {
  std::vector<candidate> left;
  for (std::size_t k = 0; k < round_.members.size(); ++k) {
    const candidate& one = round_.members[k];
    if (round_.ran[k] == 0) {
      left.push_back(one);
    } else if (std::isfinite(round_.squared[k])) {
      order.changed(one, round_.squared[k]);
    } else {
      return one.iteration;
    }
  }
  frame_.count(0, round_.members.size() - left.size());
  rejected_ += left.size();
  many_left_ = 2 * left.size() > round_.members.size();
  order.give_back(left);
  return std::nullopt;
}

}  // namespace stradsap::rt
