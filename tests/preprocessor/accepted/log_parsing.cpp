// Lines of a log: dates are parsed from text in the body, events counted by month and by level.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

struct Date {
  int year, month, day;
};

enum class Level { debug, info, error, unknown };

static std::optional<Date> parse_date(const std::string& text) {
  Date d{};
  if (std::sscanf(text.c_str(), "%d-%d-%d", &d.year, &d.month, &d.day) != 3) return std::nullopt;
  if (d.month < 1 || d.month > 12) return std::nullopt;
  return d;
}

static Level level_of(const std::string& line) {
  const auto at = line.find(' ');
  if (at == std::string::npos) return Level::unknown;
  switch (line[at + 1]) {
    case 'D': return Level::debug;
    case 'I': return Level::info;
    case 'E': return Level::error;
    default: return Level::unknown;
  }
}

int main() {
  std::vector<std::string> text;
  for (int i = 0; i < 900; ++i) {
    char line[64];
    std::snprintf(line, sizeof line, "%04d-%02d-%02d %c%d", 2000 + i % 7, i % 14, i % 28 + 1, "DIEX"[i % 4], i);
    text.emplace_back(line);
  }
  text[5] = "garbage";
  stradsap::dvector<std::string> lines(text.begin(), text.end());
  stradsap::dmap<int, int> by_month;
  int levels[4] = {}, bad = 0;
  stradsap::async_for(lines.size(), [&lines, &by_month, &levels, &bad](int64_t j) {
    const std::string& line = lines[j];
    const auto date = parse_date(line);
    if (!date) {
      ++bad;
      return;
    }
    by_month[date->year * 100 + date->month] += 1;
    ++levels[static_cast<int>(level_of(line))];
  });

  std::map<int, int> wanted;
  int wanted_levels[4] = {}, wanted_bad = 0;
  for (const std::string& line : text) {
    const auto date = parse_date(line);
    if (!date) ++wanted_bad;
    else ++wanted[date->year * 100 + date->month], ++wanted_levels[static_cast<int>(level_of(line))];
  }
  for (int k = 0; k < 4; ++k) {
    if (levels[k] != wanted_levels[k]) return 1;
  }
  for (const auto& [month, count] : std::as_const(by_month)) {
    if (wanted.at(month) != count) return 2;
  }
  return by_month.size() == wanted.size() && bad == wanted_bad ? 0 : 3;
}
