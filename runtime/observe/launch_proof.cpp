#include "runtime/observe/launch_proof.hpp"

#include <fstream>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stradsap/cereal.hpp>

#include "runtime/base/log.hpp"
#include "runtime/dds/element_exchange.hpp"
#include "runtime/observe/serial_order.hpp"

namespace stradsap::rt {

launch_proof::launch_proof(const loop_frame& frame, exchange& ranks)
    : frame_(frame), ranks_(ranks), start_(owned_states(frame, ranks.self())) {}

static void write_order(const std::string& path, const loop_frame& f,
                        const std::vector<std::int64_t>& order) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::app);
  file << fmt::format("{{\"launch\": {}, \"order\": [{}]}}\n", f.launch.number, fmt::join(order, ", "));
  file.close();
  if (!file) warn("cannot write the serial order to " + path);
}

void verify_order(const loop_frame& frame, std::vector<std::uint32_t> declared, bool failed,
                  std::vector<access_log> logs, const std::string& order_path) {
  launch_evidence seen{frame.site, {}, frame.n, std::move(declared), failed, std::move(logs)};
  for (std::size_t c = 0; c < frame.num_captures(); ++c)
    seen.containers.emplace_back(frame.replicas[c] == nullptr ? "" : frame.name_of(c));
  const serial_order_verdict verdict = find_serial_order(seen);
  if (!verdict.fault.empty()) stop_check(verdict.fault);
  write_order(order_path, frame, verdict.order);
}

void note_program_order(const loop_frame& frame, const std::string& order_path) {
  if (order_path.empty()) return;
  std::vector<std::int64_t> order(static_cast<std::size_t>(frame.n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  write_order(order_path, frame, order);
}

void launch_proof::verify(std::vector<std::uint32_t> declared, loop_result& result,
                          const std::string& order_path) {
  std::vector<access_log> mine = std::move(result.logs);
  mine.push_back({{}, {}, {}, std::move(start_), owned_states(frame_, ranks_.self())});
  element_exchange reports(ranks_);
  abi::output_archive{reports.writer(driver_rank)}(!result.failures.empty(), mine);
  reports.trade();
  if (ranks_.self() != driver_rank) return;
  bool any_failed = false;
  std::vector<access_log> all;
  for (rank_id from = 0; from < ranks_.world_size(); ++from) {
    bool failed = false;
    std::vector<access_log> logs;
    abi::input_archive{reports.reader(from)}(failed, logs);
    any_failed = any_failed || failed;
    std::move(logs.begin(), logs.end(), std::back_inserter(all));
  }
  verify_order(frame_, std::move(declared), any_failed, std::move(all), order_path);
}

}  // namespace stradsap::rt
