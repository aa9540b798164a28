#include "runtime/observe/progress.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>

#include <unistd.h>

#include <fmt/format.h>

#include "runtime/base/log.hpp"

namespace stradsap::rt {

static constexpr std::chrono::milliseconds between_looks{250};
static constexpr std::chrono::seconds least_shown{1};
static constexpr std::chrono::seconds between_rows{10};
static constexpr std::uint64_t many_units = 30'000'000;  // bytes; a reader may count once at its end
static constexpr std::chrono::milliseconds close_counts{1};
static constexpr std::int64_t many_to_plan = 1'000'000;  // planning, which does not count, may take a second

progress::progress(work_counter& loops, const options& o)
    : loops_(loops),
      quiet_(o.quiet),
      columns_(o.columns),
      on_terminal_(o.columns > 0 || isatty(STDERR_FILENO) != 0),
      looks_itself_(o.threads == 1 && o.world_size == 1),
      may_start_(!looks_itself_) {
  if (looks_itself_ && !quiet_) loops_.tell(this);
}

progress::~progress() {
  loops_.tell(nullptr);
  if (!thread_.joinable()) return;
  {
    const lock_guard hold(mutex_);
    stop_ = true;
    stopping_.notify_all();
  }
  thread_.join();
}

/// The thread begins with the first operation. All its signals are blocked, for the main thread to get them.
void progress::start() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_setname_np(thread_.native_handle(), "progress");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void progress::begin_launch(const void* loop, std::int64_t n, const char* site, const char* label,
                            steady::time_point now) {
  if (quiet_) return;
  const lock_guard hold(mutex_);
  const std::uint64_t call = ++calls_[loop];
  if (depth_++ > 0) return;
  ++operations_;
  begin_counting(now);
  iterations_ = n;
  site_ = site;
  label_ = label;
  call_ = call;
  if (may_start_ && !thread_.joinable()) start();
}

void progress::begin_counting(steady::time_point now) {
  if (now - checked_ > close_counts) to_pass_ = 0;
  checked_ = now;
  passed_ = 0;
  longest_gap_ = {};
}

/// Checks the clock at each count, or at fewer if they are close together.
void progress::counted() {
  if (thread_.joinable() || passed_++ < to_pass_) return;
  constexpr std::uint32_t most_to_pass = 255;
  const steady::time_point now = steady::now();
  to_pass_ = now - checked_ < close_counts ? std::min(2 * to_pass_ + 1, most_to_pass) : 0;
  longest_gap_ = std::max(longest_gap_, (now - checked_) / passed_);
  passed_ = 0;
  checked_ = now;
  if (now - looked_ < between_looks) return;
  looked_ = now;
  const lock_guard hold(mutex_);
  if (depth_ > 0) look(now);
}

void progress::began(work_stage stage) {
  if (thread_.joinable() || stage != work_stage::planning || iterations_ < many_to_plan) return;
  const lock_guard hold(mutex_);
  start();
}

void progress::took() {
  constexpr std::chrono::milliseconds long_gap{500};
  if (may_start_ || quiet_) return;
  may_start_ = std::max(longest_gap_, (steady::now() - checked_) / (passed_ + 1)) > long_gap;
}

void progress::begin(std::string_view name, std::string_view unit, std::uint64_t total) {
  if (quiet_) return;
  const lock_guard hold(mutex_);
  if (depth_++ > 0) return;
  begin_counting(steady::now());
  ++operations_;
  site_ = nullptr;
  name_ = name;
  unit_ = unit;
  total_ = total;
  done_ = 0;
  units_ = 0;
  if ((may_start_ || total >= many_units) && !thread_.joinable()) start();
}

void progress::weigh_iterations(std::uint64_t units) {
  if (quiet_) return;
  const lock_guard hold(mutex_);
  units_ = units;
}

void progress::advance(std::uint64_t count) {
  if (quiet_) return;
  {
    const lock_guard hold(mutex_);
    done_ += count;
    units_ = 0;
  }
  if (looks_itself_) counted();
}

void progress::end() {
  if (quiet_) return;
  const lock_guard hold(mutex_);
  if (--depth_ > 0 || !is_shown_) return;
  is_shown_ = false;
  show("");
}

/// On a terminal; no text removes the line.
void progress::show(const std::string& line) const {
  if (columns_ > 0) return relay_line(line.substr(0, static_cast<std::size_t>(columns_)));
  line.empty() ? clear_line() : show_line(line);
}

void progress::reported(std::string_view name, double value) {
  if (quiet_) return;
  const lock_guard hold(mutex_);
  last_value_ = fmt::format(", {} {:.6g}", name, value);
}

void progress::watch() {
  const lock_guard hold(mutex_);
  while (!stop_) {
    stopping_.wait_until(mutex_, steady::now() + between_looks);
    if (depth_ > 0 && !stop_) look(steady::now());
  }
}

work_counter::state progress::work_now() const {
  const work_counter::state launch = loops_.now();
  if (site_ != nullptr) return launch;
  return {work_stage::running, done_ + units_ * launch.done, total_};
}

/// Notes new operations and stages, and shows those that take longer than a second.
void progress::look(steady::time_point now) {
  const work_counter::state work = work_now();
  if (seen_.operation != operations_) begun_ = now;
  if (seen_.operation != operations_ || seen_.stage != work.stage)
    seen_ = {operations_, work.stage, now, work.done};
  if (now - begun_ < least_shown) return;
  if (on_terminal_) {
    is_shown_ = true;
    return show("stradsap: " + text(work, now));
  }
  if (last_row_ != steady::time_point() && now - last_row_ < between_rows) return;
  last_row_ = now;
  inform(text(work, now));
}

static std::string duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

static std::string rounded(double number) {
  constexpr const char* powers[] = {"", " k", " M", " G", " T"};
  std::size_t power = 0;
  for (; number >= 1000 && power + 1 < std::size(powers); ++power) number /= 1000;
  return fmt::format("{:.3g}{}", number, powers[power]);
}

std::string progress::text(const work_counter::state& work, steady::time_point now) const {
  std::string line = name_;
  std::string unit = unit_;
  if (site_ != nullptr) {
    const std::string_view site(site_);
    line = fmt::format("{}, pass {}", label_ != nullptr ? label_ : site.substr(site.rfind('/') + 1), call_);
    unit = "iterations";
  }
  const double seconds = std::chrono::duration<double>(now - seen_.since).count();
  if (work.stage == work_stage::planning) {
    line += ": planning, " + duration(seconds);
  } else if (work.done <= seen_.done || seconds <= 0) {
    line += ": " + duration(std::chrono::duration<double>(now - begun_).count());
  } else {
    const double rate = static_cast<double>(work.done - seen_.done) / seconds;
    line += ": ";
    if (work.total != 0)
      line += fmt::format("{} %, ", std::min<std::uint64_t>(100, 100 * work.done / work.total));
    line += fmt::format("{} {}/s", rounded(rate), unit);
    if (work.total > work.done)
      line += fmt::format(", {} left",
                          duration(std::max(1.0, static_cast<double>(work.total - work.done) / rate)));
  }
  return site_ != nullptr ? line + last_value_ : line;
}

}  // namespace stradsap::rt
