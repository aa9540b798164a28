#include "runtime/base/simulated_cluster.hpp"

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <stradsap/error.hpp>

namespace stradsap::rt {

struct unit {
  std::string_view name;
  double factor;
};

static std::optional<int> to_count(std::string_view text, int most) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < 1 || value > most)
    return std::nullopt;
  return value;
}

static std::optional<double> to_quantity(std::string_view text, std::initializer_list<unit> units) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
  const std::string_view name(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const unit& u : units) {
    if (u.name == name) return value * u.factor;
  }
  return std::nullopt;
}

static std::optional<double> to_bandwidth(std::string_view text) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  auto value = to_quantity(
      text, {{"kbit", 125}, {"Mbit", 125e3}, {"Gbit", 125e6}, {"Tbit", 125e9}, {"MB", 1e6}, {"GB", 1e9}});
  return value == 0.0 ? std::nullopt : value;
}

static std::optional<double> to_seconds(std::string_view text) {
  return to_quantity(text, {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}});
}

/// Removes and returns the text up to the next comma.
static std::optional<std::string_view> next_field(std::optional<std::string_view>& rest) {
  if (!rest) return std::nullopt;
  const std::size_t comma = rest->find(',');
  const std::string_view field = rest->substr(0, comma);
  rest = comma == std::string_view::npos ? std::nullopt : std::optional(rest->substr(comma + 1));
  return field;
}

static std::optional<simulated_cluster> parse(std::string_view text) {
  std::optional<std::string_view> rest = text;
  const std::string_view shape = *next_field(rest);
  const auto bandwidth = next_field(rest);
  const auto latency = next_field(rest);
  const auto processor = next_field(rest);
  const std::size_t cross = shape.find('x');
  if (rest || cross == std::string_view::npos) return std::nullopt;
  const auto ranks = to_count(shape.substr(0, cross), 65536);
  const auto threads = to_count(shape.substr(cross + 1), 4096);
  simulated_cluster c;
  const auto bytes = bandwidth ? to_bandwidth(*bandwidth) : std::optional(c.bytes_per_second);
  const auto seconds = latency ? to_seconds(*latency) : std::optional(c.latency_seconds);
  const std::size_t plus = processor ? processor->find('+') : std::string_view::npos;
  const auto of_message = processor ? to_seconds(processor->substr(0, plus)) : std::optional(0.0);
  const auto of_byte =
      plus == std::string_view::npos ? std::optional(0.0) : to_seconds(processor->substr(plus + 1));
  if (!ranks || !threads || !bytes || !seconds || !of_message || !of_byte) return std::nullopt;
  return simulated_cluster{*ranks, *threads, *bytes, *seconds, *of_message, *of_byte};
}

simulated_cluster parse_simulated_cluster(std::string_view text) {
  const auto parsed = parse(text);
  if (parsed) return *parsed;
  throw error(errc::unsupported,
              fmt::format("'{}' is not RANKSxTHREADS[,BANDWIDTH[,LATENCY[,PROCESSOR]]], such as "
                          "4x2,10Gbit,50us or 4x2,10Gbit,50us,20us+1.5ns",
                          text));
}

}  // namespace stradsap::rt
