#include "runtime/loop/launch/launch_request.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "runtime/loop/launch/registry.hpp"

namespace stradsap::rt {

namespace {
struct memory_range {
  const void* first = nullptr;
  std::size_t size_bytes = 0;

  [[nodiscard]] bool overlaps(const memory_range& other) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(first);
    const auto others = reinterpret_cast<std::uintptr_t>(other.first);
    return begin < others + other.size_bytes && others < begin + size_bytes;
  }
};
}  // namespace

/// The memory of the elements of a container.
static memory_range elements_of(const driver_handle& handle) {
  const replica& local = handle.local();
  return {local.at(0), local.size() * local.ops().size};
}

/// Whether the variable is an element of a captured container, or a part of one. The text of the program may
/// hide this, as if a caller passed the reference.
static bool is_in_container(const launch_request& r, const void* variable) {
  const memory_range own{variable, 1};
  return std::any_of(r.containers.begin(), r.containers.end(), [&](const driver_handle* handle) {
    return handle != nullptr && own.overlaps(elements_of(*handle));
  });
}

/// Whether iterations take steps that add up in a round: they read fractions that they change.
static bool takes_steps(const launch_request& r, std::size_t c, const merge::rule& how) {
  using rules = merge::rule::kind;
  const bool has_fractions = r.containers[c]->local().ops().own.visit_changes != nullptr;
  const bool adds_up =
      how.which() == rules::sum || how.which() == rules::mean || how.which() == rules::adaptive;
  return has_fractions && adds_up && !abi::is_only_added(r.entry->captures[c].mode);
}

/// A call has at most 16 rounds, unless the program names their length. Short ones are not worth a fold,
/// which compares all copies of the container. Steps take more and shorter ones.
static std::int64_t iterations_of_round(const launch_request& r, std::size_t c) {
  constexpr std::int64_t least_iterations = 1024;
  constexpr std::int64_t bytes_an_iteration = 4;
  constexpr std::int64_t bytes_an_iteration_with_steps = 64;
  const driver_handle& container = *r.containers[c];
  const ConsistencyModel& model = container.model();
  if (model.round() != 0) return model.round();
  const bool has_steps = takes_steps(r, c, model.merge());
  const std::int64_t most_rounds = has_steps ? 64 : 16;
  const std::int64_t some = std::max(least_iterations, (r.n + most_rounds - 1) / most_rounds);
  if (model.hottest() >= 0) return some;  // few copies
  const auto size_bytes = static_cast<std::int64_t>(container.local().size() * container.local().ops().size);
  return has_steps ? std::max(least_iterations, size_bytes / bytes_an_iteration_with_steps)
                   : std::max(some, size_bytes / bytes_an_iteration);
}

/// Copies of rows begin with their values, and then a product of several copies cannot be told from their
/// ends.
static void refuse_products_of_rows(const launch_request& r, std::size_t c) {
  const abi::capture_info& capture = r.entry->captures[c];
  const bool is_product = (capture.mode & abi::operator_bits) >> abi::operator_shift == abi::multiplies;
  if (!is_only_added(capture) || capture.added->shape == nullptr || !is_product) return;
  throw error(errc::unsupported,
              fmt::format("{}: several copies of a row of `{}` are multiplied, and have no common product: "
                          "take arrays in place of vectors, or another model, or a merge",
                          r.site, capture.name));
}

static void check_merge(const launch_request& r, std::size_t c, const merge::rule& how) {
  if (how == merge::sum) refuse_products_of_rows(r, c);
  if (r.containers[c]->local().ops().can_merge_by(how)) return;
  throw error(errc::unsupported, fmt::format("{}: the merge of `{}` folds no value of its elements", r.site,
                                             r.entry->captures[c].name));
}

static relaxations relaxed_in(const launch_request& r) {
  relaxations found;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (r.containers[c] == nullptr || !is_scattered(r.entry->captures[c])) continue;
    const ConsistencyModel& model = r.containers[c]->model();
    if (model.which() != ConsistencyModel::kind::stale) continue;
    check_merge(r, c, model.merge());
    found.resize(r.containers.size());
    found[c] = relaxation{iterations_of_round(r, c), model.merge(), model.hottest(), model.bound(),
                          static_cast<std::uint32_t>(model.accumulators())};
  }
  return found;
}

