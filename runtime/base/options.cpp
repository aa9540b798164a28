#include "runtime/base/options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <stradsap/error.hpp>

#include "runtime/base/core_count.hpp"
#include "runtime/base/log.hpp"

namespace stradsap::rt {

static std::optional<std::string_view> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

static std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

static std::uint64_t number(const char* name, std::uint64_t otherwise, std::uint64_t least,
                            std::uint64_t most) {
  const auto text = variable(name);
  if (!text) return otherwise;
  const std::optional<std::uint64_t> value = whole_number(*text);
  if (!value || *value < least || *value > most) {
    throw error(errc::unsupported,
                fmt::format("{}={}: expected a whole number from {} to {}", name, *text, least, most));
  }
  return *value;
}

/// A variable that is 1 or 0, or a word for one of these as stradsap-run takes it, in any case of the
/// letters.
static bool is_on(const char* name, bool otherwise) {
  static constexpr std::string_view on[] = {"1", "true", "yes", "on"};
  static constexpr std::string_view off[] = {"0", "false", "no", "off"};
  const auto text = variable(name);
  if (!text) return otherwise;
  std::string word(*text);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  if (std::find(std::begin(on), std::end(on), word) != std::end(on)) return true;
  if (std::find(std::begin(off), std::end(off), word) != std::end(off)) return false;
  throw error(errc::unsupported, fmt::format("{}={}: expected 1 or 0", name, *text));
}

/// Variables that this process, stradsap-run or users of stradsap-cc set. Any other STRADSAP_* is a mistake.
static constexpr std::string_view known_variables[] = {"STRADSAP_RANK",
                                                       "STRADSAP_WORLD_SIZE",
                                                       "STRADSAP_LOCAL_RANK",
                                                       "STRADSAP_JOB_ID",
                                                       "STRADSAP_RUN_DIR",
                                                       "STRADSAP_SEED",
                                                       "STRADSAP_THREADS",
                                                       "STRADSAP_STATS",
                                                       "STRADSAP_SERIAL",
                                                       "STRADSAP_CONSISTENCY",
                                                       "STRADSAP_TIMEOUT",
                                                       "STRADSAP_NPROC",
                                                       "STRADSAP_WDIR",
                                                       "STRADSAP_START_TIMEOUT",
                                                       "STRADSAP_HANG_TIMEOUT",
                                                       "STRADSAP_KILL_GRACE",
                                                       "STRADSAP_X",
                                                       "STRADSAP_NO_PREFIX",
                                                       "STRADSAP_RANKS",
                                                       "STRADSAP_DRY_RUN",
                                                       "STRADSAP_PLAN_CACHE",
                                                       "STRADSAP_CHECK",
                                                       "STRADSAP_CHECK_ORDER",
                                                       "STRADSAP_SIMULATE",
                                                       "STRADSAP_SIMULATE_PARALLEL",
                                                       "STRADSAP_IN_PLACE",
                                                       "STRADSAP_SHARED_MEMORY",
                                                       "STRADSAP_REPLICATE",
                                                       "STRADSAP_LATENCY",
                                                       "STRADSAP_METRICS",
                                                       "STRADSAP_SUMMARY",
                                                       "STRADSAP_QUIET",
                                                       "STRADSAP_FALLING",
                                                       "STRADSAP_COLUMNS",
                                                       "STRADSAP_FREE_RUNNING",
                                                       "STRADSAP_MAX_RESTARTS",
                                                       "STRADSAP_MIN_RANKS",
                                                       "STRADSAP_RESTART_COUNT",
                                                       "STRADSAP_NODE_RANK",
                                                       "STRADSAP_LOCAL_SIZE",
                                                       "STRADSAP_ADDRESS",
                                                       "STRADSAP_PORT_RANGE",
                                                       "STRADSAP_ENCRYPT",
                                                       "STRADSAP_HOSTS",
                                                       "STRADSAP_HOSTFILE",
                                                       "STRADSAP_LAUNCHER",
                                                       "STRADSAP_INTERFACE",
                                                       "STRADSAP_SSH",
                                                       "STRADSAP_SHOW_CONFIG",
                                                       "STRADSAP_CHECKPOINT_DIR",
                                                       "STRADSAP_RESUME",
                                                       "STRADSAP_DEBUG_RANK",
                                                       "STRADSAP_DEBUGGER",
                                                       "STRADSAP_RENDEZVOUS",
                                                       "STRADSAP_KEY_FILE"};

/// Levenshtein's distance.
static std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// Warns of mistyped variables, which would have no effect.
static void warn_of_unknown_variables() {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with("STRADSAP_")) continue;
    const auto closer = [&](std::string_view a, std::string_view b) {
      return distance(name, a) < distance(name, b);
    };
    const std::string_view near =
        *std::min_element(std::begin(known_variables), std::end(known_variables), closer);
    if (near != name) warn(fmt::format("{} is not a variable of StradsAP; did you mean {}?", name, near));
  }
}

