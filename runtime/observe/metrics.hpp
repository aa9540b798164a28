// `--metrics`: the values that a program reports, as a CSV file (docs/formats.md). The file is complete after
// each row: a row is one write, and a new column rewrites the file aside. Thread rule: one thread, the
// driver's.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <stradsap/abi/abi.hpp>

#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

class metrics {
 public:
  /// Begins an empty file; no path: does nothing. Ends the process with status 2 if it cannot be written.
  explicit metrics(std::string path);
  ~metrics();
  metrics(const metrics&) = delete;
  metrics& operator=(const metrics&) = delete;

  /// Throws error(errc::unsupported) for a name that a row cannot have.
  static void check(std::span<const abi::reported_value> values);
  /// Adds a row. `loops`: the sums over all ranks and loops so far. If the file cannot be written, it warns
  /// once and stops.
  void add(std::span<const abi::reported_value> values, const counters& loops);

 private:
  void add_columns(std::span<const abi::reported_value> values);
  void rewrite(std::size_t columns_before);
  void append(const std::string& text);
  void stop(const char* reason);

  std::string path_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int file_ = -1;
  bool is_regular_ = false;         // else a pipe or a device
  std::vector<std::string> names_;  // of the program's values, in the order of columns
  std::map<std::string, std::uint64_t, std::less<>> rows_;  // by first name: rows so far
  counters before_;                                         // at the last row
};

}  // namespace stradsap::rt
