#include "runtime/loop/access/iteration_check.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/log.hpp"

namespace stradsap::rt {

bool is_checked(const loop_frame& f) { return (f.entry->flags & abi::checked_build) != 0; }

/// Stands between a view and its source.
struct iteration_check::watcher final : abi::element_source {
  void* element(std::uint64_t i, abi::access how) override {
    refuse_stray(i, how);
    void* at = source->element(i, how);
    owner->poisoned_.asked(capture, i, 1, at);
    note(i, 1, static_cast<std::byte*>(at), how);
    return at;
  }
  void* range(std::uint64_t first, std::uint64_t n, abi::access how) override {
    const replica& local = *owner->frame_.replicas[capture];
    local.check_range(first, n, owner->frame_.name_of(capture));
    for (std::uint64_t i = first; i < first + n; ++i) refuse_stray(i, how);
    auto* at = static_cast<std::byte*>(source->range(first, n, how));
    owner->poisoned_.asked(capture, first, n, at);
    note(first, n, at, how);
    return at;
  }
  void* add_entry() override {
    if (may_insert) return added();
    owner->stop(abi::current_access,
                fmt::format("inserts a key into `{}`, which its read and write sets do not "
                            "hold",
                            owner->frame_.name_of(capture)));
  }

  [[nodiscard]] void* added() {
    void* at = source->add_entry();
    owner->poisoned_.asked(capture, owner->frame_.replicas[capture]->size() - 1, 1, at);
    return at;
  }
  void note(std::uint64_t first, std::uint64_t n, const std::byte* at, abi::access how) const {
    if (is_added() || owner->is_hot(capture, first)) return;  // additions do not conflict
    if (!owner->frame_.writes(capture)) return owner->remember(capture, first, n, at);  // nor do reads
    const std::size_t size = owner->frame_.replicas[capture]->ops().size;
    for (std::uint64_t k = 0; k < n; ++k, at += size) {
      if (owner->log_ != nullptr) owner->log_->touched(capture, first + k, at, how == abi::access::write);
      if (owner->assignments_ != nullptr) owner->assignments_->touched(capture, first + k, at);
    }
  }
  [[nodiscard]] bool is_added() const { return owner->frame_.uses[capture] == usage::accumulated; }
  void refuse_stray(std::uint64_t i, abi::access how) const {
    if (is_added() && how == abi::access::read && !owner->frame_.reads_accumulators(capture)) {
      owner->stop(abi::current_access, fmt::format("reads element {} of `{}`, which the loop only adds into",
                                                   i, owner->frame_.name_of(capture)));
    }
    if (owner->may_touch(capture, i)) return;
    owner->stop(abi::current_access,
                fmt::format("touches element {} of `{}`, which its read and write sets do not hold", i,
                            owner->frame_.name_of(capture)));
  }

  iteration_check* owner = nullptr;
  std::uint32_t capture = 0;
  abi::element_source* source = nullptr;
  bool may_insert = false;
};

iteration_check::iteration_check(const loop_frame& frame) : frame_(frame), poisoned_(frame) {
  for (std::size_t c = 0; c < frame.num_captures(); ++c) {
    auto made = std::make_unique<watcher>();
    made->owner = this;
    made->capture = static_cast<std::uint32_t>(c);
    watchers_.push_back(std::move(made));
  }
}

iteration_check::~iteration_check() = default;

void iteration_check::watch(std::size_t capture, abi::window& view) {
  view.count = view.readable = 0;  // so that every access asks the source
  watcher& between = *watchers_[capture];
  if (view.source == &between) return;
  between.source = std::exchange(view.source, &between);
  between.may_insert = std::exchange(view.may_insert, true);
}

void iteration_check::begin(std::int64_t j, const std::vector<touch>* set) {
  iteration_ = j;
  set_ = set;
  last_asked_ = 0;
  seen_.clear();
  poisoned_.begin(j, set);
}

void iteration_check::end() {
  if (assignments_ != nullptr) assignments_->end(iteration_);
  for (const seen_elements& one : seen_) {
    const std::uint64_t changed = first_change(one);
    if (changed == one.n) continue;
    stop(one.where, fmt::format("changes element {} of `{}`, which the loop only reads", one.first + changed,
                                frame_.name_of(one.capture)));
  }
  poisoned_.end();
}

/// Bodies mostly access elements in the order of their set, so the search starts at the last hit.
bool iteration_check::is_in_set(const touch& wanted) {
  const auto last = set_->begin() + static_cast<std::ptrdiff_t>(last_asked_);
  auto at = std::find(last, set_->end(), wanted);
  if (at == set_->end()) at = std::find(set_->begin(), last, wanted);
  if (at == last && (last == set_->end() || !(*last == wanted))) return false;
  last_asked_ = static_cast<std::size_t>(at - set_->begin());
  return true;
}

/// An element beyond the container is no stray access: its source throws, as in every build.
bool iteration_check::may_touch(std::uint32_t capture, std::uint64_t element) {
  if (element >= frame_.replicas[capture]->size()) return true;
  switch (frame_.uses[capture]) {
    case usage::aligned_read:
    case usage::aligned_write:
      return element == static_cast<std::uint64_t>(iteration_);
    case usage::owned:
      return set_ == nullptr || is_hot(capture, element) || is_in_set(touch{element, capture, 0});
    case usage::accumulated:
    case usage::read:
    case usage::none:
      return true;
  }
  return true;
}

void iteration_check::remember(std::uint32_t capture, std::uint64_t first, std::uint64_t n,
                               const std::byte* at) {
  const auto known = std::find_if(seen_.begin(), seen_.end(), [&](const seen_elements& one) {
    return one.capture == capture && one.first <= first && first + n <= one.first + one.n;
  });
  if (known != seen_.end()) {
    known->where = abi::current_access;
  } else {
    seen_.push_back({capture, first, n, at, bytes_of(capture, at, n), abi::current_access});
  }
}

/// The place of the first changed element among them; `n` if none has changed.
std::uint64_t iteration_check::first_change(const seen_elements& of) const {
  if (bytes_of(of.capture, of.at, of.n) == of.before) return of.n;
  const std::size_t size = frame_.replicas[of.capture]->ops().size;
  const std::byte* before = of.before.data();
  const std::byte* const end = before + of.before.size();
  for (std::uint64_t k = 0; k < of.n; ++k) {
    const bytes now = bytes_of(of.capture, of.at + k * size, 1);
    if (static_cast<std::ptrdiff_t>(now.size()) > end - before || !std::equal(now.begin(), now.end(), before))
      return k;
    before += now.size();
  }
  return of.n;
}

bytes iteration_check::bytes_of(std::uint32_t capture, const std::byte* at, std::uint64_t n) const {
  bytes out;
  abi::writer to(out);
  frame_.replicas[capture]->ops().write(at, n, to);
  return out;
}

/// Ends the program with one line in the form of compilers' errors. If the access has no known place, the
/// line names the loop's.
void iteration_check::stop(const abi::access_place& where, const std::string& what) const {
  const std::string place = where.line == 0 ? frame_.site : fmt::format("{}:{}", where.file, where.line);
  stop_check(fmt::format("{}: error: iteration {} {}", place, iteration_, what));
}

}  // namespace stradsap::rt
