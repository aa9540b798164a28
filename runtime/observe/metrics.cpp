#include "runtime/observe/metrics.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "runtime/base/elapsed.hpp"
#include "runtime/base/log.hpp"

namespace stradsap::rt {

static constexpr std::string_view own_columns[] = {
    "iter", "seconds", "seconds_compute", "seconds_wait", "seconds_plan", "bytes_sent", "staleness"};

static std::string field_of(std::string_view name) {
  if (name.find_first_of(",\"") == std::string_view::npos) return std::string(name);
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

static std::string header_of(const std::vector<std::string>& names) {
  std::string line = fmt::format("{}", fmt::join(own_columns, ","));
  for (const std::string& name : names) line += ',' + field_of(name);
  return line + '\n';
}

/// Standard output may be a file: opened anew, it would have a second place, and lose the program's lines.
static int open_to_write(const std::string& path) {
  if (path == "/dev/stdout") return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (path == "/dev/stderr") return ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
}

metrics::metrics(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  file_ = open_to_write(path_);
  struct stat kind = {};
  if (file_ < 0 || fstat(file_, &kind) != 0)
    die(2, fmt::format("{}: cannot write the metrics: {}", path_, std::strerror(errno)));
  // /dev/stdout may be a regular file, which others write, too
  is_regular_ = S_ISREG(kind.st_mode) && !path_.starts_with("/dev/") && !path_.starts_with("/proc/");
  std::error_code failed;
  if (is_regular_) path_ = std::filesystem::canonical(path_, failed).string();
  if (is_regular_) append(header_of(names_));
}

metrics::~metrics() {
  if (file_ >= 0) ::close(file_);
}

void metrics::check(std::span<const abi::reported_value> values) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::string_view name = values[k].name;
    const auto is_same = [&](const abi::reported_value& other) { return other.name == name; };
    if (name.empty() || name.find_first_of("\n\r") != std::string_view::npos)
      throw error(errc::unsupported, fmt::format("report: '{}' is no name of a column", name));
    if (std::find(std::begin(own_columns), std::end(own_columns), name) != std::end(own_columns))
      throw error(errc::unsupported,
                  fmt::format("report: {} is a column of the runtime: take another name", name));
    if (std::any_of(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k), is_same))
      throw error(errc::unsupported, fmt::format("report: {} has two values", name));
  }
}

/// Of the calls of stale loops in between; 0 if there are none.
static double staleness_between(const counters& before, const counters& now) {
  const auto clocks = static_cast<double>(now.clocks - before.clocks);
  return clocks == 0 ? 0 : static_cast<double>(now.staleness - before.staleness) / clocks;
}

void metrics::add(std::span<const abi::reported_value> values, const counters& loops) {
  if (file_ < 0 || values.empty()) return;
  add_columns(values);
  if (file_ < 0) return;
  const std::uint64_t iter = rows_.try_emplace(std::string(values.front().name)).first->second++;
  std::string line =
      fmt::format("{},{:.6f},{:.6f},{:.6f},{:.6f},{},{:g}", iter, seconds_since(start_),
                  loops.seconds_compute - before_.seconds_compute, loops.seconds_wait - before_.seconds_wait,
                  loops.seconds_plan - before_.seconds_plan, loops.bytes_sent - before_.bytes_sent,
                  staleness_between(before_, loops));
  before_ = loops;
  for (const std::string& name : names_) {
    line += ',';
    for (const abi::reported_value& one : values) {
      if (one.name == name) line += fmt::format("{}", one.value);
    }
  }
  append(line + '\n');
}

void metrics::add_columns(std::span<const abi::reported_value> values) {
  const std::size_t columns_before = names_.size();
  for (const abi::reported_value& one : values) {
    if (std::find(names_.begin(), names_.end(), one.name) != names_.end()) continue;
    if (!is_regular_ && !rows_.empty()) {  // a stream keeps its first header
      warn_once(path_ + std::string(one.name),
                fmt::format("{} is no regular file: its columns stay those of the first report, without {}",
                            path_, one.name));
      continue;
    }
    names_.emplace_back(one.name);
  }
  if (!is_regular_ && rows_.empty()) return append(header_of(names_));
  if (names_.size() != columns_before) rewrite(columns_before);
}

/// Adds the new columns, empty in the rows so far.
void metrics::rewrite(std::size_t columns_before) {
  const std::string aside = fmt::format("{}.{}.part", path_, ::getpid());
  const std::string filling(names_.size() - columns_before, ',');
  std::ifstream old(path_);
  std::ofstream file(aside);
  file << header_of(names_);
  std::string line;
  std::getline(old, line);  // the old header
  while (std::getline(old, line)) file << line << filling << '\n';
  file.close();
  struct stat kind = {};
  if (fstat(file_, &kind) == 0) (void)::chmod(aside.c_str(), kind.st_mode & 07777);
  if (!file || old.bad() || std::rename(aside.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    ::unlink(aside.c_str());
    return stop(std::strerror(reason));
  }
  ::close(file_);
  file_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file_ < 0) stop(std::strerror(errno));
}

namespace {

/// Keeps SIGPIPE of this thread's writes from the process: a write to a pipe without a reader just fails.
class no_pipe_signal {
 public:
  no_pipe_signal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~no_pipe_signal() {
    constexpr timespec now{};
    if (sigismember(&before_, SIGPIPE) != 0) return;
    (void)sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  no_pipe_signal(const no_pipe_signal&) = delete;
  no_pipe_signal& operator=(const no_pipe_signal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

}  // namespace

/// A full disk cuts no row in two: the part that was written is taken back.
void metrics::append(const std::string& text) {
  const no_pipe_signal during;
  struct stat before = {};
  (void)fstat(file_, &before);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(file_, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const char* const reason = std::strerror(errno);
      if (is_regular_) (void)!ftruncate(file_, before.st_size);
      return stop(reason);
    }
    at += static_cast<std::size_t>(written);
  }
}

void metrics::stop(const char* reason) {
  warn(fmt::format("{}: cannot write the metrics: {}; further rows are lost", path_, reason));
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

}  // namespace stradsap::rt
