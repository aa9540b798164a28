#include "runtime/base/options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <sched.h>

#include <fmt/format.h>
#include <stradsap/error.hpp>

namespace stradsap::rt {

static std::optional<std::string_view> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

static std::uint64_t number(const char* name, std::uint64_t otherwise, std::uint64_t least,
                            std::uint64_t most) {
  const auto text = variable(name);
  if (!text) return otherwise;
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (failure != std::errc() || end != text->data() + text->size() || value < least || value > most) {
    throw error(errc::unsupported,
                fmt::format("{}={}: expected a whole number from {} to {}", name, *text, least, most));
  }
  return value;
}

/// Cores that this process may use; a container or taskset may give it fewer than the machine has.
static int usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

options read_options() {
  options o;
  o.world_size = static_cast<int>(number("STRADSAP_WORLD_SIZE", 1, 1, 65536));
  o.rank = static_cast<rank_id>(number("STRADSAP_RANK", 0, 0, static_cast<std::uint64_t>(o.world_size) - 1));
  o.serial = number("STRADSAP_SERIAL", 0, 0, 1) == 1;
  const auto cores = static_cast<std::uint64_t>(std::max(1, usable_cores() / o.world_size));
  o.threads = o.serial ? 1 : static_cast<int>(number("STRADSAP_THREADS", cores, 1, 4096));
  o.seed = number("STRADSAP_SEED", 0, 0, ~std::uint64_t{0});
  o.run_dir = variable("STRADSAP_RUN_DIR").value_or("");
  o.stats_path = variable("STRADSAP_STATS").value_or("");
  o.start_timeout = std::chrono::seconds(number("STRADSAP_START_TIMEOUT", 60, 1, 86400));
  o.hang_timeout = std::chrono::seconds(number("STRADSAP_HANG_TIMEOUT", 30, 0, 86400));
  if (o.world_size > 1 && o.run_dir.empty()) {
    throw error(errc::unsupported,
                "STRADSAP_WORLD_SIZE is set but STRADSAP_RUN_DIR is not: start the program "
                "with stradsap-run");
  }
  if (o.serial && o.world_size > 1) {
    throw error(errc::unsupported, "STRADSAP_SERIAL=1 is program order on one rank; STRADSAP_WORLD_SIZE is " +
                                       std::to_string(o.world_size));
  }
  return o;
}

}  // namespace stradsap::rt
