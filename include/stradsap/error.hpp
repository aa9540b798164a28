// The exceptions of StradsAP: every failure that it reports to a program is a stradsap::error. Thread rule:
// values.
#pragma once

#include <stradsap/abi/standard.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace stradsap {

/// The kind of a failure, for programs that react to it. Programs should expect kinds that later versions
/// add.
enum class errc {
  bad_input,     // a file cannot be read or parsed
  out_of_range,  // no such index or key in the container; too many iterations.
  body,          // the loop body threw
  access,        // the loop body touched an element that reconnaissance did not see.
  unsupported,   // this version does not support the request
  decode,        // bytes do not encode a value of the expected type
  cluster,       // a process or the network between processes failed
  output,        // a file cannot be written
};

/// A failure and its kind. `what()` is one line that names the thing, the place and the expected value. A
/// body may throw one; then parallel_for throws a loop_error with its code().
/// @code
/// try {
///   X.at(n) = 1;
/// } catch (const error& failure) {
///   if (failure.code() != errc::out_of_range) throw;
/// }
/// @endcode
class error : public std::runtime_error {
 public:
  error(errc code, const std::string& what) : std::runtime_error(what), code_(code) {}
  [[nodiscard]] errc code() const noexcept { return code_; }

 private:
  errc code_;
};

/// An exception that left a loop body; parallel_for throws it on the driver. If several bodies throw, it is
/// the exception that comes first in the loop's serial order, on any number of ranks. code() is that of a
/// stradsap::error in the body, else errc::body.
/// @code
/// try {
///   async_for(n, [&X](int64_t j) { if (X[j] < 0) throw std::domain_error("a negative element"); });
/// } catch (const loop_error& e) {
///   std::fprintf(stderr, "%s: iteration %ld, rank %d\n", e.location().c_str(), long(e.iteration()),
///   e.rank());
/// }
/// @endcode
class loop_error : public error {
 public:
  loop_error(errc code, const std::string& what, int rank, std::int64_t iteration, std::string location)
      : error(code, what), rank_(rank), iteration_(iteration), location_(std::move(location)) {}
  /// The rank that ran the body; the number of the iteration.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::int64_t iteration() const noexcept { return iteration_; }
  /// FILE:LINE of the loop; the label of the loop if stradsap-cc did not compile the program.
  [[nodiscard]] const std::string& location() const noexcept { return location_; }

 private:
  int rank_;
  std::int64_t iteration_;
  std::string location_;
};

}  // namespace stradsap
