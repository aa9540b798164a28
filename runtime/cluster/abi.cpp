// Implements include/stradsap/abi/abi.hpp. Owns the driver of the process, which is created at its first use.
// Thread rule: threads that create containers or start loops take turns.
#include <pthread.h>

#include <memory>
#include <mutex>
#include <string>

#include <stradsap/abi/abi.hpp>
#include <stradsap/abi/checkpoints.hpp>

#include <fmt/format.h>
#include <xxhash.h>

#include "runtime/base/debugger.hpp"
#include "runtime/base/faults.hpp"
#include "runtime/base/leave.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/thread_stacks.hpp"
#include "runtime/base/upper_halves.hpp"
#include "runtime/base/worker_signals.hpp"
#include "runtime/cluster/driver.hpp"
#include "runtime/cluster/worker.hpp"
#include "runtime/loop/launch/registry.hpp"

namespace stradsap::abi {

static rt::options options_or_exit() {
  try {
    return rt::read_options();
  } catch (const error& e) {
    rt::die(2, e.what());
  }
}

static const rt::options& settings() {
  static const rt::options read = options_or_exit();
  return read;
}

namespace {

/// Owns the driver. A child of fork() has neither the threads nor the sockets of its parent, so it never
/// destroys the driver.
struct driver_of_this_process {
  static inline bool is_a_child = false;  // a word, since getpid() is a call of the kernel at each launch
  std::unique_ptr<rt::driver> driver = std::make_unique<rt::driver>(settings());

