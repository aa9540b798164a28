// The running iteration of an executor, in check builds under AddressSanitizer: its recorded set and the
// elements it has asked for are open, all others are poisoned. A stray access is reported in the program's
// terms. Other check builds report accesses to pages that this rank does not hold (absent_pages.hpp).
// Thread rule: one executor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/dds/poison.hpp"
#include "runtime/loop/access/touch.hpp"
#include "runtime/loop/launch/frame.hpp"

namespace stradsap::rt {

class poisoned_iteration {
 public:
  explicit poisoned_iteration(const loop_frame& frame);
  ~poisoned_iteration() { end(); }
  poisoned_iteration(const poisoned_iteration&) = delete;
  poisoned_iteration& operator=(const poisoned_iteration&) = delete;

  /// `set`: the recorded touches. Null: only elements that the body asks for are open.
  void begin(std::int64_t j, const std::vector<touch>* set);
  /// The body got a reference to elements [first, first + n) of a capture's container; they start at `at`.
  void asked(std::uint32_t capture, std::uint64_t first, std::uint64_t n, const void* at);
  void end();

 private:
  struct answer {
    std::uint32_t capture;
    std::uint64_t first;
    std::uint64_t n;
    const std::byte* at;
    abi::access_place where;
  };

  static void explain(const char* report);
  static std::size_t explain_fault(const void* address, char* text, std::size_t size);
  [[nodiscard]] std::string explained(const std::byte* stray, const answer* from,
                                      std::string_view place) const;
  [[nodiscard]] const answer* nearest(const std::byte* stray, std::uint64_t most) const;
  [[nodiscard]] std::string of_nearest(const answer& from, const std::byte* stray) const;
  [[nodiscard]] std::string of_container(const std::byte* stray) const;

  const loop_frame& frame_;
  poison::iteration turn_;
  std::int64_t iteration_ = 0;
  std::vector<answer> answers_;  // for the running iteration
};

}  // namespace stradsap::rt
