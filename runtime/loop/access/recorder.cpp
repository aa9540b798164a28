#include "runtime/loop/access/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/upper_halves.hpp"
#include "runtime/loop/launch/recorded_failures.hpp"

namespace stradsap::rt {

/// Sets of at most this many touches keep their repetitions. Searching for them would cost more.
static constexpr std::size_t few = 4;
/// In sets of at most this many touches, each is compared with each.
static constexpr std::size_t quickly_compared = 16;
/// Names of single iterations that wait in the log.
static constexpr std::size_t most_named = 512;
/// Names that wait for a comparison with the elements of earlier iterations; about.
static constexpr std::uint64_t compared_at_once = 2048;
/// Iterations with names that wait.
static constexpr std::uint64_t most_logged = 256;
/// Iterations that get copies of their elements at the loop's index at once.
static constexpr std::int64_t most_copied = 64;

/// No range has this unit, so a listing passes each of them to divide().
static constexpr std::uint64_t larger_than_any = std::uint64_t{1} << 63;

namespace {
/// Thrown when a unit shrinks: touches so far were recorded in the larger one and must be recorded again.
struct smaller_units {};
/// Thrown at the end of an iteration that touches an element at or before the last one of those before it.
struct no_stretch {};
}  // namespace

bool may_record_stretches(const loop_frame& f) {
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    if (f.uses[c] != usage::owned) continue;
    if ((f.entry->captures[c].mode & abi::listed) == 0 || f.replicas[c]->keys() != nullptr) return false;
  }
  return true;
}

recorder::recorder(const loop_frame& frame, copy_service& copies, recorded what)
    : frame_(frame),
      copies_(copies),
      what_(what),
      windows_(frame.num_captures()),
      running_(frame.num_captures()) {
  for (std::size_t c = 0; c < frame.num_captures(); ++c) {
    captures_.push_back(std::make_unique<source>());
    captures_[c]->owner = this;
    captures_[c]->capture = static_cast<std::uint32_t>(c);
    if (frame.replicas[c] != nullptr) open_window(c);
  }
  open_log();
}

void recorder::open_window(std::size_t c) {
  const replica& local = *frame_.replicas[c];
  source& s = *captures_[c];
  s.scratch = std::make_unique<scratch_pool>(local.ops());
  s.all_held = local.all_held();
  if (frame_.uses[c] == usage::owned && local.keys() != nullptr) {
    s.pending = local.keys()->fresh();
  } else if (frame_.uses[c] == usage::owned && (frame_.entry->captures[c].mode & abi::listed) != 0) {
    s.listed = {&log_, local.size(), std::bit_cast<std::uint64_t>(touch{0, c, 0}), s.scratch->take()};
  } else if (is_added(c) && (frame_.entry->captures[c].mode & abi::listed) != 0) {
    s.listed = {&log_, 0, 0, s.scratch->take()};  // with size 0, names leave no touch
  }
  windows_[c] = local.window_through(s);
  if (s.listed.element != nullptr) show_places(c);
  const bool asks_for_ranges = (frame_.entry->captures[c].mode & abi::ranges) != 0;
  const bool is_vector = local.keys() == nullptr && frame_.uses[c] == usage::owned;
  s.listed.unit = asks_for_ranges && is_vector ? 0 : 1;
  const bool needs_order = asks_for_ranges || (frame_.entry->captures[c].mode & abi::ordered) != 0;
  if (needs_order && frame_.writes(c) && s.listed.element == nullptr) {
    s.beside = address_range(local.size() * local.ops().size);
    windows_[c].base = s.beside.base();
  }
  windows_[c].pending = s.pending.get();
  windows_[c].only_records = true;
  // The planner has fetched the containers that the loop only reads. They need no record.
  if (!frame_.writes(c)) windows_[c].count = windows_[c].readable = local.size();
}

