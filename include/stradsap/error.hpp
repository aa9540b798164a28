// What a program catches: every failure that StradsAP reports to user code is a stradsap::error.
// Thread rule: values; an error may be thrown on the driver's thread only.
#pragma once

#include <stradsap/standard.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace stradsap {

/// The kind of a failure, for programs that act on it.
enum class errc {
  bad_input,     // a file that cannot be read or parsed
  out_of_range,  // an index or key that the container does not have
  body,          // the loop body threw
  access,        // the loop body touched an element that reconnaissance did not see
  unsupported,   // asked for something this version does not do
  decode,        // bytes that do not describe what they should
  cluster,       // a process or the network between processes failed
};

/// A failure with its kind; what() is one line: what, where, what was expected.
class error : public std::runtime_error {
 public:
  error(errc code, const std::string& what) : std::runtime_error(what), code_(code) {}
  [[nodiscard]] errc code() const noexcept { return code_; }

 private:
  errc code_;
};

/// An exception that left a loop body, as parallel_for throws it on the driver at any number of ranks.
/// Of several, the one that comes first in the loop's serial order.
class loop_error : public error {
 public:
  loop_error(errc code, const std::string& what, int rank, std::int64_t iteration, std::string location)
      : error(code, what), rank_(rank), iteration_(iteration), location_(std::move(location)) {}
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::int64_t iteration() const noexcept { return iteration_; }
  /// FILE:LINE of the loop.
  [[nodiscard]] const std::string& location() const noexcept { return location_; }

 private:
  int rank_;
  std::int64_t iteration_;
  std::string location_;
};

}  // namespace stradsap
