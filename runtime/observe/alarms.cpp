#include "runtime/observe/alarms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace stradsap::rt {

alarms::alarms(std::string_view falling) {
  while (!falling.empty()) {
    const std::string_view name = falling.substr(0, falling.find(','));
    falling_.emplace_back(name);
    falling.remove_prefix(std::min(falling.size(), name.size() + 1));
  }
}

std::string alarms::look_at(std::string_view name, double value) {
  constexpr std::size_t reports = 3;
  history& seen = values_.try_emplace(std::string(name)).first->second;
  if (!std::isfinite(value)) {
    seen.rising.clear();
    if (std::exchange(seen.said_infinite, true)) return {};
    return fmt::format("{} is {}: the model has diverged, or its input has such a number", name, value);
  }
  if (std::find(falling_.begin(), falling_.end(), name) == falling_.end() || seen.said_rising) return {};
  if (!seen.rising.empty() && value <= seen.rising.back()) seen.rising.clear();
  seen.rising.push_back(value);
  if (seen.rising.size() <= reports) return {};
  seen.said_rising = true;
  return fmt::format("{} has risen at {} reports running, from {:g} to {:g}: a smaller step may help", name,
                     reports, seen.rising.front(), seen.rising.back());
}

}  // namespace stradsap::rt