  driver_of_this_process() {
    pthread_atfork(nullptr, nullptr, [] { is_a_child = true; });
  }
  driver_of_this_process(const driver_of_this_process&) = delete;
  driver_of_this_process& operator=(const driver_of_this_process&) = delete;
  ~driver_of_this_process() {
    if (is_a_child) (void)driver.release();
  }
};

}  // namespace

static driver_of_this_process& instance() {
  static driver_of_this_process made;
  return made;
}

// Ranks other than 0 have one too until main begins: global containers are created before.
static rt::driver& the_driver() { return *instance().driver; }

static bool joined = false;
static bool in_main = false;

/// stradsap-cc defines it beside main; null if another compiler compiled main.
extern "C" [[gnu::weak]] const char stradsap_has_main;

/// Threads of the program that start loops or create containers take turns. A body runs within its loop's
/// turn.
static std::unique_lock<std::recursive_mutex> take_turn() {
  static std::recursive_mutex turn;
  return current_launch.number == 0 ? std::unique_lock(turn) : std::unique_lock(turn, std::defer_lock);
}

template <class Role> static void join(Role& self) {
  rt::report_faults(settings().rank);
  rt::answer_stack_requests();
  try {
    // Before the driver can be in main: a signal to the whole job leaves it the ranks to save its results.
    if (settings().rank != rt::driver_rank) rt::outlive_signals();
    self.join();
    self.watch_for_hangs();
    joined = true;
    if (settings().awaits_debugger) rt::await_debugger(settings().rank);
  } catch (const error& e) {
    rt::die(settings().refusal.empty() ? 3 : 2, e.what());
  }
}

void enter_main() {
  in_main = true;
  if (joined) return;
  if (settings().rank == rt::driver_rank) return join(the_driver());
  {
    rt::worker self(settings());
    join(self);
    self.serve();
  }
  rt::leave(0);
}

static void refuse_in_a_child() {
  if (driver_of_this_process::is_a_child)
    throw error(errc::unsupported, "a loop in a child process made by fork()");
}

launch_key plain_loop() {
  if (settings().world_size > 1) {
    rt::die(3, "the program was not compiled with stradsap-cc: its loops would run whole on every rank");
  }
  refuse_in_a_child();
  return the_driver().next_launch();
}

handle_target* create(const element_ops& ops, std::uint64_t n) {
  const auto now = take_turn();
  return the_driver().create(ops, n, nullptr);
}

handle_target* create(const element_ops& ops, std::unique_ptr<key_index> keys) {
  const auto now = take_turn();
  return the_driver().create(ops, 0, std::move(keys));
}

void destroy(handle_target* dead) noexcept {
  const auto now = take_turn();
  the_driver().destroy(dead);
}

build_mark::build_mark(build of_objects) {
  static const build first = of_objects;
  if (first == of_objects) return;
  rt::die(
      3,
      "some objects of the program come from stradsap-cc and some from a plain compiler, or only some are "
      "of a check build: compile all sources in one way");
}

registration::registration(const loop_entry& entry) { rt::register_loop(entry); }

/// In one process a loop may run before main, and before its own registration.
static void launch_before_main(const loop_call& call) {
  if (settings().world_size > 1) {
    rt::die(3, &stradsap_has_main == nullptr
                   ? "main was not compiled with stradsap-cc"
                   : std::string(call.site) +
                         ": a loop runs before main, where other ranks cannot take part: run it in main");
  }
  rt::register_loop(call.entry);
  if (!joined) join(the_driver());
}

/// `--consistency` replaces the models of the user's loops, but for those with a scheduler of their own.
static const ConsistencyModel& model_of(const loop_call& call) {
  const std::optional<ConsistencyModel>& given = settings().model;
  const bool is_replaced = given && call.dynamic == nullptr && (call.entry.flags & of_library) == 0;
  return is_replaced ? *given : call.model;
}

void launch(const loop_call& call) {
  rt::clear_upper_halves();
  refuse_in_a_child();
  const auto now = take_turn();
  if (!in_main) launch_before_main(call);
  const loop_call settled{call.entry,     call.site,    call.label,   call.num_iterations,
                          model_of(call), call.dynamic, call.captured};
  the_driver().run(settled);
}

void catch_up(const open_calls& of) {
  if (current_launch.number != 0)
    throw error(errc::unsupported, "a loop body reads a stradsap::running of the program: read it before");
  refuse_in_a_child();
  const auto now = take_turn();
  the_driver().catch_up(of.value);
}

void let_go(const open_calls& of) noexcept {
  if (driver_of_this_process::is_a_child) return;
  const auto now = take_turn();
  the_driver().let_go(of.value);
}

void rethrow_plainly(const loop_error& failure) {
  const std::string before =
      fmt::format("{}: iteration {} on rank {}: ", failure.location(), failure.iteration(), failure.rank());
  const std::string text = failure.what();
  throw error(failure.code(), text.starts_with(before) ? text.substr(before.size()) : text);
}

std::uint64_t hash_bytes(const void* first, std::size_t size) { return XXH64(first, size, 0); }

int rank() { return static_cast<int>(settings().rank); }
int rank_count() { return settings().world_size; }
int thread_count() { return settings().threads; }
std::uint64_t seed() { return settings().seed; }

void report(const reported_value* values, std::size_t n, const std::source_location& where) {
  if (current_launch.number != 0)
    throw error(errc::unsupported,
                "report in a loop body: fold the value into a reduction and report that after the loop");
  refuse_in_a_child();
  const auto now = take_turn();
  if (settings().rank == rt::driver_rank) the_driver().report({values, n}, where);
}

static void refuse_in_a_body(const char* what) {
  if (current_launch.number != 0) throw error(errc::unsupported, std::string(what) + " in a loop body");
  refuse_in_a_child();
}

void request_checkpoints(const checkpoint_request& how) {
  refuse_in_a_body("checkpoint()");
  const auto now = take_turn();
  the_driver().request_checkpoints(how);
}

bool register_variables(const registered_variable* first, std::size_t n) {
  refuse_in_a_body("resumable()");
  const auto now = take_turn();
  return the_driver().saved().add_variables(first, n);
}

void forget_variables() noexcept {
  const auto now = take_turn();
  the_driver().saved().forget_variables();
}

void reach_save_point(const char* file, unsigned line) {
  refuse_in_a_body("a save point");
  const auto now = take_turn();
  the_driver().reach_save_point(fmt::format("{}:{}", file, line));
}

shown_operation::shown_operation(std::string_view name, std::string_view unit, std::uint64_t total) {
  the_driver().begin_operation(name, unit, total);
}
shown_operation::~shown_operation() { the_driver().end_operation(); }
void shown_operation::weigh_iterations(std::uint64_t units) { the_driver().shown().weigh_iterations(units); }
void shown_operation::advance(std::uint64_t units) { the_driver().shown().advance(units); }

}  // namespace stradsap::abi

void stradsap::stradsap_enter_main() { abi::enter_main(); }