/// Whether no container that the loop writes at computed places must be current.
static bool needs_no_plan(const launch_request& r) {
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const abi::capture_info& capture = r.entry->captures[c];
    const bool is_added = is_only_added(capture) || is_late_sum(capture);
    const bool is_relaxed = r.relaxed[c] && r.relaxed[c]->is_whole();
    if (is_scattered(capture) && !is_relaxed && !is_added) return false;
  }
  return true;
}

/// Whether rounds need not wait for the fold of the one before them.
static bool has_bound(const relaxations& relaxed) {
  return std::any_of(relaxed.begin(), relaxed.end(), [](const auto& one) { return one && one->bound > 0; });
}

/// Per capture; null if it is no container.
static std::vector<replica*> replicas_of(const launch_request& r) {
  std::vector<replica*> replicas;
  replicas.reserve(r.containers.size());
  for (const driver_handle* handle : r.containers)
    replicas.push_back(handle == nullptr ? nullptr : &handle->local());
  return replicas;
}

/// The containers to relax so that the transactional loop is planned. Empty if that cannot help.
static std::string hindering(const launch_request& r) {
  const std::vector<replica*> replicas = replicas_of(r);
  std::string names;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    if (hinders_plan(*r.entry, c, r.n, replicas, r.relaxed))
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", r.entry->captures[c].name);
  }
  return names;
}

static void refuse_relaxed_places(const launch_request& r) {
  const std::string others = hindering(r);
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const abi::capture_info& capture = r.entry->captures[c];
    if (!r.relaxed[c] || !r.relaxed[c]->is_whole() || (capture.mode & abi::decides) == 0) continue;
    throw error(errc::unsupported,
                fmt::format("{}: `{}` is consistency::stale, and its values decide which elements the loop "
                            "accesses (--explain names the accesses): take these from a container that the "
                            "loop does not write, {}or make `{}` consistency::async",
                            r.site, capture.name,
                            others.empty() ? others : fmt::format("make {} consistency::stale too, ", others),
                            capture.name));
  }
}

static void check_model_of_loop(const launch_request& r) {
  const char *what = nullptr, *words = nullptr;
  if (r.model.round() != 0) {
    what = ".round, since each call is a round";
    words = "{.round = 4096}";
  } else if (r.model.hottest() >= 0) {
    what = "hottest()";
    words = "0, consistency::hottest(128)";
  } else if (r.model.accumulators() != std::int64_t{relaxed_accumulators}) {
    what = ".accumulators";
    words = "{.accumulators = 2}";
  } else {
    return;
  }
  throw error(errc::unsupported, fmt::format("{}: consistency::stale of a loop takes no {}: give it to a "
                                             "container, as dvector<float> w(n, consistency::stale({}))",
                                             r.site, what, words));
}

/// The model refuses such merges; this one is that of a container.
static void check_budget(const launch_request& r, std::size_t c, merge::rule how) {
  if (r.model.budget() == 0 || how.which() != merge::rule::kind::adaptive) return;
  throw error(errc::unsupported,
              fmt::format("{}: the loop has a .budget, and `{}` merge::adaptive or by_uses(): a budget hides "
                          "the uses of a call, so take another merge",
                          r.site, r.entry->captures[c].name));
}

/// A call under consistency::stale is a round of all containers that the loop writes at computed places. A
/// container with such a model of its own keeps its merge. Without such containers the loop is asynchronous.
static void settle_clock(launch_request& r) {
  check_model_of_loop(r);
  const ConsistencyModel model = r.model;
  relaxations found(r.containers.size());
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const abi::capture_info& capture = r.entry->captures[c];
    if (r.containers[c] == nullptr || !is_scattered(capture)) continue;
    if (capture.make_keys != nullptr) {
      throw error(errc::unsupported,
                  fmt::format("{}: the loop is consistency::stale and writes `{}`, a dmap: keep these values "
                              "in a dvector, or take consistency::async",
                              r.site, capture.name));
    }
    const ConsistencyModel& own = r.containers[c]->model();
    const merge::rule how = own.which() == ConsistencyModel::kind::stale ? own.merge() : model.merge();
    check_merge(r, c, how);
    check_budget(r, c, how);
    found[c] = relaxation{std::max<std::int64_t>(1, r.n), how, /*hottest=*/-1, model.bound()};
    found[c]->is_free = model.free_running();
    found[c]->budget = static_cast<std::uint64_t>(model.budget());
    r.is_clock = true;
  }
  r.model = consistency::async;
  if (r.is_clock) r.relaxed = std::move(found);
}