/// Lets views name the entries of maps that the inspector never reads: all keys have one entry, which takes
/// the inspector's writes. It needs a key of the map, so the first iteration gets copies. The sets are the
/// same as by copies.
void recorder::name_keys() {
  for (std::uint32_t c = 0; c < windows_.size(); ++c) {
    source& s = *captures_[c];
    const bool may_name = s.pending != nullptr && (frame_.entry->captures[c].mode & abi::listed) != 0;
    if (!may_name || s.listed.element != nullptr) continue;
    if (s.pending->size() == 0 && frame_.replicas[c]->keys()->size() == 0) continue;
    const std::uint64_t all = ~std::uint64_t{0};  // a key is never out of range
    s.listed = {&log_, all, std::bit_cast<std::uint64_t>(touch{0, c, 0}), s.scratch->take()};
    named_maps_.push_back(c);
  }
  if (named_maps_.empty()) return;
  for (const std::uint32_t c : named_maps_) construct_entry(c);
  // a log finds rows of a dvector, and whether the first iteration has a key depends on who records it
  bool has_vectors = false;
  for (std::size_t c = 0; c < windows_.size(); ++c)
    has_vectors = has_vectors || (frame_.uses[c] == usage::owned && captures_[c]->pending == nullptr);
  if (log == nullptr && !has_vectors) open_log();
}

void recorder::construct_entry(std::uint32_t c) {
  const abi::key_index& from =
      captures_[c]->pending->size() != 0 ? *captures_[c]->pending : *frame_.replicas[c]->keys();
  from.construct_entry(0, captures_[c]->listed.element);
}

/// The inspector may have filled them.
void recorder::renew_entries() {
  for (const std::uint32_t c : named_maps_) {
    frame_.replicas[c]->ops().destroy(captures_[c]->listed.element, 1);
    construct_entry(c);
  }
}

/// If the inspector compares addresses of elements, gives each an address of its own, which nobody reads.
void recorder::show_places(std::size_t c) {
  const replica& local = *frame_.replicas[c];
  if ((frame_.entry->captures[c].mode & abi::compared) == 0 || local.keys() != nullptr) return;
  source& s = *captures_[c];
  s.places = address_range((local.size() + 1) * local.ops().size);
  s.listed.element = s.places.base();
  s.listed.step = local.ops().size;
}

/// Opens the log if the inspector only names elements of all containers written at computed places. Views
/// then write element numbers into it without a call.
void recorder::open_log() {
  for (std::size_t c = 0; c < windows_.size(); ++c) {
    if (is_scattered(c) && captures_[c]->listed.element == nullptr) return;
  }
  named_.resize(most_named);
  ends_.resize(most_logged);
  log_ = {named_.data(), named_.data() + named_.size(), named_.data(),
          ends_.data(),  ends_.data() + most_logged,    this};
  for (std::size_t c = 0; c < windows_.size(); ++c) {
    if (!is_scattered(c)) continue;
    windows_[c].listed = &captures_[c]->listed;
    listings_.push_back(&captures_[c]->listed);
    if (frame_.uses[c] != usage::owned || frame_.replicas[c]->keys() != nullptr) continue;
    captures_[c]->listed.unit = what_ == recorded::touches ? 0 : larger_than_any;
  }
  log = &log_;
}

recorder::~recorder() {
  drop_aligned();
  for (const std::uint32_t c : named_maps_)
    frame_.replicas[c]->ops().destroy(captures_[c]->listed.element, 1);
}

/// The first iteration nearly always tells the units, and an exception is slow. It also tells which elements
/// at the loop's index are needed.
void recorder::run(std::int64_t begin, std::int64_t end) {
  if (end - begin > 1) repeat(1, [&] { record(begin, begin + 1); });
  name_keys();
  repeat(end - begin, [&] { record(begin, end); });
}

void recorder::run_each(std::int64_t count, const std::function<std::int64_t(std::int64_t)>& which) {
  repeat(count, [&] {
    for (std::int64_t k = 0; k < count && !is_void_; ++k) {
      const std::int64_t j = which(k);
      record(j, j + 1);
      const bool is_full = log != nullptr && log_.next > log_.first + most_named;
      if (is_full && !is_void_) take();
    }
  });
}

