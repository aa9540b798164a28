// Preloaded into a program: starts runs of it from one process, which costs a fork() for each rank, and makes
// messages of a rank go wrong. Messages are those over sockets of one machine, as by
// STRADSAP_SHARED_MEMORY=0.
//
// With FAULTY_RUNS each line of standard input is a run, `SECONDS RANKS FOLDER NAME=VALUE...`, with tabs
// between. The ranks begin in FOLDER, and write into `out.RANK` and `err.RANK` there. The answer is a line
// with their wait statuses. `hang` follows if they had not ended within SECONDS and were killed.
//
// FAULT_RANK sends the faulty message. FAULT_AT is the number of the message, from 1, without
// pings and pulses. `count.RANK` in the working directory gets the number of messages as 8 bytes, if
// FAULT_COUNT is set. FAULT_KIND is a word:
//   before, after   The process is killed before or after the message.
//   timer           The process is killed after FAULT_AT microseconds of its processor time.
//   drop, twice     The message is not sent, or sent twice.
//   swap            It is sent after the next one to the same rank.
//   late            Each FAULT_AT-th message waits for FAULT_MS milliseconds, and all later ones with it.
//   cut             A connection to a lower rank closes before the message. FAULT_MS chooses which one.
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zmq.h>

template <class F> static F next(const char* name) { return reinterpret_cast<F>(dlsym(RTLD_NEXT, name)); }

static std::string text_of(const std::string& name) {
  const char* const text = std::getenv(name.c_str());
  return text == nullptr ? "" : text;
}

// ---- messages ----

namespace {

struct held_frame {
  std::string to;  // a routing id, which precedes the frame; empty on a DEALER
  std::string body;
};

/// The faults of this process. The runtime sends under a mutex, so one thread at a time calls it.
class faults {
 public:
  faults() {
    kind_ = text_of("FAULT_RANK") == text_of("STRADSAP_RANK") ? text_of("FAULT_KIND") : "";
    at_ = std::strtoull(text_of("FAULT_AT").c_str(), nullptr, 10);
    milliseconds_ = std::atol(text_of("FAULT_MS").c_str());
    if (!text_of("FAULT_COUNT").empty()) open_count();
    if (kind_ == "timer") start_timer();
  }

  /// The part before a frame, which is sent with it.
  void name_receiver(std::string id) { to_ = std::move(id); }

  int send(void* socket, std::string body, int flags) {
    const std::string to = std::exchange(to_, "");
    if (!is_counted(body)) return pass(socket, {to, std::move(body)}, flags);
    const bool is_faulty = ++*count_ == at_ && kind_ != "timer";
    if (is_faulty && kind_ == "before") (void)::raise(SIGKILL);
    if (is_faulty && kind_ == "drop") return 0;
    if (is_faulty && kind_ == "swap") return held_[{socket, to}] = {to, std::move(body)}, 0;
    if (is_faulty && kind_ == "cut") cut();
    if (kind_ == "late" && at_ != 0 && *count_ % at_ == 0) wait();
    const int result = pass(socket, {to, body}, flags);
    if (is_faulty && kind_ == "twice") (void)pass(socket, {to, body}, flags);
    if (is_faulty && kind_ == "after") (void)::raise(SIGKILL);
    return result;
  }

 private:
  using send_part = int (*)(void*, const void*, std::size_t, int);

  /// Behind the sequence number is the kind (docs/formats.md); 1 is a ping and 16 a pulse.
  static bool is_counted(const std::string& body) { return body.size() > 8 && body[8] != 1 && body[8] != 16; }

  int pass(void* socket, const held_frame& frame, int flags) {
    int result = put(socket, frame, flags);
    const auto held = held_.find({socket, frame.to});
    if (held != held_.end()) result = put(socket, std::exchange(held->second, {}), flags), held_.erase(held);
    return result;
  }
  static int put(void* socket, const held_frame& frame, int flags) {
    static const auto send = next<send_part>("zmq_send");
    const bool is_named = !frame.to.empty();
    if (is_named && send(socket, frame.to.data(), frame.to.size(), flags | ZMQ_SNDMORE) < 0) return -1;
    return send(socket, frame.body.data(), frame.body.size(), flags);
  }

  void cut() const {
    std::vector<int> found;
    constexpr int most = 1024;
    for (int file = 3; file < most; ++file) {
      sockaddr_un peer{};
      socklen_t size = sizeof peer;
      if (::getpeername(file, reinterpret_cast<sockaddr*>(&peer), &size) != 0 || peer.sun_family != AF_UNIX)
        continue;
      if (std::strstr(peer.sun_path, "/rank.") != nullptr) found.push_back(file);
    }
    if (!found.empty())
      (void)::shutdown(found[static_cast<std::size_t>(milliseconds_) % found.size()], SHUT_RDWR);
  }

  void wait() const { (void)::poll(nullptr, 0, static_cast<int>(milliseconds_)); }

  void open_count() {
    const std::string path = "count." + text_of("STRADSAP_RANK");
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ::ftruncate(file, sizeof *count_) != 0) return;
    void* const at = ::mmap(nullptr, sizeof *count_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at != MAP_FAILED) count_ = static_cast<std::uint64_t*>(at);
    ::close(file);
  }