/// Finds the relaxed containers of an asynchronous loop. Transactions see all containers current.
static void settle_relaxed(launch_request& r) {
  if (r.model.which() == ConsistencyModel::kind::stale) return settle_clock(r);
  if (r.model.which() != ConsistencyModel::kind::async || r.dynamic) return;
  r.relaxed = relaxed_in(r);
  if (r.relaxed.empty()) return;
  if (needs_no_plan(r) && !has_bound(r.relaxed)) {
    std::int64_t round = std::max<std::int64_t>(1, r.n);
    std::uint32_t accumulators = most_relaxed_accumulators;
    for (const auto& one : r.relaxed) {
      if (!one) continue;
      round = std::min(round, one->round);
      accumulators = std::min(accumulators, one->accumulators);
    }
    r.model = consistency::sync({.batch = round, .shards = accumulators});
  } else if (is_transactional(r)) {
    refuse_relaxed_places(r);
    r.relaxed.clear();
  }
}

static bool has_second_names(const launch_request& r) {
  for (auto handle = r.containers.begin(); handle != r.containers.end(); ++handle) {
    if (*handle != nullptr && std::find(r.containers.begin(), handle, *handle) != handle) return true;
  }
  return false;
}

/// Whether the loop changes dvectors at its index, and only adds into others: into few numbers beside its
/// iterations, or into any in a mini-batch, for which shards would be prepared again and again.
static bool hides_nothing_in_batches(const launch_request& r) {
  constexpr std::int64_t longest_mini_batch = 1024;
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const abi::capture_info& capture = r.entry->captures[c];
    if (!is_written(capture)) continue;
    if (capture.make_keys != nullptr) return false;
    if (!is_scattered(capture) || adds_apart(capture, r.containers[c]->local(), r.n)) continue;
    if (!is_only_added(capture) || r.n > longest_mini_batch) return false;
  }
  return true;
}

/// Batches change nothing if no iteration reads a change of another one, and the fold is that of additions:
/// the loop then runs as an asynchronous one. One shard asks for sums in program order.
static void settle_batches(launch_request& r) {
  using rules = merge::rule::kind;
  if (r.model.which() != ConsistencyModel::kind::sync || !r.relaxed.empty() || r.model.shards() == 1) return;
  if (r.model.merge().which() != rules::sum || (r.entry->flags & abi::transactional) != 0) return;
  r.was_in_batches = !has_second_names(r) && hides_nothing_in_batches(r);
  if (r.was_in_batches) return void(r.model = consistency::async);
  for (std::size_t c = 0; c < r.containers.size(); ++c) refuse_products_of_rows(r, c);
}

/// Begins a request in the memory of an earlier one.
static void begin_request(launch_request& r, const abi::loop_call& call) {
  const std::size_t captures = call.entry.num_captures;
  r.entry = &call.entry;
  r.site = call.site;
  r.label = call.label;
  r.n = call.num_iterations;
  r.model = call.model;
  r.dynamic.reset();
  if (call.dynamic != nullptr) r.dynamic = *call.dynamic;
  r.containers.clear();
  r.variables.clear();
  r.reductions.clear();
  r.variables.reserve(captures);
  r.containers.reserve(captures);
  r.reductions.reserve(captures);
  r.values.begin(captures);
  r.relaxed.clear();
  r.is_clock = false;
  r.was_in_batches = false;
  r.hashes.clear();
}