bool recorder::follow(std::int64_t begin, std::int64_t end, stretch_run& to) {
  followed_ = &to;
  running_.clear();
  drop_names();
  bool follows = true;
  try {
    record(begin, end);
  } catch (const no_stretch&) {
    follows = false;
  }
  followed_ = nullptr;
  return follows;
}

bool recorder::keep_apart(std::int64_t begin, std::int64_t end, met_elements& to) {
  met_ = &to;
  bool are_apart = true;
  try {
    run(begin, end);
    are_apart = num_recorded_failures() == failures_before_;
  } catch (const iterations_meet&) {
    are_apart = false;
  }
  met_ = nullptr;
  return are_apart;
}

void recorder::add_met(std::span<const std::uint64_t> touches, std::span<const std::uint32_t> ends) {
  std::vector<std::uint64_t>& units = met_units_;
  units.clear();
  for (const auto& one : captures_) units.push_back(std::max<std::uint64_t>(1, one->listed.unit));
  met_->add(touches, ends, units);
}

void recorder::repeat(std::int64_t count, const std::function<void()>& record_all) {
  do {
    is_void_ = false;
    result_ = {};
    if (met_ != nullptr) met_->clear();
    failures_before_ = num_recorded_failures();
    drop_aligned();
    result_.expect(static_cast<std::uint64_t>(count));
    record_all();
    if (is_void_) {
      drop_iteration();
    } else if (log != nullptr) {
      take();
    }
  } while (is_void_);
}

void recorder::record(std::int64_t begin, std::int64_t end) {
  const abi::launch_scope now(frame_.launch);
  is_alone_ = end - begin == 1;
  try {
    while (begin < end) {
      const std::int64_t next = copied_.empty() ? end : std::min(end, begin + most_copied);
      for (const std::size_t c : copied_) copy_aligned(c, begin, next);
      frame_.entry->record(frame_.values.data(), windows_.data(), begin, next, *this);
      begin = next;
    }
  } catch (const smaller_units&) {
  }
  clear_upper_halves();
}

/// Opens the window of capture c on copies of its elements [begin, end), as far as there are any.
void recorder::copy_aligned(std::size_t c, std::int64_t begin, std::int64_t end) {
  const replica& local = *frame_.replicas[c];
  source& from = *captures_[c];
  const auto first = static_cast<std::uint64_t>(begin);
  const std::uint64_t last = std::min(static_cast<std::uint64_t>(end), local.size());
  if (first >= last) return;
  for (std::uint64_t i = first; !from.all_held && i < last; ++i) copies_.ensure(*frame_.replicas[c], i);
  from.copies.resize(most_copied * local.ops().size);
  std::memcpy(from.copies.data(), local.at(first), (last - first) * local.ops().size);
  windows_[c].base = from.copies.data() - first * local.ops().size;
  windows_[c].lo = first;
  windows_[c].count = windows_[c].readable = last - first;
}

void recorder::drop_iteration() {
  this->end();
  touches_.clear();
  if (log != nullptr) drop_names();
}

void recorder::drop_names() {
  for (abi::listing* const one : listings_) one->drop_runs();
  log_.next = named_.data();
  log_.next_iteration = ends_.data();
}

void recorder::close_runs() {
  for (abi::listing* const one : listings_) one->close_runs();
  if (followed_ != nullptr) end_stretches();
}

/// The iteration ends. Stretches are all that is kept of it.
void recorder::end_stretches() {
  drop_names();
  if (!followed_->append(running_)) throw no_stretch{};
  running_.clear();
}

