// Warns once of a loop that is planned at most calls, or runs in program order on one thread. Loops of less
// than 0.1 s in all get no warning. Thread rule: main thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace stradsap::rt {

class loop_advice {
 public:
  /// A call that several executors could have shared ran in program order on one thread. `why` completes the
  /// sentence "in program order on one thread: ...".
  void ran_in_order(const std::string& site, double seconds, const std::string& why);
  /// A call ran by a plan. `cause`: why an earlier plan did not hold, and the remedy; else empty.
  void ran_planned(const std::string& site, double seconds, double seconds_plan, const std::string& cause);

 private:
  struct costs {
    double seconds_in_order = 0;
    double seconds_planned = 0;
    double seconds_planning_again = 0;
    std::uint64_t plans_again = 0;
  };
  std::map<std::string, costs> loops_;
};

}  // namespace stradsap::rt
