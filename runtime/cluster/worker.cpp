#include "runtime/cluster/worker.hpp"

#include <utility>

#include <fmt/format.h>

#include "runtime/base/log.hpp"
#include "runtime/base/worker_signals.hpp"

namespace stradsap::rt {

void worker::serve() {
  while (true) {
    const message order = next();
    if (std::holds_alternative<shutdown>(order)) return node_.net()->expect_departures();
    if (const auto* wanted = std::get_if<recall>(&order)) {
      serve(*wanted);
    } else if (const auto* folded = std::get_if<fold_clocks>(&order)) {
      serve(*folded);
    } else if (const auto* scales = std::get_if<resumed_scales>(&order)) {
      node_.perform(*scales);
    } else {
      node_.net()->send(driver_rank, node_.perform(std::get<launch>(order)));
    }
  }
}

/// The driver gets the reason of a failure by the exchange. If it has ended the run meanwhile, nobody needs
/// the recall.
void worker::serve(const recall& wanted) {
  try {
    node_.perform(wanted);
  } catch (const error& e) {
    if (!is_leaving_) warn(fmt::format("rank {}: {}", node_.settings().rank, e.what()));
  }
}

/// The driver finds the error of a merge itself.
void worker::serve(const fold_clocks& folded) {
  try {
    (void)node_.perform(folded);
  } catch (const rank_gave_up&) {
    if (!is_leaving_) throw;
  }
}

message worker::next() {
  const lock_guard hold(mutex_);
  // The wait ends in any case: the network thread ends the process if the driver is lost.
  while (orders_.empty()) notification_.wait(mutex_, node_.waiting());
  message order = std::move(orders_.front());
  orders_.pop_front();
  return order;
}

void worker::heard(rank_id from, message m) {
  if (from != driver_rank) throw error(errc::decode, fmt::format("rank {} gives orders", from));
  if (std::holds_alternative<shutdown>(m)) {
    is_leaving_ = true;
    for (const rank_id peer : lost_) node_.ranks().departed(peer);
  }
  const lock_guard hold(mutex_);
  orders_.push_back(std::move(m));
  notification_.announce();
}

// The driver ends the run. It may not have lost the other worker itself, if only the way between the workers
// has failed. Once the driver has ended it, ranks leave one after the other.
void worker::peer_lost(rank_id peer, const std::string& why) {
  if (is_leaving_) return node_.ranks().departed(peer);
  lost_.push_back(peer);
  if (peer != driver_rank) return node_.net()->send(driver_rank, lost_peer{peer, why});
  const bool is_announced = node_.watch() != nullptr && node_.watch()->is_ending();
  if (is_announced || is_told_to_end()) end_stuck(lost_peer_status);  // the driver has said the reason
  die(lost_peer_status, fmt::format("rank {} stops: it lost rank {}: {}", node_.settings().rank, peer, why));
}

}  // namespace stradsap::rt
