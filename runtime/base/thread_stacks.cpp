#include "runtime/base/thread_stacks.hpp"

#include <cxxabi.h>
#include <limits.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>

#include <backtrace.h>
#include <fmt/format.h>

#include "runtime/base/code_owners.hpp"

namespace stradsap::rt {
namespace {

constexpr int request = SIGURG;  // without a handler it has no effect
constexpr int most_threads = 256;
constexpr int most_frames = 96;
constexpr std::size_t most_lines = 8;
constexpr long nanoseconds_to_answer = 500'000'000;

/// Written by the handler of thread `id`, until it sets `size`.
struct answer {
  std::atomic<pid_t> id{0};
  std::atomic<int> size{-1};
  int noted = 0;
  std::uintptr_t pcs[most_frames];
};

answer answers[most_threads];
std::atomic<backtrace_state*> symbols{nullptr};
sem_t answered;  // by a handler, which may call little else
bool is_handled = false;

void ignore_failure(void*, const char*, int) {}

int note_pc(void* into, std::uintptr_t pc) {
  auto& mine = *static_cast<answer*>(into);
  mine.pcs[mine.noted++] = pc;
  return mine.noted == most_frames ? 1 : 0;
}

void on_request(int) {
  const int before = errno;
  const pid_t self = gettid();
  for (answer& one : answers) {
    if (one.id != self || one.size >= 0) continue;
    one.noted = 0;
    backtrace_simple(symbols, /*skip=*/1, note_pc, ignore_failure, &one);
    one.size = one.noted;
    sem_post(&answered);
    break;
  }
  errno = before;
}

// ---- from addresses to lines ----

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      __cxxabiv1::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? std::string(text.get()) : std::string(name);
}

/// Collects the lines of one thread, from the innermost frame on.
class line_finder {
 public:
  explicit line_finder(thread_stack& into) : into_(into) {
    char folder[PATH_MAX];
    if (getcwd(folder, sizeof folder) != nullptr) folder_ = std::string(folder) + "/";
  }

  void add(std::uintptr_t pc) {
    has_lines_ = false;
    if (is_in_system_library(pc)) {
      if (into_.lines.empty()) backtrace_syminfo(symbols, pc, note_function, ignore_failure, this);
      return;
    }
    backtrace_pcinfo(symbols, pc, note_line, ignore_failure, this);
    if (!has_lines_) backtrace_syminfo(symbols, pc, note_unlined, ignore_failure, this);
  }

 private:
  static int note_line(void* self, std::uintptr_t, const char* file, int line, const char*) {
    if (file != nullptr && line != 0) static_cast<line_finder*>(self)->note(file, line);
    return 0;
  }
  void note(std::string_view file, int line) {
    has_lines_ = true;
    if (is_of_system(file) || is_of_runtime(file)) return;
    if (file.starts_with(folder_)) file.remove_prefix(folder_.size());
    push(fmt::format("{}:{}", file, line));
  }
  void push(std::string line) {
    if (into_.lines.size() < most_lines) into_.lines.push_back(std::move(line));
  }
  /// Of a system library: the outermost before the user's code is the one that the user called.
  static void note_function(void* at, std::uintptr_t, const char* name, std::uintptr_t, std::uintptr_t) {
    auto& self = *static_cast<line_finder*>(at);
    if (name == nullptr || self.is_in_runtime_) return;
    const std::string function = demangled(name);  // such as __read
    self.into_.within = function.substr(std::min(function.find_first_not_of('_'), function.size()));
  }
  /// Code without line numbers: the runtime's, or a program's that was compiled without -g.
  static void note_unlined(void* at, std::uintptr_t, const char* name, std::uintptr_t, std::uintptr_t) {
    if (name != nullptr) static_cast<line_finder*>(at)->note_function_of_program(demangled(name));
  }
  void note_function_of_program(const std::string& function) {
    constexpr std::string_view library = "stradsap::";
    constexpr std::string_view runtime = "stradsap::rt::";
    const std::size_t first = function.substr(0, function.find('(')).find(library);
    if (first == function.npos) {
      if (function != "_start") push(function);
    } else if (function.compare(first, runtime.size(), runtime) != 0) {
      if (into_.lines.empty() && !is_in_runtime_) push("a body, which -g gives lines");
    } else if (into_.lines.empty() && !is_in_runtime_) {
      into_.within = function.substr(first, function.find('(', first) - first);
      is_in_runtime_ = true;
    }
  }