void make_request(launch_request& r, const abi::loop_call& call) {
  const abi::loop_entry& entry = call.entry;
  begin_request(r, call);
  for (std::size_t c = 0; c < entry.num_captures; ++c) {
    const abi::capture_kind kind = entry.captures[c].kind;
    void* const captured = const_cast<void*>(call.captured[c]);
    auto* const target =
        kind == abi::capture_kind::container ? static_cast<abi::handle_target*>(captured) : nullptr;
    r.variables.push_back(captured);
    r.containers.push_back(static_cast<driver_handle*>(target));
    r.reductions.push_back(kind == abi::capture_kind::reduction ? captured : nullptr);
  }
  for (std::size_t c = 0; c < entry.num_captures; ++c) {
    const abi::capture_info& capture = entry.captures[c];
    if (capture.kind != abi::capture_kind::value) {
      r.values.add_none();
    } else if (capture.number_bytes != 0) {
      r.values.add_number(r.variables[c], capture.number_bytes);
    } else if (capture.stays && !is_in_container(r, r.variables[c])) {
      r.values.borrow(r.variables[c]);
    } else {
      r.values.add(copy_of_value(capture, r.variables[c]));
    }
  }
  settle_relaxed(r);
  settle_batches(r);
}

std::uint64_t launch_request::hash_of_capture(std::size_t c) const {
  const auto [known, is_new] = hashes.try_emplace(c, 0);
  if (is_new) known->second = hash_of_value(entry->captures[c], variables[c]);
  return known->second;
}

std::uint64_t launch_request::hash_of_global(std::size_t g) const {
  const auto [known, is_new] = hashes.try_emplace(entry->num_captures + g, 0);
  if (is_new) known->second = hash_of_value(entry->globals[g]);
  return known->second;
}

std::vector<std::uint64_t> launch_request::steering() const {
  std::vector<std::uint64_t> all;
  all.reserve(entry->num_captures + entry->num_globals);
  for (std::size_t c = 0; c < entry->num_captures; ++c) {
    const abi::capture_info& capture = entry->captures[c];
    const bool steers = capture.kind == abi::capture_kind::value && (capture.mode & abi::steers) != 0;
    all.push_back(steers ? hash_of_capture(c) : 0);
  }
  for (std::size_t g = 0; g < entry->num_globals; ++g)
    all.push_back((entry->globals[g].mode & abi::steers) != 0 ? hash_of_global(g) : 0);
  return all;
}

/// The memory of a reduction or container. Empty for a value: reductions change after the last iteration.
static memory_range memory_of(const launch_request& r, std::size_t c) {
  if (r.reductions[c] != nullptr) return {r.reductions[c], r.entry->captures[c].size};
  return r.containers[c] == nullptr ? memory_range{} : elements_of(*r.containers[c]);
}

void refuse_second_names(const launch_request& r) {
  for (std::size_t c = 0; c < r.reductions.size(); ++c) {
    if (r.reductions[c] == nullptr) continue;
    const memory_range own = memory_of(r, c);
    for (std::size_t other = 0; other < r.reductions.size(); ++other) {
      if (other == c || !own.overlaps(memory_of(r, other))) continue;
      const char* const name = r.entry->captures[c].name;
      const char* const second = r.entry->captures[other].name;
      const char* const fault =
          r.containers[other] != nullptr
              ? "{}: `{}` is an element of `{}`, which the loop captures too: fold into a variable"
              : "{}: `{}` and `{}` are one variable, or parts of one, and the loop folds into it: capture it "
                "once";
      throw error(errc::unsupported, fmt::format(fmt::runtime(fault), r.site, name, second));
    }
  }
}

/// Whether bodies on this rank use the program's variable itself.
static bool is_in_place(const launch_request& r, std::size_t c) {
  return r.entry->captures[c].kind == abi::capture_kind::value && r.values.data()[c] == r.variables[c];
}

void note_values(const launch_request& r) {
  for (std::size_t c = 0; c < r.variables.size(); ++c) {
    if (is_in_place(r, c)) (void)r.hash_of_capture(c);
  }
}

void refuse_changed_values(const launch_request& r) {
  for (std::size_t c = 0; c < r.variables.size(); ++c) {
    if (!is_in_place(r, c) || hash_of_value(r.entry->captures[c], r.variables[c]) == r.hash_of_capture(c))
      continue;
    throw error(errc::unsupported,
                fmt::format("{}: a captured value has changed while the loop ran: it is a part of an element "
                            "that the loop writes; capture a copy",
                            r.site));
  }
}

