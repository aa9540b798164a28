// The program's priorities of iterations, from which the next ones are drawn. Thread rule: one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <stradsap/schedule.hpp>

#include "runtime/loop/dynamic/priority_sampler.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

class priorities {
 public:
  /// For iterations [0, n), n > 0, all of priority 0.
  priorities(const abi::iteration_priority& f, std::int64_t n, std::uint64_t seed)
      : f_(f), sampler_(n, seed) {}

  /// Iteration j has moved its element by this squared distance. Asks the program for its new priority.
  void changed(std::int64_t j, double distance2);
  /// The iterations that draw() may give.
  [[nodiscard]] std::size_t num_positive() const { return sampler_.num_positive(); }
  /// An iteration in proportion to its priority, which is 0 from now until changed(). There must be one.
  [[nodiscard]] std::int64_t draw();
  /// The first failure: f threw, or gave no priority.
  [[nodiscard]] const std::optional<failure>& failed() const { return failure_; }

 private:
  void fail(std::int64_t j, std::string what);

  const abi::iteration_priority& f_;
  priority_sampler sampler_;
  std::optional<failure> failure_;
};

}  // namespace stradsap::rt
