// The program as a whole: its build, its start, its ranks, its input files.
// Thread rule: functions are called on the driver's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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

/// One value of a report.
struct reported_value {
  std::string_view name;
  double value;
};
/// Adds a row to the metrics; see stradsap::report().
void report(const reported_value* values, std::size_t n_);

/// Receives the lines of a text file that are not blank: first their number, then each in order.
struct line_sink {
  virtual void expect(std::size_t lines) = 0;
  virtual void parse(std::string_view line) = 0;

 protected:
  ~line_sink() = default;
};

/// Passes the lines of a file to the sink. Throws error(errc::bad_input) if the file cannot be read, and with
/// "file:line: message" if the sink throws a std::exception.
void read_lines(const std::string& path, line_sink& sink);

}  // namespace stradsap::abi

namespace stradsap {
void stradsap_enter_main();
}
