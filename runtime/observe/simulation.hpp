// `--simulate`: records the costs of launches in a run on one rank, and predicts them at the end for another
// number of ranks and threads. Thread rule: one thread, the driver's.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/loop/launch/launch_request.hpp"
#include "runtime/observe/prediction.hpp"

namespace stradsap::rt {

class simulation {
 public:
  explicit simulation(const simulated_cluster& on) : on_(on) {}

  /// Call it after a launch's bodies have run. `handles`: as `f.replicas`. `p`: null for a `sync` loop on
  /// copies.
  void observe(const loop_frame& f, const std::vector<driver_handle*>& handles, const plan* p,
               const launch& l, const loop_result& result);
  /// Ends the launch that was observed last. `seconds`: its time without planning.
  void complete(std::string_view label, double seconds);
  /// Records a launch that ran on the driver's thread.
  void ran_alone(const launch_request& r, const abi::launch_key& key, double seconds, std::string why);

  /// One prediction for each loop, in the order of first launches.
  [[nodiscard]] std::vector<loop_prediction> predict();

 private:
  /// A plan and the costs of its launches.
  struct plan_history {
    std::shared_ptr<sampled_plan> plan = std::make_shared<sampled_plan>();
    std::deque<std::vector<float>> block_seconds;
    std::deque<double> compute_seconds;
    std::deque<double> seconds_around;
    bool is_settled = false;
  };
  struct kept_launch {
    launch_sample sample;
    std::shared_ptr<plan_history> history;
  };
  struct kept_loop {
    std::uint64_t launches = 0;
    std::deque<kept_launch> last;
  };
  struct element_cost {
    std::uint64_t size = 0;
    double bytes = 0;
    double seconds_per_byte = 0;
  };

  void sample_launch(const loop_frame& f, const std::vector<driver_handle*>& handles, const plan* p,
                     const launch& l, const loop_result& result);
  [[nodiscard]] std::shared_ptr<plan_history> history_of(const loop_frame& f, const plan& p, const launch& l);
  [[nodiscard]] sampled_container sample(const driver_handle& handle, const char* name, usage use);
  void keep(kept_launch launch);
  void note_versions();
  static void settle(plan_history& h);
  [[nodiscard]] loop_prediction begin_prediction(const kept_loop& loop) const;

  const simulated_cluster on_;
  std::vector<std::string> keys_;  // of loops_, in the order of first launches
  std::map<std::string, kept_loop> loops_;
  std::map<plan_id, std::shared_ptr<plan_history>> histories_;
  std::map<container_id, std::uint64_t> versions_;  // after the last loop that used it
  std::map<container_id, element_cost> costs_;
  kept_launch now_;
  double seconds_slowest_ = 0;    // of `now_`, of the executor that took longest
  double seconds_observing_ = 0;  // of `now_`, in observe()
  std::vector<const driver_handle*> handles_of_now_;
};

}  // namespace stradsap::rt
