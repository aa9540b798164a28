#include "driver/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

extern char** environ;

namespace stradsap::pp {

/// The signals that end the driver. A signal that the parent process ignores, as under nohup, stays ignored.
static sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now;
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&set, signal);
  }
  return set;
}

int process_runner::start(const std::vector<std::string>& command, int output) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t files;
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_init(&files);
  // the child must receive the signals that the driver blocks for its waiting thread
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  if (output >= 0) posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  const auto held = not_now();
  pid_t child = 0;
  const int failure = posix_spawnp(&child, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failure == 0) child_ = child;
  return failure;
}

int process_runner::wait() {
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = 0;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int process_runner::run(const std::vector<std::string>& command) { return run_into(command, -1); }

int process_runner::run(const std::vector<std::string>& command, const std::string& output) {
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) {
    std::fprintf(stderr, "stradsap-cc: error: cannot write %s: %s\n", output.c_str(), strerror(errno));
    return 1;
  }
  const int status = run_into(command, file);
  close(file);
  return status;
}

int process_runner::run_into(const std::vector<std::string>& command, int output) {
  std::fflush(nullptr);
  rusage before, after;
  getrusage(RUSAGE_CHILDREN, &before);
  if (const int failure = start(command, output); failure != 0) {
    std::fprintf(stderr, "stradsap-cc: error: cannot run %s: %s\n", command[0].c_str(), strerror(failure));
    return 127;
  }
  const int status = wait();
  getrusage(RUSAGE_CHILDREN, &after);
  if (prints_times_) print_time(command[0], before, after);
  return status;
}

static double seconds(const timeval& from, const timeval& to) {
  return static_cast<double>(to.tv_sec - from.tv_sec) + 1e-6 * static_cast<double>(to.tv_usec - from.tv_usec);
}

void print_time(const std::string& name, const rusage& before, const rusage& after) {
  std::fprintf(stderr, "# %s %.2f %.2f\n", name.c_str(), seconds(before.ru_utime, after.ru_utime),
               seconds(before.ru_stime, after.ru_stime));
}

std::string process_runner::first_line_of(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  std::string text;
  if (start(command, ends[1]) != 0) {
    close(ends[0]);
    close(ends[1]);
    return {};
  }
  close(ends[1]);
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) != 0;) {
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) break;
  }
  close(ends[0]);
  return wait() == 0 ? text.substr(0, text.find('\n')) : std::string();
}

void process_runner::stop(int signal) {
  const pid_t child = child_;
  if (child <= 0) return;
  const int ended = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  kill(child, signal);
  pollfd wait_for{ended, POLLIN, 0};
  constexpr int moment_ms = 2000;
  if (ended >= 0) poll(&wait_for, 1, moment_ms);
}

interruption::interruption(process_runner& runner, temporary_directory& folder)
    : runner_(runner), folder_(folder) {
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  waiter_ = std::thread([this] { wait_for_signal(); });
}

interruption::~interruption() {
  pthread_kill(waiter_.native_handle(), SIGUSR1);  // to that thread alone: it ends its wait
  waiter_.join();
}

void interruption::wait_for_signal() {
  const sigset_t set = stop_signals();
  int signal = 0;
  sigwait(&set, &signal);
  if (signal == SIGUSR1) return;
  auto held = runner_.not_now(std::chrono::seconds(1));  // a blocked write to a pipe must not delay the end
  runner_.stop(signal);
  folder_.remove();
  ::signal(signal, SIG_DFL);
  sigset_t this_one;
  sigemptyset(&this_one);
  sigaddset(&this_one, signal);
  pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
  raise(signal);
}

}  // namespace stradsap::pp
