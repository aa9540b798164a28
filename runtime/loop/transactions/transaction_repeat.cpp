#include "runtime/loop/transactions/transaction_repeat.hpp"

#include <bit>
#include <utility>

#include "runtime/dds/element_copies.hpp"
#include "runtime/loop/run/body_copy.hpp"

namespace stradsap::rt {

transaction_repeat::transaction_repeat(const loop_frame& f, transaction_round& round, round_changes& changes)
    : frame_(f),
      round_(round),
      changes_(changes),
      sources_(f.num_captures()),
      windows_(f.num_captures()),
      is_noted_(f.num_captures()),
      scratch_(f.num_captures()) {
  if (is_checked(f)) check_ = std::make_unique<iteration_check>(f);
  if (f.logs_accesses) log_ = std::make_unique<transaction_log>(f, round.versions);
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.replicas[c] == nullptr) continue;
    const transaction_role as = role_of(f, c);
    is_noted_[c] = as == transaction_role::shared || (log_ != nullptr && as == transaction_role::own);
    sources_[c].owner = this;
    sources_[c].capture = static_cast<std::uint32_t>(c);
    scratch_[c] = std::make_unique<scratch_pool>(f.replicas[c]->ops());
    windows_[c] = f.replicas[c]->window_through(sources_[c]);
    windows_[c].may_insert = true;
  }
  block_.count = 1;
  block_.windows = windows_.data();
}

transaction_repeat::~transaction_repeat() = default;

std::optional<failure> transaction_repeat::run(std::int64_t iteration,
                                               const std::vector<std::byte*>& partials) {
  block_.begin = iteration;
  block_.partials = partials.data();
  is_given_ = false;
  known_.empty();
  if (log_ != nullptr) log_->begin_round();
  open_windows();
  {
    const abi::launch_scope now(frame_.launch);
    const poison::running_bodies bodies(check_ != nullptr);
    run_copy(frame_, body_copy::movable, *this);
  }
  end_iteration();
  return std::exchange(failure_, std::nullopt);
}

const abi::block* transaction_repeat::next() { return std::exchange(is_given_, true) ? nullptr : &block_; }

void transaction_repeat::failed(std::int64_t iteration, errc code, const char* what) {
  if (check_ != nullptr) check_->abandon();
  failure_ = failure{static_cast<std::uint8_t>(code), what, driver_rank, iteration, 0};
}

void transaction_repeat::open_windows() {
  for (std::size_t c = 0; c < windows_.size(); ++c) {
    if (frame_.replicas[c] == nullptr) continue;
    windows_[c].size = frame_.replicas[c]->size();
    windows_[c].count = windows_[c].readable = is_noted_[c] ? 0 : windows_[c].size;
    if (check_ != nullptr) check_->watch(c, windows_[c]);
  }
}

void* transaction_repeat::note(std::uint32_t capture, std::uint64_t i, abi::access how) {
  replica& local = *frame_.replicas[capture];
  if (i >= local.size()) local.throw_out_of_range(i, frame_.name_of(capture));
  if (!is_noted_[capture]) return local.at(i);
  const poison::opened original(local.at(i), local.ops().size);
  const bool writes = how == abi::access::write;
  const touch what{i, capture, 0};
  const auto next = static_cast<std::uint32_t>(noted_.size());
  const std::uint32_t place = known_.add(std::bit_cast<std::uint64_t>(what), next);
  const bool is_first = place == next;
  if (is_first) noted_.push_back({what, nullptr, false});
  noted& one = noted_[place];
  if (writes && one.before == nullptr && !one.is_new && frame_.writes(capture)) {
    std::byte* const copy = scratch_[capture]->take();
    copy_element(local.ops(), copy, local.at(i));  // or the constructor throws
    one.before = copy;
  }
  if (log_ != nullptr) is_first ? log_->found(place, what, local.at(i), writes) : log_->again(place, writes);
  return local.at(i);
}

void* transaction_repeat::note_range(std::uint32_t capture, std::uint64_t first, std::uint64_t n,
                                     abi::access how) {
  const replica& local = *frame_.replicas[capture];
  local.check_range(first, n, frame_.name_of(capture));
  for (std::uint64_t i = first; i < first + n; ++i) (void)note(capture, i, how);
  return local.at(first);
}

void* transaction_repeat::add_entry(std::uint32_t capture) {
  auto* const at = static_cast<std::byte*>(frame_.handles[capture]->add_entry());
  const replica& local = *frame_.replicas[capture];
  const std::uint64_t i = local.size() - 1;
  changes_.has_new_keys[capture] = true;
  const touch what{i, capture, 0};
  const auto next = static_cast<std::uint32_t>(noted_.size());
  (void)known_.add(std::bit_cast<std::uint64_t>(what), next);
  noted_.push_back({what, nullptr, /*is_new=*/true});
  if (log_ == nullptr) return at;
  round_.versions[capture].resize(local.size());
  new_states_.push_back({capture, i, {hash_of(local, at)}});
  log_->found(next, what, at, /*writes=*/true);
  return at;
}

void transaction_repeat::end_iteration() {
  if (log_ != nullptr) log_->stands(block_.begin, 0);
  for (std::size_t k = 0; k < noted_.size(); ++k) {
    const touch what = noted_[k].what;
    const bool changed = end_note(noted_[k]);
    if (changed) (void)changes_.elements.add(std::bit_cast<std::uint64_t>(what), 0);
    if (log_ == nullptr) continue;
    log_->left(k, what, frame_.replicas[what.capture]->at(what.element), changed);
    log_->stands(k, what);
  }
  noted_.clear();
  for (const auto& pool : scratch_) {
    if (pool != nullptr) pool->reset();
  }
}

/// Whether the iteration has changed the element.
bool transaction_repeat::end_note(noted& one) {
  if (one.is_new) return true;
  if (one.before == nullptr) return false;
  const replica& local = *frame_.replicas[one.what.capture];
  const bool changed = differ(local.ops(), one.before, local.at(one.what.element));
  local.ops().destroy(one.before, 1);
  return changed;
}

access_log transaction_repeat::take_log() {
  if (log_ == nullptr) return {};
  access_log kept = log_->take();
  kept.start = std::move(new_states_);
  return kept;
}

}  // namespace stradsap::rt
