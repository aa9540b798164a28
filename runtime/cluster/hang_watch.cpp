#include "runtime/cluster/hang_watch.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "runtime/base/log.hpp"
#include "runtime/observe/hang_report.hpp"

namespace stradsap::rt {

static constexpr int hang_status = 124;  // as of stradsap-run for a time-out
static constexpr std::chrono::seconds time_for_states{3};
static constexpr int times_for_planning = 4;

/// From a second thread on malloc takes locks, so bodies on the only thread of a run are watched on request.
static bool is_worthwhile(const options& o) {
  return o.hang_timeout.count() != 0 && (o.ends_hangs || o.world_size * o.threads > 1);
}

hang_watch::hang_watch(const options& o, watched_rank& of, transport* net)
    : options_(o),
      of_(of),
      net_(net),
      is_wanted_(is_worthwhile(o)),
      detector_(o.world_size, o.hang_timeout),
      pulses_(static_cast<std::size_t>(o.world_size)),
      has_pulse_(static_cast<std::size_t>(o.world_size)) {
  if (is_wanted_ && net != nullptr) start();
}

hang_watch::~hang_watch() {
  if (!thread_.joinable()) return;
  {
    const lock_guard hold(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

/// All signals of the thread are blocked, for the main thread to get them.
void hang_watch::start() {
  sigset_t every;
  sigset_t before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_setname_np(thread_.native_handle(), "watch");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void hang_watch::begin_loop(const char* site) {
  if (depth_++ > 0 || !is_wanted_) return;
  loops_.store(loops_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  site_ = site;
  if (!thread_.joinable()) start();
}

void hang_watch::end_loop() {
  if (--depth_ > 0 || !is_wanted_) return;
  const lock_guard hold(mutex_);
  site_ = nullptr;
}

bool hang_watch::takes(const message& m) {
  return std::holds_alternative<pulse>(m) || std::holds_alternative<state_request>(m) ||
         std::holds_alternative<rank_state>(m);
}

void hang_watch::received(rank_id from, const message& m) {
  const auto place = static_cast<std::size_t>(from);
  const lock_guard hold(mutex_);
  if (const auto* request = std::get_if<state_request>(&m)) {
    is_ending_ = request->ends_run;
    is_asked_ = true;
  } else if (const auto* came = std::get_if<pulse>(&m)) {
    pulses_[place] = *came;
    has_pulse_[place] = true;
    return;
  } else if (const auto* state = std::get_if<rank_state>(&m); state != nullptr && !states_.empty()) {
    states_[place] = *state;  // else it is too late
  }
  changed_.notify_all();
}

// ---- the thread ----

void hang_watch::watch() {
  const auto interval = detector_.interval();
  auto seen = steady::now();
  while (true) {
    bool is_asked = false;
    {
      const auto due = seen + interval;
      const lock_guard hold(mutex_);
      while (!stop_ && !is_asked_ && changed_.wait_until(mutex_, due)) {
      }
      if (stop_) return;
      is_asked = std::exchange(is_asked_, false);
    }
    if (is_asked) net_->send(driver_rank, own_state());
    const auto now = steady::now();
    if (now - seen < interval) continue;
    now_ += std::min(std::chrono::duration_cast<stall_detector::duration>(now - seen), 2 * interval);
    seen = now;
    beat();
  }
}

pulse hang_watch::own_pulse() {
  return {of_.progress() + loops_.load(std::memory_order_relaxed), site_ != nullptr, of_.is_planning()};
}

void hang_watch::beat() {
  if (options_.rank != driver_rank) return net_->send(driver_rank, own_pulse());
  detector_.heard(driver_rank, own_pulse(), now_);
  {
    const lock_guard hold(mutex_);
    for (std::size_t r = 1; r < pulses_.size(); ++r) {
      if (has_pulse_[r]) detector_.heard(static_cast<rank_id>(r), pulses_[r], now_);
    }
    has_pulse_.assign(has_pulse_.size(), false);
  }
  if (detector_.is_stalled(now_)) report();
}

static std::string own_process() {
  char host[256] = "";
  (void)::gethostname(host, sizeof host - 1);
  return fmt::format("process {} on {}", ::getpid(), host);
}

rank_state hang_watch::own_state() {
  rank_state mine;
  mine.process = own_process();
  mine.awaits = of_.awaits();
  mine.stacks = lines_of(stacks_of_threads());
  const lock_guard hold(mutex_);
  if (const char* site = site_; site != nullptr) mine.site = site;
  return mine;
}

std::vector<std::optional<rank_state>> hang_watch::collect_states(bool ends_run) {
  {
    const lock_guard hold(mutex_);
    states_.assign(pulses_.size(), std::nullopt);
  }
  for (rank_id to = 1; to < options_.world_size; ++to) net_->send(to, state_request{ends_run});
  rank_state mine = own_state();
  const auto end = steady::now() + time_for_states;
  const lock_guard hold(mutex_);
  states_[driver_rank] = std::move(mine);
  while (lacks_states() && changed_.wait_until(mutex_, end)) {
  }
  return std::exchange(states_, {});
}

bool hang_watch::lacks_states() const {
  return !std::all_of(states_.begin(), states_.end(), [](const auto& one) { return one.has_value(); });
}

/// Planning does not count its steps, so it gets more time.
void hang_watch::report() {
  const auto limit = (detector_.is_planning() ? times_for_planning : 1) * options_.hang_timeout;
  const bool ends_run = options_.ends_hangs && detector_.stalled_for(now_) >= limit;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(detector_.stalled_for(now_));
  const std::string text = hang_report(seconds, collect_states(ends_run));
  if (ends_run) {
    tell_at_once("stradsap: error: " + text);
    end_stuck(hang_status);
  }
  tell_at_once("stradsap: warning: " + text +
               (options_.ends_hangs ? "stradsap: the run goes on, since it plans a loop\n"
                                    : "stradsap: the run goes on; --hang-timeout S would end it\n"));
  detector_.reported(now_);
}

}  // namespace stradsap::rt