static bool asks_for_conflicts() {
  const auto text = variable("STRADSAP_CHECK");
  if (!text) return false;
  if (*text == "conflicts") return true;
  throw error(errc::unsupported, fmt::format("STRADSAP_CHECK={}: expected conflicts", *text));
}

static bool may_run_in_place() {
  const std::string_view text = variable("STRADSAP_IN_PLACE").value_or("auto");
  if (text == "auto" || text == "never") return text == "auto";
  throw error(errc::unsupported, fmt::format("STRADSAP_IN_PLACE={}: expected auto or never", text));
}

/// async, ordered, sync, sync=BATCH or stale=BOUND.
static std::optional<consistency::ConsistencyModel> asks_for_model() {
  const char* const name = "STRADSAP_CONSISTENCY";
  const auto text = variable(name);
  if (!text) return std::nullopt;
  if (*text == "async") return consistency::async;
  if (*text == "ordered") return consistency::ordered;
  if (*text == "sync") return consistency::sync;
  const auto number_after = [&](std::string_view word, std::uint64_t least, std::uint64_t most) {
    const auto number =
        text->starts_with(word) ? whole_number(text->substr(word.size())) : std::optional<std::uint64_t>();
    return number && *number >= least && *number <= most ? number : std::nullopt;
  };
  constexpr std::uint64_t most_batch = std::uint64_t{1} << 62;
  constexpr std::uint64_t most_bound = 64;  // of consistency::stale
  if (const auto batch = number_after("sync=", 1, most_batch))
    return consistency::sync(static_cast<std::int64_t>(*batch));
  if (const auto bound = number_after("stale=", 0, most_bound))
    return consistency::stale(static_cast<std::int64_t>(*bound));
  throw error(errc::unsupported,
              fmt::format("{}={}: expected async, ordered, sync, sync=ITERATIONS or stale=BOUND (0 to {})",
                          name, *text, most_bound));
}

static std::optional<simulated_cluster> asks_for_simulation() {
  const auto text = variable("STRADSAP_SIMULATE");
  if (!text) return std::nullopt;
  try {
    return parse_simulated_cluster(*text);
  } catch (const error& e) {
    throw error(errc::unsupported, fmt::format("STRADSAP_SIMULATE: {}", e.what()));
  }
}

/// FIRST-LAST.
static port_range asks_for_ports() {
  const auto text = variable("STRADSAP_PORT_RANGE");
  if (!text) return {};
  constexpr std::uint64_t most = 65535;
  const std::size_t dash = text->find('-');
  if (dash != text->npos) {
    const auto first = whole_number(text->substr(0, dash));
    const auto last = whole_number(text->substr(dash + 1));
    if (first && last && *first >= 1 && *first <= *last && *last <= most)
      return {static_cast<int>(*first), static_cast<int>(*last)};
  }
  throw error(errc::unsupported,
              fmt::format("STRADSAP_PORT_RANGE={}: expected FIRST-LAST, from 1 to {}", *text, most));
}

/// Whether the rank is in a list such as 1,3.
static bool is_to_debug(rank_id rank) {
  std::string_view left = variable("STRADSAP_DEBUG_RANK").value_or("");
  bool is_listed = false;
  while (!left.empty()) {
    const std::string_view one = left.substr(0, left.find(','));
    const auto number = whole_number(one);
    if (!number)
      throw error(errc::unsupported, "STRADSAP_DEBUG_RANK: expected numbers of ranks, such as 1,3");
    is_listed = is_listed || *number == static_cast<std::uint64_t>(rank);
    left.remove_prefix(std::min(left.size(), one.size() + 1));
  }
  return is_listed;
}

