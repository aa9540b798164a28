#include "runtime/loop/dynamic/program_updates.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <stradsap/abi/program.hpp>
#include <stradsap/consistency.hpp>
#include <stradsap/error.hpp>

#include <fmt/format.h>

#include "runtime/loop/dynamic/set_choice.hpp"
#include "runtime/loop/dynamic/update_limit.hpp"

namespace stradsap::rt {

static void rethrow(const std::optional<failure>& found) {
  if (found) throw error(static_cast<errc>(found->code), found->what);
}

program_updates::program_updates(schedule::dynamic_schedule how, std::int64_t n, std::uint64_t seed)
    : how_(std::move(how)),
      n_(n),
      dependences_(how_.dependence(),
                   how_.threshold() < 0 ? consistency::approximate.rho() : how_.threshold(), n),
      order_(
          n, seed, limits_of(how_, n), [this] { return take_greatest2(); },
          how_.stated_priority() == nullptr ? nullptr
                                            : &priorities_.emplace(*how_.stated_priority(), n, seed)) {}

double program_updates::take_greatest2() { return std::exchange(greatest2_, 0); }

void program_updates::refuse_untold() const {
  if (untold_.empty()) return;
  std::int64_t first = untold_.begin()->first;
  for (const auto& [j, one] : untold_) first = std::min(first, j);
  throw error(errc::unsupported,
              fmt::format("next(): changed() was not called for {} iterations of the last set, such as {}",
                          untold_.size(), first));
}

std::vector<std::int64_t> program_updates::next(std::int64_t most) {
  if (most <= 0)
    throw error(errc::out_of_range,
                fmt::format("next() takes a positive number of updates, and got {}", most));
  refuse_untold();
  const std::vector<candidate> chosen = choose(static_cast<std::size_t>(std::min(most, n_)));
  std::vector<std::int64_t> set;
  set.reserve(chosen.size());
  for (const candidate& one : chosen) {
    set.push_back(one.iteration);
    untold_[one.iteration] = one;
  }
  if (set.empty() && !std::exchange(has_ended_, true))
    warn_of_end("schedule::dynamic().over()", how_, order_);
  return set;
}

/// Asks for all dependences: a set that has run cannot be undone.
std::vector<candidate> program_updates::choose(std::size_t most) {
  if (!dependences_.has_measure()) return order_.take(most);
  const std::vector<candidate> from = order_.take(num_candidates(how_.candidates(), most));
  if (from.empty()) return {};
  chosen_set set = choose_set(from, {most, std::min(most, from.size())}, dependences_, /*asks=*/true);
  rethrow(dependences_.failed());
  order_.give_back(std::move(set.left));
  std::vector<candidate> chosen;
  for (const std::vector<candidate>& shard : set.shards)
    chosen.insert(chosen.end(), shard.begin(), shard.end());
  return chosen;
}

void program_updates::changed(std::int64_t j, double change, double element) {
  const auto found = untold_.find(j);
  if (found == untold_.end()) {
    throw error(errc::out_of_range,
                fmt::format("changed({}): iteration {} is not in the last set, or was told already", j, j));
  }
  if (!std::isfinite(change) || !std::isfinite(element)) {
    throw error(errc::out_of_range,
                fmt::format("changed({}): a change of {:g} to {:g} is infinite, or not a number", j, change,
                            element));
  }
  const candidate one = found->second;
  untold_.erase(found);
  if (order_.is_in_pass()) greatest2_ = std::max(greatest2_, element * element);
  order_.changed(one, change * change);
  rethrow(order_.failed());
}

namespace {

class no_updates final : public abi::update_source {
 public:
  [[nodiscard]] std::vector<std::int64_t> next(std::int64_t) override { return {}; }
  void changed(std::int64_t j, double, double) override {
    throw error(errc::out_of_range, fmt::format("changed({}): there are no iterations", j));
  }
  [[nodiscard]] std::int64_t updates() const override { return 0; }
  [[nodiscard]] std::int64_t passes() const override { return 0; }
  [[nodiscard]] bool has_converged() const override { return true; }
};

}  // namespace

}  // namespace stradsap::rt

std::unique_ptr<stradsap::abi::update_source> stradsap::abi::make_update_source(
    const schedule::dynamic_schedule& how, std::int64_t n) {
  const auto refuse = [](bool is_stated, const char* text) {
    if (is_stated) throw error(errc::unsupported, std::string("schedule::dynamic().over() takes no ") + text);
  };
  refuse(how.set_size() != 0, "set_size(): next(n) takes the size");
  refuse(how.pipeline_depth() > 0, "pipeline_depth(): a set ends before the next one");
  refuse(how.first_iterations() != nullptr, "begin_with(): the first set begins a pass");
  refuse(!how.followed().empty(), "follow(): changed() tells the changes that count");
  refuse(how.by_accesses(), "depends_on_accesses(): it has no body");
  if (n <= 0) return std::make_unique<rt::no_updates>();
  return std::make_unique<rt::program_updates>(how, n, seed());
}