/// Sets the unit to the greatest common divisor of the old unit, `first` and `n`. If touches were recorded in
/// another way so far, they are void.
void recorder::divide_unit(std::uint32_t capture, std::uint64_t first, std::uint64_t n) {
  std::uint64_t& unit = captures_[capture]->listed.unit;
  const bool was_used = unit != 0;
  unit = std::gcd(std::gcd(first, n), unit);
  // single elements are named at once, not at the end of their iteration: in another order
  if (!was_used && unit != 1) return;
  is_void_ = true;
  if (!is_alone_) throw smaller_units{};
}

void recorder::divide(std::uint64_t tag, std::uint64_t first, std::uint64_t n) {
  const auto capture = static_cast<std::uint32_t>(std::bit_cast<touch>(tag).capture);
  followed_ == nullptr ? divide_unit(capture, first, n) : running_.touch(capture, first, first + n);
}

void recorder::make_room() {
  const auto used = static_cast<std::size_t>(log_.next - log_.first);
  named_.resize(2 * named_.size());
  log_.first = named_.data();
  log_.next = named_.data() + used;
  log_.end = named_.data() + named_.size();
}

void recorder::take() {
  if (!named_maps_.empty()) {
    renew_entries();
    if (most_names() > 1)
      compact_names([&](std::span<std::uint64_t> names) { return drop_repeated_keys(names); });
  }
  const std::span<const std::uint32_t> ends(ends_.data(), log_.next_iteration);
  if (met_ != nullptr) {
    const std::span<const std::uint64_t> names(log_.first, log_.next);
    add_met(names, ends);
    const std::uint64_t each = names.size() / std::max<std::size_t>(1, ends.size());
    log_.last_iteration =
        ends_.data() + std::clamp<std::uint64_t>(compared_at_once / (each + 1), 1, most_logged);
    log_.next = named_.data();
    log_.next_iteration = ends_.data();
    return;
  }
  const auto add_rows = [&] { return result_.add_rows({log_.first, log_.next}, ends); };
  const bool are_rows = !result_.may_repeat() && add_rows();
  if (!are_rows) drop_repeated_names();
  if (!are_rows && !add_rows()) {
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends) {
      for (; begin < end; ++begin) touches_.push_back(std::bit_cast<touch>(named_[begin]));
      result_.add(touches_);
      touches_.clear();
    }
  }
  log_.next = named_.data();
  log_.next_iteration = ends_.data();
}

void recorder::begin(std::int64_t) {}

void recorder::end() {
  if (!named_maps_.empty()) {
    renew_entries();
    touches_.resize(drop_repeated_keys(std::span(touches_)));
  }
  for (const lent& l : lent_) {
    const std::size_t c = l.what.capture;
    captures_[c]->forget(l.what.element);
    if (l.at != nullptr) {
      frame_.replicas[c]->ops().destroy(l.at, 1);
      captures_[c]->scratch->reset();
    }
    const std::uint64_t unit = std::max<std::uint64_t>(1, captures_[c]->listed.unit);
    const bool begins_unit = l.what.pending_key != 0 || l.what.element % unit == 0;
    if (l.is_there && frame_.uses[c] == usage::owned && begins_unit) touches_.push_back(l.what);
  }
  if (!lent_.empty()) {
    lent_.clear();
    known_.empty();
  }
  followed_ == nullptr ? add_touches() : end_stretches();
}

void recorder::add_touches() {
  if (met_ != nullptr) {
    met_touches_.clear();
    for (const touch& t : touches_) met_touches_.push_back(std::bit_cast<std::uint64_t>(t));
    const auto end = static_cast<std::uint32_t>(met_touches_.size());
    if (!is_void_) add_met(met_touches_, {&end, 1});
  } else {
    touches_.resize(drop_repeated(std::span(touches_)));
    result_.add(touches_);
  }
  touches_.clear();
}

