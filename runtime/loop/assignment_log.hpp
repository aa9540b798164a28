// Which elements the iterations of a batch assign, for the proof that no two of them assign one element two
// values, of which only one stays. Only in check builds under STRADSAP_CHECK=conflicts, and of containers
// whose elements the loop only replaces. Thread rule: an assignment_log belongs to one shard.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/loop/frame.hpp"
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

  /// Element `element` of capture `capture` is at `at` and has not been changed by this access yet.
  void touched(std::uint32_t capture, std::uint64_t element, const void* at);
  /// The iteration is over.
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

/// Ends the run if two iterations of a batch, `mine` on this rank, assign one element two values. A
/// collective.
void refuse_two_assignments(const loop_frame& f, std::vector<assigned_element> mine, exchange& ranks);

}  // namespace stradsap::rt
