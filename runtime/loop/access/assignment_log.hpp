// The elements that iterations of a batch assign. The log proves that no two iterations assign different
// values to one element: only one of the values would stay. Only in check builds under
// STRADSAP_CHECK=conflicts, for containers with elements that the loop only replaces.
// Thread rule: an assignment_log belongs to one shard.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/loop/launch/frame.hpp"
#include "runtime/net/exchange.hpp"

namespace stradsap::rt {

/// One iteration changed one element.
struct assigned_element {
  std::uint32_t capture = 0;
  std::uint64_t element = 0;
  std::int64_t iteration = 0;
  std::string place;  // FILE:LINE of its first access
  bytes value;
  template <class Archive> void serialize(Archive& archive) {
    archive(capture, element, iteration, place, value);
  }
};

class assignment_log {
 public:
  explicit assignment_log(const loop_frame& f) : frame_(f) {}

  /// Notes an access to element `element` of capture `capture`, which is at `at`. Call it before the access
  /// changes the element.
  void touched(std::uint32_t capture, std::uint64_t element, const void* at);
  /// Ends an iteration: logs the elements that it has changed.
  void end(std::int64_t iteration);
  [[nodiscard]] std::vector<assigned_element> take() { return std::move(found_); }

 private:
  struct open_touch {
    std::uint32_t capture;
    std::uint64_t element;
    const void* at;
    bytes before;
    abi::access_place where;
  };
  [[nodiscard]] bytes bytes_of(std::uint32_t capture, const void* at) const;

  const loop_frame& frame_;
  std::vector<open_touch> open_;  // of the running iteration
  std::vector<assigned_element> found_;
};

/// Ends the run with an error if two iterations of a batch assign different values to one element. `mine`:
/// this rank's log. A collective.
void refuse_two_assignments(const loop_frame& f, std::vector<assigned_element> mine, exchange& ranks);

}  // namespace stradsap::rt
