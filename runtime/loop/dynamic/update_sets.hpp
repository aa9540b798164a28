// Runs the updates of a dynamic loop in sets. The shards of a set run side by side, each on private copies of
// the containers that all iterations share; then their changes are added to the elements, in the order of
// shards. If iterations of two shards turn out to be dependent, and both have changed their elements, the
// later shard is undone and its iterations run again. Which sets form depends on counts, changes and the
// seed, never on executors. Thread rule: the driver's thread, which lends shards to executors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/loop/dynamic/set_choice.hpp"
#include "runtime/loop/dynamic/update_shard.hpp"
#include "runtime/loop/launch/executor_pool.hpp"

namespace stradsap::rt {

/// The sets that the program asks for.
struct set_options {
  const abi::dependence* depends = nullptr;
  double rho = 0;
  std::int64_t size = 0;    // 0: automatic, and one after the other if updates are short
  std::int64_t shards = 0;  // 0: automatic

  [[nodiscard]] bool asks_for_sets() const { return size > 1 || (size == 0 && depends != nullptr); }
};

struct set_counts {
  std::uint64_t sets = 0;
  std::uint64_t undone = 0;     // updates
  std::uint64_t questions = 0;  // calls of the program's measure
  std::size_t shards = 0;       // of a set, at most
};

class update_sets {
 public:
  /// The end of a run. `not_finite`: an iteration that moved its element by no finite distance.
  struct end {
    std::optional<failure> failed;
    std::optional<std::int64_t> not_finite;
  };

  /// `partials` as for dynamic_execution.
  update_sets(const loop_frame& f, const std::vector<std::byte*>& partials, const written_captures& written,
              const set_options& options, update_order& order, executor_pool& pool);

  /// Runs the loop to its end, unless why_not() gives a reason against sets.
  [[nodiscard]] end run();
  /// Why updates run one after the other; empty if they run in sets.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  [[nodiscard]] set_counts counts() const;

 private:
  [[nodiscard]] std::string reason_against_copies() const;
  [[nodiscard]] end try_updates();
  [[nodiscard]] bool many_will_change() const;
  [[nodiscard]] set_shape shape_for(std::size_t candidates) const;
  void make_shards();
  void copy_elements(update_shard& to) const;
  void run_shards(chosen_set& set);
  [[nodiscard]] std::vector<candidate> refuse_dependent_shards();
  [[nodiscard]] bool depends_on_earlier(std::size_t l);
  [[nodiscard]] end note(const update_shard& one);
  void fold();
  void fold_piece(std::size_t i, std::size_t first_byte, std::vector<std::byte>& start);
  void on_all(std::size_t tasks, const std::function<void(std::size_t task)>& run);

  const loop_frame& frame_;
  const std::vector<std::byte*>& partials_;
  const written_captures& written_;
  const set_options options_;
  set_shape shape_;
  update_order& order_;
  executor_pool& pool_;
  dependences dependences_;
  std::string why_not_;
  std::vector<std::unique_ptr<update_shard>> shards_;
  std::vector<bool> is_refused_;  // shards of the last set
  std::vector<char> is_current_;  // shards with copies of the elements as they are
  std::size_t num_used_ = 0;      // the first shards, by the last set
  double seconds_of_set_ = 0;     // of one thread
  std::size_t last_updates_ = 0;  // of the last set
  std::size_t last_changed_ = 0;  // that changed elements
  set_counts counts_;
};

}  // namespace stradsap::rt