/// Moves the first of equal touches of one iteration to the front, in their order. Returns their number.
template <class Touch> std::size_t recorder::drop_repeated(std::span<Touch> touches) {
  if (touches.size() <= few) return touches.size();
  const auto number = [](const Touch& t) { return std::bit_cast<std::uint64_t>(t); };
  const auto does_not_rise = [&](const Touch& a, const Touch& b) { return number(a) >= number(b); };
  if (std::adjacent_find(touches.begin(), touches.end(), does_not_rise) == touches.end())
    return touches.size();
  std::uint32_t kept = 0;
  if (touches.size() <= quickly_compared) {
    for (const Touch& t : touches) {
      const auto equals = [&](const Touch& other) { return number(other) == number(t); };
      if (std::none_of(touches.begin(), touches.begin() + kept, equals)) touches[kept++] = t;
    }
    return kept;
  }
  for (const Touch& t : touches) {
    if (known_.add(number(t), kept) == kept) touches[kept++] = t;
  }
  known_.empty();
  return kept;
}

/// Keeps the names that one(names) moves to the front, for each iteration in the log.
template <class One> void recorder::compact_names(const One& one) {
  std::uint64_t* to = named_.data();
  std::uint32_t begin = 0;
  for (std::uint32_t* end = ends_.data(); end != log_.next_iteration; ++end) {
    const std::span names(named_.data() + begin, *end - begin);
    begin = *end;
    const std::size_t kept = one(names);
    if (to != names.data()) std::copy_n(names.begin(), kept, to);
    to += kept;
    *end = static_cast<std::uint32_t>(to - named_.data());
  }
  log_.next = to;
}

/// The most names of an iteration in the log.
std::uint32_t recorder::most_names() const {
  std::uint32_t most = 0;
  std::uint32_t last = 0;
  for (const std::uint32_t* end = ends_.data(); end != log_.next_iteration; last = *end++)
    most = std::max(most, *end - last);
  return most;
}

/// Compares only touches of one iteration, so its set does not depend on the other iterations in the log.
void recorder::drop_repeated_names() {
  if (most_names() <= few) return;
  compact_names([&](std::span<std::uint64_t> names) { return drop_repeated(names); });
}

/// An entry that is copied is touched once, so one that is only named is, too.
template <class Touch> std::size_t recorder::drop_repeated_keys(std::span<Touch> touches) {
  const auto number = [](const Touch& t) { return std::bit_cast<std::uint64_t>(t); };
  if (touches.size() == 2 && number(touches[0]) != number(touches[1])) return 2;  // often a key of each map
  const bool is_long = touches.size() > quickly_compared;
  std::size_t kept = 0;
  for (const Touch& t : touches) {
    const auto equals = [&](const Touch& other) { return number(other) == number(t); };
    const bool is_key = captures_[std::bit_cast<touch>(t).capture]->pending != nullptr;
    const bool repeats =
        is_key &&
        (is_long ? known_.has(number(t))
                 : std::any_of(touches.begin(), touches.begin() + static_cast<std::ptrdiff_t>(kept), equals));
    if (is_key && is_long) (void)known_.add(number(t), 0);
    if (!repeats) touches[kept++] = t;
  }
  if (is_long) known_.empty();
  return kept;
}

void* recorder::note(std::uint32_t capture, std::uint64_t i) {
  if (captures_[capture]->listed.unit != 1 && i < frame_.replicas[capture]->size())
    divide_unit(capture, i, 1);
  return lend_element(capture, i);
}

static bool is_plain(const abi::element_ops& ops) {
  return ops.own.copy == nullptr && ops.own.destroy == nullptr &&
         ops.align <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
}

/// The inspector may change its copy, but an element at the loop's index belongs to one iteration.
void* recorder::lend_aligned(source& from, std::uint64_t i) {
  replica& local = *frame_.replicas[from.capture];
  if (from.aligned_at == i) return from.aligned_copy;
  if (from.aligned_copy == nullptr) {
    from.aligned_copy = from.scratch->take();
    if (is_plain(local.ops()) && from.beside.size() == 0) copied_.push_back(from.capture);
  }
  if (from.aligned_at != none) local.ops().destroy(from.aligned_copy, 1);
  from.aligned_at = none;
  if (!from.all_held) copies_.ensure(local, i);
  local.ops().copy(from.aligned_copy, local.at(i));
  from.aligned_at = i;
  return from.aligned_copy;
}

