// The runtime's side of stradsap::schedule::dynamic_updates. Thread rule: one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <stradsap/schedule.hpp>

namespace stradsap::abi {

/// The updates of a dynamic schedule, set by set. Functions throw stradsap::error.
class update_source {
 public:
  virtual ~update_source() = default;
  [[nodiscard]] virtual std::vector<std::int64_t> next(std::int64_t most) = 0;
  virtual void changed(std::int64_t j_, double change, double element) = 0;
  [[nodiscard]] virtual std::int64_t updates() const = 0;
  [[nodiscard]] virtual std::int64_t passes() const = 0;
  [[nodiscard]] virtual bool has_converged() const = 0;
};

[[nodiscard]] std::unique_ptr<update_source> make_update_source(const schedule::dynamic_schedule& how,
                                                                std::int64_t n_);

}  // namespace stradsap::abi
