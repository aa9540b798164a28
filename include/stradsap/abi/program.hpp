// The program as a whole: its build, its start, its ranks.
// Thread rule: functions are called on the driver's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string_view>

#include <stradsap/abi/loops.hpp>

namespace stradsap::abi {

/// The way an object file of the program was built; see build.hpp.
enum class build { seq, dist, checked };

/// Registers at the start of the program that it has objects of a build. Ends the program if another build is
/// registered.
class build_mark {
 public:
  explicit build_mark(build of_objects);
};

/// Called first in main, as stradsap::stradsap_enter_main. It returns on rank 0. Every other rank serves in
/// it until the program ends, and never returns.
void enter_main();
/// Starts a loop that a plain compiler built, and returns its key. Ends the program if there are several
/// ranks.
[[nodiscard]] launch_key plain_loop();
[[nodiscard]] int rank();
[[nodiscard]] int rank_count();
[[nodiscard]] int thread_count();
[[nodiscard]] std::uint64_t seed();
/// The same, known before a file's own static objects are made. Reading it is no call: across a call g++
/// would keep every sum of a body in memory.
inline const std::uint64_t seed_of_this_run = seed();

/// One value of a report.
struct reported_value {
  std::string_view name;
  double value;
};
/// Adds a row to the metrics; see stradsap::report(). `where`: for warnings.
void report(const reported_value* values, std::size_t n_, const std::source_location& where);

/// The progress of an operation of the library, for people. The loops within it are not shown.
class shown_operation {
 public:
  /// As "reading a.csv", "bytes". `total`: 0 if unknown.
  shown_operation(std::string_view name, std::string_view unit, std::uint64_t total);
  ~shown_operation();
  shown_operation(const shown_operation&) = delete;
  shown_operation& operator=(const shown_operation&) = delete;
  /// Each iteration of a loop counts so many units, until advance().
  void weigh_iterations(std::uint64_t units);
  void advance(std::uint64_t units);
};

}  // namespace stradsap::abi

namespace stradsap {
void stradsap_enter_main();
}