void recorder::drop_aligned() {
  for (std::size_t c = 0; c < captures_.size(); ++c) {
    if (std::exchange(captures_[c]->aligned_at, none) != none)
      frame_.replicas[c]->ops().destroy(captures_[c]->aligned_copy, 1);
  }
}

void* recorder::lend_element(std::uint32_t capture, std::uint64_t i) {
  const bool pending_key = captures_[capture]->pending != nullptr && (i & abi::pending_bit) != 0;
  const replica& local = *frame_.replicas[capture];
  if (!pending_key && i >= local.size()) {
    if ((frame_.entry->flags & abi::overshoots) != 0) return lend_nothing(capture);
    local.throw_out_of_range(i, frame_.name_of(capture));
  }
  if (!pending_key && frame_.is_aligned(capture)) return lend_aligned(*captures_[capture], i);
  const touch what{pending_key ? i & ~abi::pending_bit : i, capture, pending_key ? 1u : 0u};
  const auto next = static_cast<std::uint32_t>(lent_.size());
  const std::uint32_t place = known_.add(std::bit_cast<std::uint64_t>(what), next);
  if (place == next) lent_.push_back({what, nullptr});
  if (lent_[place].at == nullptr) lent_[place].at = lend(*captures_[capture], what);
  if (!pending_key) captures_[capture]->remember(i, lent_[place].at);
  return lent_[place].at;
}

void* recorder::name_range(const abi::listing& from, std::uint64_t begin, std::uint64_t n) {
  const std::uint64_t end = begin + std::min(n, from.size - std::min(begin, from.size));
  if (begin == end) return from.address(begin);
  if (followed_ != nullptr) {
    divide(from.tag, begin, end - begin);
    return from.address(begin);
  }
  if (from.unit == 0 || begin % from.unit != 0 || (end - begin) % from.unit != 0)
    divide(from.tag, begin, end - begin);
  for (std::uint64_t i = begin; i < end; i += from.unit)
    touches_.push_back(std::bit_cast<touch>(from.tag | i));
  return from.address(begin);
}

/// Copies lie at the same distances as their originals, so a body may compare pointers to two elements.
void* recorder::note_range(std::uint32_t capture, std::uint64_t begin, std::uint64_t n) {
  frame_.replicas[capture]->check_range(begin, n, frame_.name_of(capture));
  const std::uint64_t unit = captures_[capture]->listed.unit;
  if (n != 0 && (unit == 0 || begin % unit != 0 || n % unit != 0)) divide_unit(capture, begin, n);
  for (std::uint64_t i = begin; i < begin + n; ++i) (void)lend_element(capture, i);
  return captures_[capture]->beside.base() + begin * frame_.replicas[capture]->ops().size;
}

/// A slice may name an element beyond the container where the body would not; it gets a new element. If the
/// body itself accesses it, that access throws.
std::byte* recorder::lend_nothing(std::uint32_t capture) {
  std::byte* at = captures_[capture]->scratch->take();
  frame_.replicas[capture]->ops().construct(at, 1);
  lent_.push_back({touch{0, capture, 0}, at, /*is_there=*/false});
  return at;
}

std::byte* recorder::lend(const source& from, const touch& what) {
  replica& local = *frame_.replicas[what.capture];
  if (!what.pending_key && !from.all_held && !is_added(what.capture)) copies_.ensure(local, what.element);
  std::byte* at =
      from.beside.size() != 0 ? from.beside.base() + what.element * local.ops().size : from.scratch->take();
  if (what.pending_key) {
    from.pending->construct_entry(what.element, at);
  } else {
    local.ops().copy(at, local.at(what.element));
  }
  return at;
}

}  // namespace stradsap::rt
