#include "runtime/loop/dynamic/dynamic_execution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "runtime/loop/dynamic/update_limit.hpp"

namespace stradsap::rt {

static std::optional<priorities> priorities_of(const abi::iteration_priority* f, const loop_frame& of) {
  if (f == nullptr) return std::nullopt;
  return std::make_optional<priorities>(*f, of.n, of.launch.seed ^ of.launch.number);
}

/// The iterations that the program names, each once.
static std::vector<std::int64_t> first_iterations_of(const schedule::dynamic_schedule& how,
                                                     const loop_frame& f) {
  std::vector<std::int64_t> first;
  if (how.first_iterations() == nullptr) return first;
  if (how.stated_priority() != nullptr) {
    throw error(errc::unsupported,
                fmt::format("{}: schedule::dynamic() takes begin_with() or priority(), not both", f.site));
  }
  std::vector<bool> is_named(static_cast<std::size_t>(f.n));
  for (const std::int64_t j : *how.first_iterations()) {
    if (j < 0 || j >= f.n) {
      throw error(errc::out_of_range,
                  fmt::format("{}: schedule::dynamic().begin_with() names iteration {}, and the loop has {}",
                              f.site, j, f.n));
    }
    if (!is_named[static_cast<std::size_t>(j)]) first.push_back(j);
    is_named[static_cast<std::size_t>(j)] = true;
  }
  return first;
}

static void refuse_two_dependences(const schedule::dynamic_schedule& how, const loop_frame& f) {
  if (!how.by_accesses() || how.dependence() == nullptr) return;
  throw error(
      errc::unsupported,
      fmt::format("{}: schedule::dynamic() takes depends() or depends_on_accesses(), not both", f.site));
}

/// The captures of the containers that the program follows; none if all changes count.
static std::vector<std::uint64_t> followed_captures(const schedule::dynamic_schedule& how,
                                                    const loop_frame& f) {
  std::vector<std::uint64_t> found;
  std::vector<const abi::handle_target*> missing = how.followed();
  for (std::size_t c = 0; c < f.num_captures(); ++c) {
    const bool is_own = f.replicas[c] != nullptr && f.writes_own(c);
    if (is_own && std::erase(missing, f.handles[c]) != 0) found.push_back(c);
  }
  if (missing.empty()) return found;
  throw error(errc::unsupported,
              fmt::format("{}: schedule::dynamic().follow() names a container that the body does not write "
                          "at the loop index, and there only",
                          f.site));
}

/// Whether blocks of the loop may list their iterations.
static bool takes_lists(const loop_frame& f) {
  return f.entry->record != nullptr && f.n <= std::numeric_limits<std::uint32_t>::max();
}

dynamic_execution::dynamic_execution(const loop_frame& f, const std::vector<std::byte*>& partials,
                                     const update_limits& limits, const schedule::dynamic_schedule& how,
                                     const set_options& sets, executor_pool* pool, const set_ranks& ranks)
    : frame_(f),
      first_iterations_(first_iterations_of(how, f)),
      names_first_(how.first_iterations() != nullptr),
      windows_(f),
      priorities_(priorities_of(how.stated_priority(), f)),
      order_(
          f.n, f.launch.seed ^ f.launch.number, limits, [this] { return greatest2(); },
          priorities_ ? &*priorities_ : nullptr),
      written_(written_by(f, followed_captures(how, f), sets.by_accesses())) {
  check_reach(f);
  refuse_two_dependences(how, f);
  for (std::size_t c = 0; c < f.num_captures(); ++c)
    may_grow_ = may_grow_ || (f.replicas[c] != nullptr && f.replicas[c]->keys() != nullptr);
  follow_changes(followed_captures(how, f));
  if (changed_.empty()) {
    throw error(errc::unsupported,
                fmt::format("{}: schedule::dynamic() follows the changes of elements at the loop index, and "
                            "the body writes none: let iteration j write X[j] of some container X, at that "
                            "place only",
                            f.site));
  }
  if (sets.asks_for_sets()) {
    sets_ = std::make_unique<update_sets>(f, partials, written_, sets, order_, *pool, ranks,
                                          /*early=*/how.stated_priority() == nullptr);
  }
  squared_.resize(update_order::most_in_range);
  listed_.resize(update_order::most_in_range);
  if (takes_lists(f)) most_of_sweep_ = update_order::most_in_range;
  block_.windows = windows_.data();
  block_.partials = partials.data();
  block_.continues = true;
  block_.is_whole = true;
}

/// `followed`: captures; empty: all that iterations write at their own index alone.
void dynamic_execution::follow_changes(const std::vector<std::uint64_t>& followed) {
  for (std::size_t c = 0; c < frame_.num_captures(); ++c) {
    if (frame_.replicas[c] == nullptr || !frame_.writes_own(c)) continue;
    if (!followed.empty() && std::find(followed.begin(), followed.end(), c) == followed.end()) continue;
    check_reach(frame_, c);
    const replica& of = *frame_.replicas[c];
    changed_.push_back({c, std::make_unique<kept_elements>(of, update_order::most_in_range)});
  }
}

std::optional<failure> dynamic_execution::run() {
  windows_.open();
  choose_start();
  if (sets_ != nullptr) run_in_sets();
  if (!failure_ && (sets_ == nullptr || !sets_->why_not().empty())) run_one_by_one();
  return std::exchange(failure_, std::nullopt);
}

void dynamic_execution::choose_start() {
  if (priorities_) return;
  if (names_first_) return order_.begin_with(first_iterations_, [this](std::int64_t j) { return norm2(j); });
  const std::vector<std::int64_t> active = not_zero();
  if (!active.empty() && active.size() <= static_cast<std::size_t>(frame_.n / 2)) order_.begin_with(active);
}

void dynamic_execution::run_in_sets() {
  const update_sets::end ended = sets_->run();
  failure_ = ended.failed;
  if (ended.not_finite) refuse_change(*ended.not_finite);
}

void dynamic_execution::run_one_by_one() {
  if (!priorities_) return run_bodies();
  do {  // the program's priorities are asked for when no body runs, so they may read elements
    block_.count = 0;
    run_bodies();
    if (block_.count != 0 && !failure_) note_changes();
  } while (block_.count != 0 && !failure_);
}

void dynamic_execution::run_bodies() {
  const abi::launch_scope now(frame_.launch);
  const poison::running_bodies bodies(windows_.check() != nullptr);
  abi::run_all(frame_.entry->run, frame_.values.data(), *this);
}

const abi::block* dynamic_execution::next() {
  if (priorities_ && block_.count != 0) return nullptr;
  if (block_.count != 0 && !failure_) note_changes();
  if (failure_) return nullptr;
  running_ = order_.next(most_of_sweep_);
  begin_range();
  if (running_.count == 0) return nullptr;
  keep_elements();
  if (may_grow_) windows_.open();
  return &block_;
}

void dynamic_execution::begin_range() {
  block_.begin = running_.member(0).iteration;
  block_.count = static_cast<std::uint64_t>(running_.count);
  block_.in_place = running_.members != nullptr && most_of_sweep_ > 1;
  block_.iterations = block_.in_place ? listed_.data() : nullptr;
  for (std::size_t k = 0; block_.in_place && k < block_.count; ++k)
    listed_[k] = static_cast<std::uint32_t>(running_.members[k].iteration);
}

void dynamic_execution::keep_elements() {
  for (const changed_container& one : changed_) {
    if (block_.in_place) {
      one.before->keep({listed_.data(), block_.count});
    } else {
      one.before->keep(static_cast<std::uint64_t>(block_.begin), block_.count);
    }
  }
}

void dynamic_execution::add_distances() {
  std::fill_n(squared_.begin(), block_.count, 0.0);
  for (const changed_container& one : changed_) {
    if (block_.in_place) {
      one.before->add_distances({listed_.data(), block_.count}, squared_.data());
    } else {
      one.before->add_distances(static_cast<std::uint64_t>(block_.begin), block_.count, squared_.data());
    }
  }
}

void dynamic_execution::note_changes() {
  add_distances();
  for (std::size_t k = 0; k < block_.count; ++k) {
    const candidate one = running_.member(k);
    if (!std::isfinite(squared_[k])) return refuse_change(one.iteration);
    order_.changed(one, squared_[k]);
  }
  if (order_.failed()) failure_ = order_.failed();
  frame_.count(0, block_.count);
}

void dynamic_execution::refuse_change(std::int64_t j) {
  const auto one = static_cast<std::uint64_t>(j);
  const auto bad = std::find_if(changed_.begin(), changed_.end(), [&](const changed_container& c) {
    const replica& of = *frame_.replicas[c.capture];
    double norm2 = 0;
    const poison::opened element(of.at(one), of.ops().size);
    of.ops().add_distances(of.at(one), of.at(one), 1, &norm2);
    return !std::isfinite(norm2);
  });
  const std::string what =
      bad == changed_.end()
          ? "its element was infinite, or not a number, before the update: begin with finite values"
          : fmt::format("its element of `{}` has become infinite, or not a number{}",
                        frame_.name_of(bad->capture), growth_in(order_));
  failure_ = failure{static_cast<std::uint8_t>(errc::body), what, driver_rank, j, 0};
}

/// Calls see(j, norm2) with the squared norm of each element that the body writes.
template <class See> void dynamic_execution::look_at_elements(const See& see) const {
  std::vector<double> squared(update_order::most_in_range);
  for (std::int64_t first = 0; first < frame_.n; first += update_order::most_in_range) {
    const auto n = static_cast<std::size_t>(std::min(update_order::most_in_range, frame_.n - first));
    std::fill_n(squared.begin(), n, 0.0);
    for (const changed_container& one : changed_) {
      const replica& of = *frame_.replicas[one.capture];
      const std::byte* at = of.at(static_cast<std::uint64_t>(first));
      const poison::opened elements(at, n * of.ops().size);
      of.ops().add_distances(at, at, n, squared.data());
    }
    for (std::size_t k = 0; k < n; ++k) see(first + static_cast<std::int64_t>(k), squared[k]);
  }
}

/// The squared norm of the elements that iteration j writes.
double dynamic_execution::norm2(std::int64_t j) const {
  double sum = 0;
  for (const changed_container& one : changed_) {
    const replica& of = *frame_.replicas[one.capture];
    const std::byte* at = of.at(static_cast<std::uint64_t>(j));
    const poison::opened element(at, of.ops().size);
    of.ops().add_distances(at, at, 1, &sum);
  }
  return sum;
}

double dynamic_execution::greatest2() const {
  double greatest = 0;
  look_at_elements([&](std::int64_t, double norm2) { greatest = std::max(greatest, norm2); });
  return greatest;
}

std::vector<std::int64_t> dynamic_execution::not_zero() const {
  std::vector<std::int64_t> found;
  look_at_elements([&](std::int64_t j, double norm2) {
    if (norm2 != 0) found.push_back(j);
  });
  return found;
}

void dynamic_execution::failed(std::int64_t iteration, errc code, const char* what) {
  if (windows_.check() != nullptr) windows_.check()->abandon();
  failure_ = failure{static_cast<std::uint8_t>(code), what, driver_rank, iteration, 0};
}

}  // namespace stradsap::rt