  thread_stack& into_;
  std::string folder_;  // the current one, with a slash
  bool has_lines_ = false;
  bool is_in_runtime_ = false;
};

// ---- threads ----

std::string name_of_thread(pid_t id) {
  if (id == getpid()) return "main thread";
  std::ifstream file(fmt::format("/proc/self/task/{}/comm", id));
  std::string name;
  std::getline(file, name);
  return name;
}

/// The kernel's word for the state of a thread that does not answer.
std::string state_of_thread(pid_t id) {
  std::ifstream file(fmt::format("/proc/self/task/{}/stat", id));
  std::string text;
  std::getline(file, text);
  const std::size_t end = text.rfind(") ");
  const char state = end == text.npos ? '?' : text[end + 2];
  if (state == 'D') return "does not answer: the kernel works for it, as for a disk";
  return fmt::format("does not answer: it blocks signals (state {})", state);
}

std::vector<pid_t> other_threads() {
  std::vector<pid_t> found;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", failure)) {
    const pid_t id = std::atoi(entry.path().filename().c_str());
    if (id > 0 && id != gettid()) found.push_back(id);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The library's own threads serve others, and hold no user's code.
bool is_asked(const std::string& name) {
  constexpr std::string_view serving[] = {"network", "latency", "progress", "watch"};
  return !name.starts_with("ZMQbg") &&
         std::find(std::begin(serving), std::end(serving), name) == std::end(serving);
}

void ask(const std::vector<pid_t>& threads) {
  for (std::size_t i = 0; i < threads.size(); ++i) {
    answers[i].size = -1;
    answers[i].id = threads[i];
    syscall(SYS_tgkill, getpid(), threads[i], request);
  }
  timespec end{};
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += nanoseconds_to_answer;
  if (end.tv_nsec >= 1'000'000'000) {
    end.tv_nsec -= 1'000'000'000;
    ++end.tv_sec;
  }
  const auto has_answered = [](const answer& one) { return one.size >= 0; };
  while (!std::all_of(answers, answers + threads.size(), has_answered)) {
    if (sem_timedwait(&answered, &end) != 0 && errno != EINTR) return;
  }
}

}  // namespace

void answer_stack_requests() {
#ifndef __SANITIZE_THREAD__  // it warns of handlers
  struct sigaction now;
  if (sigaction(request, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  symbols = backtrace_create_state(nullptr, /*threaded=*/1, ignore_failure, nullptr);
  if (symbols == nullptr) return;
  if (sem_init(&answered, /*pshared=*/0, 0) != 0) return;
  struct sigaction ours = {};
  ours.sa_handler = on_request;
  ours.sa_flags = SA_RESTART | SA_ONSTACK;
  sigfillset(&ours.sa_mask);
  is_handled = sigaction(request, &ours, nullptr) == 0;
#endif
}

std::vector<thread_stack> stacks_of_threads() {
  std::vector<thread_stack> found;
  if (!is_handled) return found;
  std::vector<pid_t> threads;
  for (const pid_t id : other_threads()) {
    std::string name = name_of_thread(id);
    if (!is_asked(name) || threads.size() == most_threads) continue;
    threads.push_back(id);
    found.push_back({std::move(name), {}, {}, {}});
  }
  ask(threads);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const int size = answers[i].size;
    if (size < 0) found[i].silence = state_of_thread(threads[i]);
    line_finder finder(found[i]);
    for (int k = 0; k < size; ++k) finder.add(answers[i].pcs[k]);
  }
  return found;
}

}  // namespace stradsap::rt