static void check_combinations(const options& o) {
  if (o.serial && o.world_size > 1) {
    throw error(errc::unsupported,
                fmt::format("STRADSAP_SERIAL=1 is program order on one rank; there are {}", o.world_size));
  }
  if (o.simulate && (o.serial || o.world_size > 1)) {
    throw error(errc::unsupported,
                "STRADSAP_SIMULATE is for a run on one rank, and not with STRADSAP_SERIAL=1");
  }
}

// Over sockets, the threads of ZeroMQ and the network thread of a rank keep about one core busy. Over shared
// memory, waiting threads poll the inbox themselves.
wait_policy wait_policy_of(int ranks, int threads, bool shared_memory) {
  const int busy = ranks == 1 || shared_memory ? ranks * threads : ranks * (threads + 1);
  return {busy <= usable_cores()};
}

/// Rank, number of ranks, and the means of ranks without stradsap-run to meet.
static void read_ranks(options& o) {
  o.started_by = find_starter(variable);
  if (o.started_by) {
    o.world_size = o.started_by->size;
    o.rank = o.started_by->rank;
  } else {
    o.world_size = static_cast<int>(number("STRADSAP_WORLD_SIZE", 1, 1, 65536));
    o.rank =
        static_cast<rank_id>(number("STRADSAP_RANK", 0, 0, static_cast<std::uint64_t>(o.world_size) - 1));
  }
  const auto ranks = static_cast<std::uint64_t>(o.world_size);
  o.local_size = o.started_by ? std::max(1, o.started_by->local_size)
                              : static_cast<int>(number("STRADSAP_LOCAL_SIZE", ranks, 1, ranks));
  for (const char* const base : {"XDG_RUNTIME_DIR", "TMPDIR"})
    if (variable(base)) o.run_bases.emplace_back(*variable(base));
  o.run_bases.emplace_back("/tmp");
  o.home = variable("HOME").value_or("");
  o.rendezvous = variable("STRADSAP_RENDEZVOUS").value_or("");
  o.key_file = variable("STRADSAP_KEY_FILE").value_or("");
  o.network_interface = variable("STRADSAP_INTERFACE").value_or("");
}

/// Threads and their wait policy, by the cores of this rank.
static void read_threads(options& o) {
  const starter by = o.started_by.value_or(starter());
  const bool is_bound = by.is_bound || (by.may_bind && is_bound_by_parent());
  // Several ranks may be bound to the same cores, such as those of a socket; a quota is for all ranks.
  const int share = (is_bound ? cores_around() : usable_cores()) / o.local_size;
  const int own = std::min(usable_cores(), share);
  const int cores = by.cores > 0 ? std::min(by.cores, usable_cores()) : own;
  const auto usual = static_cast<std::uint64_t>(std::max(1, cores));
  o.threads = o.serial ? 1 : static_cast<int>(number("STRADSAP_THREADS", usual, 1, 4096));
  const bool over_sockets = o.started_by ? !by.is_one_host() : !o.address.empty();
  const bool shares = o.shared_memory && !over_sockets;
  o.waiting = is_bound ? wait_policy{o.threads + (shares ? 0 : 1) <= own}
                       : wait_policy_of(o.local_size, o.threads, shares);
}

/// A number of bytes, such as 64M.
static std::uint64_t size_in_bytes(const char* name, std::uint64_t unset) {
  constexpr std::string_view units = "KMGT";
  const auto text = variable(name);
  if (!text) return unset;
  std::string_view digits = *text;
  unsigned shift = 0;
  if (const auto unit = digits.empty() ? units.npos : units.find(digits.back()); unit != units.npos) {
    shift = 10 * (static_cast<unsigned>(unit) + 1);
    digits.remove_suffix(1);
  }
  const auto count = whole_number(digits);
  if (count && *count <= unset >> shift) return *count << shift;
  throw error(errc::unsupported, fmt::format("{}={}: expected bytes, such as 64M", name, *text));
}

