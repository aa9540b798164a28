// The updates of a dynamic schedule that the program runs itself, set by set: the order of updates of a
// dynamic loop, and its choice of iterations that do not depend on each other. Thread rule: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stradsap/abi/update_source.hpp>

#include <tsl/robin_map.h>

#include "runtime/loop/dynamic/dependences.hpp"
#include "runtime/loop/dynamic/priorities.hpp"
#include "runtime/loop/dynamic/update_order.hpp"

namespace stradsap::rt {

class program_updates final : public abi::update_source {
 public:
  /// For iterations [0, n), n > 0.
  program_updates(schedule::dynamic_schedule how, std::int64_t n, std::uint64_t seed);

  [[nodiscard]] std::vector<std::int64_t> next(std::int64_t most) override;
  void changed(std::int64_t j, double change, double element) override;
  [[nodiscard]] std::int64_t updates() const override { return static_cast<std::int64_t>(order_.updates()); }
  [[nodiscard]] std::int64_t passes() const override { return static_cast<std::int64_t>(order_.passes()); }
  [[nodiscard]] bool has_converged() const override { return order_.has_converged(); }

 private:
  void refuse_untold() const;
  [[nodiscard]] std::vector<candidate> choose(std::size_t most);
  [[nodiscard]] double take_greatest2();

  const schedule::dynamic_schedule how_;
  const std::int64_t n_;
  std::optional<priorities> priorities_;
  dependences dependences_;
  update_order order_;
  tsl::robin_map<std::int64_t, candidate> untold_;  // of the last set
  double greatest2_ = 0;                            // of the elements told in this pass
  bool has_ended_ = false;
};

}  // namespace stradsap::rt