/// The properties of a container that a survey depends on: of most vectors only the size.
static std::uint64_t likeness_of(const launch_request& r, std::size_t c) {
  const replica& local = r.containers[c]->local();
  const bool decides = (r.entry->captures[c].mode & abi::steers) != 0 || local.keys() != nullptr;
  if (decides) return 1 + static_cast<std::uint64_t>(local.id());
  const auto first = std::find(r.containers.begin(), r.containers.end(), r.containers[c]);
  const std::uint64_t sizes[] = {static_cast<std::uint64_t>(first - r.containers.begin()), local.size()};
  return abi::hash_bytes(sizes, sizeof sizes);
}

/// `kind`: see `resolved_request`.
static plan_id id_of(const launch_request& r, const loop_uses& uses, bool kind) {
  std::vector<std::uint64_t> parts;
  constexpr std::size_t of_call = 7;
  parts.reserve(of_call + 2 * r.containers.size());
  for (const std::uint64_t part :
       {r.entry->id, static_cast<std::uint64_t>(r.n), static_cast<std::uint64_t>(r.model.which()),
        static_cast<std::uint64_t>(r.model.batch()), static_cast<std::uint64_t>(r.model.shards()),
        hash_of_name(*r.entry), std::uint64_t{uses.num_accumulators}})
    parts.push_back(part);
  for (std::size_t c = 0; c < r.containers.size(); ++c) {
    const driver_handle* handle = r.containers[c];
    const auto likeness = [&] {
      return kind ? likeness_of(r, c) : 1 + static_cast<std::uint64_t>(handle->local().id());
    };
    parts.push_back(handle == nullptr ? 0 : likeness());
    parts.push_back(static_cast<std::uint64_t>(uses.by_capture[c]));
    if (r.relaxed.empty() || !r.relaxed[c] || r.relaxed[c]->bound == 0) continue;
    parts.push_back(static_cast<std::uint64_t>(r.relaxed[c]->bound));  // ranges are cut into rounds
    parts.push_back(static_cast<std::uint64_t>(r.relaxed[c]->round));
  }
  return plan_id{abi::hash_bytes(parts.data(), parts.size() * sizeof parts[0])};
}

resolved_request resolve(const launch_request& call, std::uint32_t map_accumulators,
                         std::uint32_t large_accumulators) {
  loop_uses uses = uses_of(*call.entry, call.n, call.model.which(), replicas_of(call), map_accumulators,
                           large_accumulators, call.relaxed);
  const plan_id plan = id_of(call, uses, /*kind=*/false);
  const plan_id kind = id_of(call, uses, /*kind=*/true);
  const auto& of = uses.by_capture;
  const bool lists = std::find(of.begin(), of.end(), usage::owned) != of.end();
  return {call, map_accumulators, large_accumulators, std::move(uses), plan, /*calls=*/plan, kind, lists};
}

resolved_request by_waves(const resolved_request& r) {
  resolved_request waves = r;
  const std::uint64_t parts[] = {static_cast<std::uint64_t>(r.calls), 1};
  waves.plan = waves.calls = plan_id{abi::hash_bytes(parts, sizeof parts)};
  return waves;
}

bool plan_depends_on(const resolved_request& r, std::size_t c) {
  return r.lists_iterations && (r.call.entry->captures[c].mode & (abi::steers | abi::aligned)) != 0;
}

bool may_plan_by(const resolved_request& r, std::size_t c) {
  const bool steers = (r.call.entry->captures[c].mode & (abi::steers | abi::aligned)) != 0;
  return steers && (r.lists_iterations || adds_into_maps(r));
}

bool adds_into_maps(const resolved_request& r) {
  const std::vector<usage>& uses = r.uses.by_capture;
  for (std::size_t c = 0; c < uses.size(); ++c) {
    if (uses[c] == usage::accumulated && r.call.containers[c]->local().keys() != nullptr) return true;
  }
  return false;
}

bool is_written(const abi::capture_info& capture) {
  return capture.kind == abi::capture_kind::container && (capture.mode & abi::writes) != 0;
}

bool gives_places(const abi::capture_info& capture) { return (capture.mode & abi::gives_places) != 0; }

bool steers_itself(const abi::capture_info& capture) {
  return (capture.mode & (abi::steers | abi::steady)) == abi::steers;
}

bool is_transactional(const launch_request& r) {
  return (r.entry->flags & abi::transactional) != 0 && r.model.which() == ConsistencyModel::kind::async &&
         !is_planned_by_others(*r.entry, r.n, replicas_of(r), r.relaxed);
}

}  // namespace stradsap::rt
