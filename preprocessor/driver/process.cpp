#include "driver/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

extern char** environ;

namespace stradsap::pp {

static sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&set, signal);
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
  // the child hears the signals that we leave to our own thread
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  if (output >= 0) posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
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

int process_runner::run(const std::vector<std::string>& command) {
  std::fflush(nullptr);
  if (const int failure = start(command, -1); failure != 0) {
    std::fprintf(stderr, "stradsap-cc: error: cannot run %s: %s\n", command[0].c_str(), strerror(failure));
    return 127;
  }
  return wait();
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

void process_runner::forward(int signal) {
  if (const pid_t child = child_; child > 0) kill(child, signal);
}

interruption::interruption(process_runner& runner, std::filesystem::path folder)
    : runner_(runner), folder_(std::move(folder)) {
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  waiter_ = std::thread([this] { wait_for_signal(); });
}

interruption::~interruption() {
  pthread_kill(waiter_.native_handle(), SIGUSR1);  // to that thread alone: it means the end of its work
  waiter_.join();
}

void interruption::wait_for_signal() {
  const sigset_t set = stop_signals();
  int signal = 0;
  sigwait(&set, &signal);
  if (signal == SIGUSR1) return;
  runner_.forward(signal);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  ::signal(signal, SIG_DFL);
  sigset_t this_one;
  sigemptyset(&this_one);
  sigaddset(&this_one, signal);
  pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
  raise(signal);
}

}  // namespace stradsap::pp
