// Warnings on reported values: one that is no finite number, and a loss that rises three reports running.
// Each comes once for a name. Thread rule: one thread, the driver's.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stradsap::rt {

class alarms {
 public:
  /// `falling`: the names of values that should fall, separated by commas.
  explicit alarms(std::string_view falling);

  /// The warning that a report of the value causes; empty if there is none.
  [[nodiscard]] std::string look_at(std::string_view name, double value);

 private:
  struct history {
    std::vector<double> rising;  // the last values, as far as each is greater than the one before
    bool said_infinite = false;
    bool said_rising = false;
  };

  std::vector<std::string> falling_;
  std::map<std::string, history, std::less<>> values_;
};

}  // namespace stradsap::rt
