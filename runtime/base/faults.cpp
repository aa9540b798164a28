#include "runtime/base/faults.hpp"

#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include <backtrace.h>

#include "runtime/base/code_owners.hpp"

namespace stradsap::rt {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10;  // libbacktrace sorts by recursion
constexpr unsigned longest_report_seconds = 10;  // another thread may hold the loader's lock for ever
constexpr int most_callers = 8;
constexpr int reported[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

std::atomic<const char*> site_of_loop{nullptr};
std::atomic<fault_words> words_for{nullptr};
std::atomic<pid_t> reporter{0};
rank_id own_rank = 0;

/// Text of fixed length: a signal handler must not allocate memory.
class fixed_text {
 public:
  fixed_text& operator<<(std::string_view text) {
    const std::size_t n = std::min(text.size(), sizeof text_ - size_);
    std::memcpy(text_ + size_, text.data(), n);
    size_ += n;
    return *this;
  }
  fixed_text& number(std::uint64_t value, unsigned base = 10) {
    char digits[20];
    char* first = std::end(digits);
    do *--first = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    return *this << std::string_view(first, static_cast<std::size_t>(std::end(digits) - first));
  }
  void print() const { [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text_, size_); }

 private:
  char text_[4096];
  std::size_t size_ = 0;
};

struct source_line {
  const char* file = nullptr;
  int line = 0;
};

/// The user's lines of the call stack at the fault, innermost first.
struct call_path {
  char folder[PATH_MAX] = "";  // the current one, with a slash
  source_line lines[most_callers];
  int size = 0;
};

int note_line(void* into, std::uintptr_t pc, const char* file, int line, const char*) {
  auto& path = *static_cast<call_path*>(into);
  if (file == nullptr || line == 0 || is_of_runtime(file) || is_of_system(file) || is_in_system_library(pc))
    return 0;
  if (std::string_view(file).starts_with(path.folder)) file += std::strlen(path.folder);
  path.lines[path.size++] = {file, line};
  return path.size == most_callers ? 1 : 0;
}

void ignore_error(void*, const char*, int) {}

fixed_text& operator<<(fixed_text& text, const source_line& at) {
  return (text << at.file << ":").number(static_cast<std::uint64_t>(at.line));
}

/// Appends a line that explains the fault, with its place.
void explain(fixed_text& text, const siginfo_t& info, const source_line& at) {
  char words[512];
  const fault_words of = words_for;
  const std::size_t size = of == nullptr ? 0 : of(info.si_addr, words, sizeof words);
  if (size == 0) return;
  if (at.file != nullptr) text << at << ": error: ";
  text << std::string_view(words, size) << "\n";
}

std::string_view name_of(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "?" : name;
}

void report(int signal, const siginfo_t& info) {
  call_path path;
  if (getcwd(path.folder, sizeof path.folder - 1) != nullptr) std::strcat(path.folder, "/");
  backtrace_state* state = backtrace_create_state(nullptr, /*threaded=*/1, ignore_error, nullptr);
  if (state != nullptr) backtrace_full(state, 0, note_line, ignore_error, &path);
  const char* loop = site_of_loop;
  fixed_text text;
  if (path.size > 0) {
    text << path.lines[0];
  } else {
    text << (loop == nullptr ? "stradsap" : loop);
  }
  text << ": error: SIG" << name_of(signal);
  if (info.si_code > 0) (text << " at address 0x").number(reinterpret_cast<std::uintptr_t>(info.si_addr), 16);
  (text << " on rank ").number(static_cast<std::uint64_t>(own_rank));
  if (loop != nullptr) text << " in the loop at " << loop;
  if (path.size == 0) text << ": compile with -g to see the line";
  text << "\n";
  if (info.si_code > 0) explain(text, info, path.lines[0]);
  for (int i = 1; i < path.size; ++i) text << path.lines[i] << ": note: called from here\n";
  text.print();
}

void on_fault(int signal, siginfo_t* info, void*) {
  pid_t nobody = 0;
  if (reporter.compare_exchange_strong(nobody, gettid())) {
    ::signal(SIGALRM, SIG_DFL);
    alarm(longest_report_seconds);
    report(signal, *info);
    alarm(0);
  } else if (nobody != gettid()) {
    while (true) pause();  // the other thread ends the process
  }
  ::signal(signal, SIG_DFL);
  if (info->si_code <= 0) raise(signal);  // a fault comes again by itself, with its own registers
}

}  // namespace

void report_faults(rank_id rank) {
#ifndef __SANITIZE_THREAD__  // it reports faults, and warns of handlers
  static const fault_stack of_main;
  own_rank = rank;
  for (const int signal : reported) {
    struct sigaction now;
    if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction ours = {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(signal, &ours, nullptr);
  }
#endif
}

fault_stack::fault_stack() {
  stack_t now;
  if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;  // set by the program
  void* memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t ours = {};
  ours.ss_sp = memory_ = memory;
  ours.ss_size = stack_bytes;
  sigaltstack(&ours, nullptr);
}

fault_stack::~fault_stack() {
  if (memory_ == nullptr) return;
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory_, stack_bytes);
}

void explain_faults_by(fault_words words) { words_for = words; }

running_site::running_site(const char* site) { site_of_loop = site; }
running_site::~running_site() { site_of_loop = nullptr; }

}  // namespace stradsap::rt
