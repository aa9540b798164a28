// The program's measure of dependence of two iterations, with the answers that are known. Thread rule: one
// thread.
#pragma once

#include <cstdint>
#include <optional>

#include <tsl/robin_map.h>

#include <stradsap/schedule.hpp>

#include "runtime/dds/plain_array.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

class dependences {
 public:
  /// For iterations [0, n). Two iterations are dependent if |f(a, b)| > rho. Without f, none are.
  dependences(const abi::dependence* f, double rho, std::int64_t n);

  [[nodiscard]] bool has_measure() const { return f_ != nullptr; }
  /// Asks the program unless the answer is known. True once the measure has failed.
  [[nodiscard]] bool are_dependent(std::int64_t a, std::int64_t b);
  /// Whether they are known to be dependent.
  [[nodiscard]] bool are_known_dependent(std::int64_t a, std::int64_t b) const;
  /// The first failure: f threw, gave no number, or was not symmetric.
  [[nodiscard]] const std::optional<failure>& failed() const { return failure_; }
  /// Calls of f.
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

 private:
  enum class answer : std::uint8_t { unknown, apart, dependent };

  [[nodiscard]] answer known(std::int64_t a, std::int64_t b) const;
  void keep(std::int64_t a, std::int64_t b, answer of);
  [[nodiscard]] std::uint64_t key(std::int64_t a, std::int64_t b) const;
  [[nodiscard]] bool ask(std::int64_t a, std::int64_t b);  // a <= b
  [[nodiscard]] double measured(std::int64_t a, std::int64_t b);
  void fail(std::int64_t a, std::string what);

  const abi::dependence* f_;
  const double rho_;
  const std::int64_t n_;
  const bool is_small_;
  plain_array<answer> table_;                    // of all pairs, both ways, if there are few iterations
  tsl::robin_map<std::uint64_t, answer> known_;  // else
  std::uint64_t calls_ = 0;
  std::uint64_t asked_ = 0;  // pairs
  std::optional<failure> failure_;
};

}  // namespace stradsap::rt