  void start_timer() const {
    sigevent by_death{};
    by_death.sigev_notify = SIGEV_SIGNAL;
    by_death.sigev_signo = SIGKILL;
    timer_t timer{};
    itimerspec when{};
    when.it_value = {static_cast<time_t>(at_ / 1'000'000), static_cast<long>(at_ % 1'000'000 * 1000)};
    if (::timer_create(CLOCK_PROCESS_CPUTIME_ID, &by_death, &timer) == 0)
      (void)::timer_settime(timer, 0, &when, nullptr);
  }

  std::string kind_;
  std::uint64_t at_ = 0;
  long milliseconds_ = 0;
  std::uint64_t own_count_ = 0;
  std::uint64_t* count_ = &own_count_;
  std::string to_;
  std::map<std::pair<void*, std::string>, held_frame> held_;
};

}  // namespace

static faults& of_this_process() {
  static auto* const made = new faults;  // threads may send until the end
  return *made;
}

// ---- runs ----

namespace {

struct run {
  int seconds = 0;
  int ranks = 0;
  std::string folder;
  std::vector<std::string> variables;
};

}  // namespace

static run parse(const std::string& line) {
  run r;
  std::istringstream fields(line);
  std::string field;
  std::getline(fields, field, '\t'), r.seconds = std::stoi(field);
  std::getline(fields, field, '\t'), r.ranks = std::stoi(field);
  std::getline(fields, r.folder, '\t');
  while (std::getline(fields, field, '\t')) r.variables.push_back(field);
  return r;
}

static void redirect(int descriptor, const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(99);
  ::close(file);
}

/// Makes this process a rank of the run.
static void become(const run& r, int rank, const sigset_t& signals_before) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::sigprocmask(SIG_SETMASK, &signals_before, nullptr);
  if (::chdir(r.folder.c_str()) != 0) ::_exit(98);
  const std::string number = std::to_string(rank);
  ::setenv("STRADSAP_RANK", number.c_str(), 1);
  ::setenv("STRADSAP_WORLD_SIZE", std::to_string(r.ranks).c_str(), 1);
  for (const std::string& one : r.variables) {
    const std::size_t at = one.find('=');
    ::setenv(one.substr(0, at).c_str(), one.substr(at + 1).c_str(), 1);
  }
  ::unsetenv("LD_PRELOAD");
  redirect(1, "out." + number);
  redirect(2, "err." + number);
  ::close(0);
  (void)::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/// Serves runs. Returns in each rank.
static void serve() {
  sigset_t child, before;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child, &before);
  for (std::string line; std::getline(std::cin, line);) {
    const run r = parse(line);
    std::map<pid_t, int> left;  // ranks by process
    std::vector<int> statuses(static_cast<std::size_t>(r.ranks));
    for (int rank = 0; rank < r.ranks; ++rank) {
      const pid_t process = ::fork();
      if (process == 0) return become(r, rank, before);
      left[process] = rank;
    }
    timespec end{};
    ::clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += r.seconds;
    bool hangs = false;
    while (!left.empty()) {
      int status = 0;
      const pid_t ended = ::waitpid(-1, &status, WNOHANG);
      if (ended > 0 && left.count(ended) != 0) {
        statuses[static_cast<std::size_t>(left[ended])] = status;
        left.erase(ended);
      }
      if (ended > 0) continue;
      timespec now{};
      ::clock_gettime(CLOCK_MONOTONIC, &now);
      const timespec some{0, 100'000'000};
      if (now.tv_sec < end.tv_sec || hangs) {
        (void)::sigtimedwait(&child, nullptr, &some);
        continue;
      }
      hangs = true;
      for (const auto& [process, rank] : left) ::kill(process, SIGKILL);
    }
    for (const int one : statuses) std::cout << one << ' ';
    std::cout << (hangs ? "hang" : "") << std::endl;
  }
  ::_exit(0);
}

// ---- the program's calls ----

extern "C" {
int zmq_send(void* socket, const void* data, size_t size, int flags) {
  if ((flags & ZMQ_SNDMORE) == 0)
    return next<int (*)(void*, const void*, size_t, int)>("zmq_send")(socket, data, size, flags);
  of_this_process().name_receiver({static_cast<const char*>(data), size});
  return static_cast<int>(size);
}

int zmq_msg_send(zmq_msg_t* frame, void* socket, int flags) {
  const int result = of_this_process().send(
      socket, {static_cast<const char*>(zmq_msg_data(frame)), zmq_msg_size(frame)}, flags);
  if (result >= 0) (void)zmq_msg_close(frame), (void)zmq_msg_init(frame);
  return result;
}

using main_function = int (*)(int, char**, char**);
int __libc_start_main(main_function main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*loader_fini)(), void* stack_end) {
  if (!text_of("FAULTY_RUNS").empty()) serve();
  (void)of_this_process();
  using start = int (*)(main_function, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<start>("__libc_start_main")(main, argc, argv, init, fini, loader_fini, stack_end);
}
}