/// All but the means to meet other ranks.
static void read_settings(options& o) {
  o.serial = is_on("STRADSAP_SERIAL", false);
  read_threads(o);
  o.latency = std::chrono::microseconds(number("STRADSAP_LATENCY", 0, 0, 1000000));
  o.model = asks_for_model();
  o.model_text = variable("STRADSAP_CONSISTENCY").value_or("");
  o.plan_cache = is_on("STRADSAP_PLAN_CACHE", true);
  o.in_place = may_run_in_place();
  o.replicate = size_in_bytes("STRADSAP_REPLICATE", o.replicate);
  o.stats_path = variable("STRADSAP_STATS").value_or("");
  o.metrics_path = variable("STRADSAP_METRICS").value_or("");
  o.falling = variable("STRADSAP_FALLING").value_or(o.falling);
  o.checkpoint_dir = variable("STRADSAP_CHECKPOINT_DIR").value_or("");
  o.resume = variable("STRADSAP_RESUME").value_or("");
  if (o.resume == "0") o.resume.clear();
  o.may_restart = variable("STRADSAP_RESTART_COUNT").has_value();
  o.is_restart = number("STRADSAP_RESTART_COUNT", 0, 0, 1000000) > 0;
  o.summary = is_on("STRADSAP_SUMMARY", false);
  o.columns = static_cast<int>(number("STRADSAP_COLUMNS", 0, 0, 1 << 16));
  o.quiet = is_on("STRADSAP_QUIET", false);
  o.check_conflicts = asks_for_conflicts();
  o.order_path = variable("STRADSAP_CHECK_ORDER").value_or("");
  o.hang_timeout = std::chrono::seconds(number("STRADSAP_HANG_TIMEOUT", 30, 0, 86400));
  o.awaits_debugger = is_to_debug(o.rank);
  o.ends_hangs = variable("STRADSAP_HANG_TIMEOUT").has_value();
  o.simulate = asks_for_simulation();
  o.free_running = is_on("STRADSAP_FREE_RUNNING", false);
  o.simulate_parallel = static_cast<std::int64_t>(number("STRADSAP_SIMULATE_PARALLEL", 0, 1, 65536));
  check_combinations(o);
}

/// The variables by which ranks meet and agree. Each reader leaves the usual value if its variable is wrong.
static constexpr void (*link_readers[])(options&) = {
    [](options& o) { o.ports = asks_for_ports(); },
    [](options& o) {
      const bool is_by_name = !o.rendezvous.empty() && !o.rendezvous.starts_with('/');
      o.encrypt = !is_by_name || !o.key_file.empty();  // stays if the variable is wrong
      o.encrypt = is_on("STRADSAP_ENCRYPT", true);
    },
    [](options& o) { o.shared_memory = is_on("STRADSAP_SHARED_MEMORY", true); },
    [](options& o) { o.seed = number("STRADSAP_SEED", 0, 0, ~std::uint64_t{0}); },
    [](options& o) {
      o.start_timeout = std::chrono::seconds(number("STRADSAP_START_TIMEOUT", 60, 1, 86400));
    },
};

/// A rank without a launcher that cannot run with its variables still meets the others and tells them. They
/// would wait for it, as nobody watches it.
static void read_or_refuse(options& o, void (*read)(options&)) {
  try {
    read(o);
  } catch (const error& e) {
    if (!o.started_by) throw;
    if (o.refusal.empty()) o.refusal = e.what();
  }
}

options read_options() {
  options o;
  const bool launched = variable("STRADSAP_WORLD_SIZE") && variable("STRADSAP_RUN_DIR");
  read_ranks(o);
  if (!launched && o.rank == 0) warn_of_unknown_variables();  // else the launcher or rank 0 has warned
  o.address = variable("STRADSAP_ADDRESS").value_or("");
  o.run_dir = o.started_by ? "" : variable("STRADSAP_RUN_DIR").value_or("");
  o.job = variable("STRADSAP_JOB_ID").value_or("");
  for (const auto read : link_readers) read_or_refuse(o, read);
  read_or_refuse(o, read_settings);
  const std::string unused = o.serial || o.simulate ? "" : warning_of_unused_tasks(variable);
  if (!unused.empty()) warn(unused);
  return o;
}

}  // namespace stradsap::rt
