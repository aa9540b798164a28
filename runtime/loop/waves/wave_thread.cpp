#include "runtime/loop/waves/wave_thread.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "runtime/base/elapsed.hpp"

namespace stradsap::rt {

wave_execution::thread::thread(wave_execution& loop, std::uint32_t number)
    : loop_(loop),
      number_(number),
      share_(loop.plan_.threads[number]),
      sums_(loop.frame_),
      body_(loop.frame_, loop.versions_.get()) {
  const loop_frame& f = loop.frame_;
  guards_.resize(f.num_captures());
  windows_.resize(f.num_captures());
  streams_.resize(f.num_captures());
  for (std::uint32_t c = 0; c < f.num_captures(); ++c) {
    guard& g = guards_[c];
    g.owner = this;
    g.capture = c;
    g.local = f.replicas[c];
    g.written = f.writes(c);
    g.is_aligned = f.uses[c] == usage::aligned_read || f.uses[c] == usage::aligned_write;
    if (g.local == nullptr) continue;
    g.first = loop.plan_.first_element[c];
    windows_[c] = g.local->window_through(g);
    if (!f.writes(c)) windows_[c].count = windows_[c].readable = g.local->size();
    if (body_.is_checked()) body_.watch(c, windows_[c]);
  }
  if (f.times_parts) ticks_.resize(num_wave_parts);
  sums_.prepare(windows_.data());
}

void wave_execution::thread::run(executor_clock& clock) {
  clock_ = &clock;
  body_.run(body_copy::movable, *this, clock);
  clock.ticks = std::move(ticks_);
  if (loop_.versions_ != nullptr) loop_.keep(body_.take_log());
}

/// After a failure, iterations before it in program order still run, one by one. So the reported failure is
/// the first for any number of workers.
const abi::block* wave_execution::thread::next() {
  count_ticks();
  const std::uint64_t ran = std::exchange(block_.count, 0);
  loop_.frame_.count(static_cast<int>(number_), ran);
  if (sums_.size() != 0)
    sums_.ended(ran, [&](std::uint64_t k, const std::byte* part) { keep_sums(k, part); });
  while (true) {
    const std::uint64_t end = in_step_ ? share_.steps[step_].end : place_;
    const std::uint32_t stop = loop_.stop_position();
    if (stop != none) {
      while (place_ < end && share_.iterations[place_] >= stop) ++place_;
    }
    while (place_ < end && share_.iterations[place_] < loop_.frame_.first) ++place_;
    if (place_ < end) return open(stop == none && loop_.frame_.first == 0 ? end : place_ + 1);
    if (in_step_) complete_step();
    if (!next_step()) return nullptr;
  }
}

/// Iterations write their sums to places of their own, for the driver to fold in program order.
void wave_execution::thread::keep_sums(std::uint64_t k, const std::byte* part) {
  const std::size_t j = share_.iterations[begin_ + k];
  std::memcpy(loop_.sums_.data() + j * sums_.size(), part, sums_.size());
}

bool wave_execution::thread::next_step() {
  if (step_ == share_.steps.size()) return false;
  const std::size_t needs_begin = step_ == 0 ? 0 : share_.steps[step_ - 1].needs_end;
  for (std::size_t k = needs_begin; k < share_.steps[step_].needs_end; ++k) {
    const wave_need& need = share_.needs[k];
    if (loop_.counters_[need.source].value.load(std::memory_order_acquire) >= need.count) continue;
    const auto start = std::chrono::steady_clock::now();
    loop_.wait_for(number_, need);
    clock_->seconds_wait += seconds_since(start);
  }
  in_step_ = true;
  return true;
}

void wave_execution::thread::complete_step() {
  const wave_step& done = share_.steps[step_++];
  in_step_ = false;
  loop_.reached(number_, done.level);
  if (done.departure != wave_step::no_departure) loop_.depart(done.departure);
}

const abi::block* wave_execution::thread::open(std::uint64_t end) {
  begin_ = place_;
  place_ = std::min(end, begin_ + iteration_sums::most_at_once);
  position_ = 0;
  for (std::size_t c = 0; c < streams_.size(); ++c) {
    streams_[c] = share_.streams[c].size() == 0 ? nullptr : share_.streams[c].at(begin_);
  }
  block_ = {};
  block_.iterations = share_.iterations.data() + begin_;
  block_.count = place_ - begin_;
  block_.windows = windows_.data();
  block_.streams = streams_.data();
  block_.parts = share_.parts.data() + begin_;
  sums_.attach(block_);
  clock_->iterations += block_.count;
  return &block_;
}

void wave_execution::thread::failed(std::int64_t iteration, errc code, const char* what) {
  body_.abandon();
  place_ = running() + 1;
  loop_.fail({static_cast<std::uint8_t>(code), what, loop_.at_.self, iteration,
              static_cast<std::uint64_t>(iteration)});
}

/// Ends the ticks of the running iteration, if there is one.
void wave_execution::thread::count_ticks() {
  if (begun_ == 0) return;
  ticks_[share_.parts[running()]] += __builtin_ia32_rdtsc() - begun_;
  begun_ = 0;
}

/// Prefetches elements of an iteration a few places ahead, in this step or a later one.
void wave_execution::thread::reached(std::uint64_t k) {
  if (!ticks_.empty()) {
    count_ticks();
    begun_ = __builtin_ia32_rdtsc();
  }
  if (sums_.size() != 0)
    sums_.reached(k, [&](std::uint64_t at, const std::byte* part) { keep_sums(at, part); });
  constexpr std::uint64_t distance = 4;
  constexpr std::uint64_t most_elements = 16;
  position_ = k;
  const std::uint64_t ahead = running() + distance;
  if (ahead >= share_.set_ends.size()) return;
  const std::uint64_t begin = share_.set_ends[ahead - 1];
  const std::uint64_t end = std::min(share_.set_ends[ahead], begin + most_elements);
  for (std::uint64_t e = begin; e < end; ++e) loop_.prefetch(share_.sets[e]);
}

void wave_execution::thread::begin(std::int64_t j) {
  const std::uint64_t at = running();
  checked_set_.clear();
  for (std::uint64_t k = at == 0 ? 0 : share_.set_ends[at - 1]; k < share_.set_ends[at]; ++k) {
    const std::uint32_t c = loop_.capture_of(share_.sets[k]);
    checked_set_.push_back({share_.sets[k] - loop_.plan_.first_element[c], c, 0});
  }
  body_.begin(j, &checked_set_, 0);
}

/// Elements of the running iteration's accumulator.
void* wave_execution::thread::added(std::uint32_t capture, std::uint64_t first, std::uint64_t n) {
  accumulators& deltas = *loop_.deltas_[capture];
  const std::uint32_t adder = accumulator_of(share_.parts[running()], loop_.frame_.num_accumulators);
  return n == 1 ? deltas.at(adder, first) : deltas.range(adder, first, n);
}

bool wave_execution::thread::is_planned(std::uint32_t element) {
  constexpr std::uint64_t few = 12;
  const std::uint64_t at = running();
  const std::uint32_t* begin = share_.sets.data() + (at == 0 ? 0 : share_.set_ends[at - 1]);
  const std::uint32_t* end = share_.sets.data() + share_.set_ends[at];
  if (static_cast<std::uint64_t>(end - begin) <= few) return std::find(begin, end, element) != end;
  if (large_place_ != at) {
    large_place_ = at;
    large_set_.empty();
    for (const std::uint32_t* e = begin; e != end; ++e) large_set_.add(*e, 0);
  }
  return large_set_.has(element);
}

void* wave_execution::thread::guard::element(std::uint64_t i, abi::access) {
  if (i >= local->size()) local->throw_out_of_range(i, owner->loop_.frame_.name_of(capture));
  if (is_aligned) return owner->share_.streams[capture].at(owner->running());
  if (owner->loop_.deltas_[capture] != nullptr) return owner->added(capture, i, 1);
  if (!written || owner->is_planned(first + static_cast<std::uint32_t>(i))) return local->at(i);
  throw_unplanned_element(i, owner->loop_.frame_.name_of(capture));
}

void* wave_execution::thread::guard::range(std::uint64_t first_one, std::uint64_t n, abi::access how) {
  local->check_range(first_one, n, owner->loop_.frame_.name_of(capture));
  if (n > 0 && owner->loop_.deltas_[capture] != nullptr) return owner->added(capture, first_one, n);
  for (std::uint64_t i = first_one; i < first_one + n; ++i) (void)element(i, how);
  return local->at(first_one);
}

void* wave_execution::thread::guard::add_entry() {
  throw_unplanned_key(owner->loop_.frame_.name_of(capture));
}

}  // namespace stradsap::rt
