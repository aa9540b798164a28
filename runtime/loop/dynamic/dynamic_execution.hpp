// Runs the updates of a dynamic loop and tells their order by how much each has changed its elements: in
// sets, or on one thread, on the elements themselves. All elements must be here. Thread rule: the driver's
// thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/loop/dynamic/kept_elements.hpp"
#include "runtime/loop/dynamic/update_order.hpp"
#include "runtime/loop/dynamic/update_sets.hpp"
#include "runtime/loop/run/whole_windows.hpp"

namespace stradsap::rt {

class dynamic_execution final : public abi::block_source {
 public:
  /// `partials`: one per capture; they hold the reductions before and after run(). `pool`, `ranks`: for sets,
  /// if the program asks for them. `how`: the program's priority, its first iterations, and the containers
  /// with changes that count. Throws error(errc::unsupported) if the body writes no element at its index, and
  /// error(errc::out_of_range) if a first iteration is none of the loop's.
  dynamic_execution(const loop_frame& f, const std::vector<std::byte*>& partials, const update_limits& limits,
                    const schedule::dynamic_schedule& how, const set_options& sets, executor_pool* pool,
                    const set_ranks& ranks = {});

  /// Runs the loop to its end. An exception, or an element that becomes infinite or not a number, ends it and
  /// is returned.
  [[nodiscard]] std::optional<failure> run();
  [[nodiscard]] const update_order& order() const { return order_; }
  /// Null if the program asks for no sets.
  [[nodiscard]] const update_sets* sets() const { return sets_.get(); }

  // ---- the body's side (abi::block_source) ----
  const abi::block* next() override;
  void begin(std::int64_t j) override { windows_.check()->begin(j, nullptr); }
  void end() override { windows_.check()->end(); }
  void failed(std::int64_t iteration, errc code, const char* what) override;

 private:
  /// A container that the body writes at its index.
  struct changed_container {
    std::size_t capture;
    std::unique_ptr<kept_elements> before;
  };

  void follow_changes(const std::vector<std::uint64_t>& followed);
  void choose_start();
  void run_in_sets();
  void run_one_by_one();
  void run_bodies();
  void begin_range();
  void keep_elements();
  void add_distances();
  void note_changes();
  void refuse_change(std::int64_t j);
  template <class See> void look_at_elements(const See& see) const;
  [[nodiscard]] double norm2(std::int64_t j) const;
  [[nodiscard]] double greatest2() const;
  [[nodiscard]] std::vector<std::int64_t> not_zero() const;

  const loop_frame& frame_;
  std::vector<std::int64_t> first_iterations_;  // of the program, all different
  bool names_first_ = false;                    // whether the program has named them
  whole_windows windows_;
  bool may_grow_ = false;  // some container is a map
  std::vector<changed_container> changed_;
  std::optional<priorities> priorities_;
  update_order order_;
  written_captures written_;
  std::unique_ptr<update_sets> sets_;
  abi::block block_;
  std::int64_t most_of_sweep_ = 1;  // iterations of a block
  update_range running_;
  std::vector<std::uint32_t> listed_;  // its iterations, in a sweep
  std::vector<double> squared_;        // their distances
  std::optional<failure> failure_;
};

}  // namespace stradsap::rt
