// Loops without the types of their captures: their static description, and one call.
// Thread rule: static data; functions are called on the driver's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <typeinfo>
#include <utility>

#include <stradsap/abi/blocks.hpp>
#include <stradsap/abi/containers.hpp>
#include <stradsap/abi/loop_bits.hpp>
#include <stradsap/consistency.hpp>
#include <stradsap/schedule.hpp>

namespace stradsap::abi {

enum class capture_kind : std::uint8_t { value, container, reduction };

/// Fields of elements are bits; several fields may share one.
inline constexpr std::uint64_t all_fields = ~std::uint64_t{0};

/// The fold of an accumulator into elements.
struct accumulation {
  bool is_exact;                               // the grouping of parts changes no bit
  bool is_sum;                                 // so differences of elements are parts too
  void (*begin)(void* first, std::size_t n_);  // makes neutral elements; null: zeros are neutral
  void (*combine)(void* into, const void* parts, std::size_t n_);
  void (*subtract)(void* from, const void* starts, std::size_t n_);  // of sums of numbers, else null
  /// Of elements that own memory, else null. Makes parts neutral that have another shape than the elements.
  void (*shape)(void* parts, const void* elements, std::size_t n_) = nullptr;
  void (*clear)(void* parts, std::size_t n_) = nullptr;                    // makes live parts neutral
  std::size_t (*size_bytes)(const void* first, std::size_t n_) = nullptr;  // of the memory that elements own
  /// Of numbers, rows of them and classes that are added member by member, else null: combines, and leaves
  /// the parts neutral.
  void (*drain)(void* into, void* parts, std::size_t n_) = nullptr;
  /// Of numbers and such classes, else null. The same for the four parts first, second, third and fourth at
  /// once: adds (first + second) + (third + fourth), which stays in the first part if `into` is null.
  void (*drain_four)(void* into, void* const* parts, std::size_t n_) = nullptr;
};

/// The calls that will fold into a stradsap::running. The driver makes and ends it.
struct open_calls {
  const void* value;  // of the number
  std::uint32_t count;
};

struct capture_info {
  capture_kind kind;
  unsigned mode;
  // values
  void (*write)(const void* value, writer& out) = nullptr;
  std::shared_ptr<void> (*read)(reader& in) = nullptr;
  bool stays = false;  // bodies of the driver use the variable; other ranks keep the value until it changes
  std::size_t number_bytes = 0;  // of a number, which bodies of the driver copy; else 0
  // containers
  const element_ops* ops = nullptr;
  std::unique_ptr<key_index> (*make_keys)() = nullptr;  // of a dmap, else null
  const char* name = "";                                // of the variable, for messages
  std::uint64_t written = all_fields;                   // fields that the loop may write
  std::uint64_t steering = all_fields;                  // fields that subscripts depend on
  const accumulation* added = nullptr;                  // fold of the body's additions, or null
  value_range (*values)(const void* first, std::uint64_t n_) = nullptr;  // of subscripts of others, or null
  // reductions
  std::size_t size = 0;  // bytes of one partial
  void (*combine)(void* into, const void* partial) = nullptr;
  /// Of a stradsap::running, else null: its pointer to the calls that are not in its value yet; null if none.
  open_calls** (*calls_of)(void* value) = nullptr;
};

/// A global variable that a body only reads: in every process it has the driver's value.
struct global_info {
  unsigned mode;
  void (*write)(writer& out);
  void (*read)(reader& in);
  const void* variable;
  bool stays;  // see capture_info
};

/// One loop of the program. Every process of the same binary has it before main. Static data.
struct loop_entry {
  std::uint64_t id;
  unsigned flags;
  const std::type_info& type;  // tells instances of one template apart
  const capture_info* captures;
  std::size_t num_captures;
  const global_info* globals;
  std::size_t num_globals;
  // Runs blocks. `values`: for each capture, the address of a captured value, else null. False after a body's
  // exception, of which the source knows: another call runs the blocks that are left. Other exceptions of
  // bodies leave the function, in the source's running iteration. Call it by run_all().
  bool (*run)(const void* const* values, block_source& blocks);
  // the same in copies of the body that round alike, unless they have `rounds_apart`; may be `run` itself
  bool (*run_unfused)(const void* const* values, block_source& blocks);
  void (*record)(const void* const* values, const window* windows, std::int64_t begin, std::int64_t end,
                 iteration_listener& listener);  // null if no plan needs it
  std::uint64_t read_interleaved = 0;  // a bit for each capture: iterations interleave if they touch
                                       // different elements of it; see `interleaving.hpp`
};

/// Registers a loop before main. Two different loops with one id end the program with both names.
class registration {
 public:
  explicit registration(const loop_entry& entry);
};

/// The key of a launch's random numbers: the run's seed, and the launch's number among all launches of the
/// program, from 1. Outside loops the number is 0.
struct launch_key {
  std::uint64_t seed = 0;
  std::uint32_t number = 0;
};
/// The launch of the bodies that this thread runs.
inline constinit thread_local launch_key current_launch{};

/// While it lives, the bodies that this thread runs belong to `launch`.
class launch_scope {
 public:
  explicit launch_scope(const launch_key& launch) : before_(std::exchange(current_launch, launch)) {}
  ~launch_scope() { current_launch = before_; }
  launch_scope(const launch_scope&) = delete;
  launch_scope& operator=(const launch_scope&) = delete;

 private:
  launch_key before_;
};

/// One call of a loop operator, on the driver. It borrows all that it refers to.
struct loop_call {
  const loop_entry& entry;
  const char* site;   // FILE:LINE
  const char* label;  // or null
  std::int64_t num_iterations;
  const ConsistencyModel& model;
  const schedule::dynamic_schedule* dynamic;  // null: every iteration runs once
  const void* const* captured;  // for each capture its variable; for a container, its handle_target
};

/// Runs the loop to its end on all ranks. Threads take turns. Throws stradsap::loop_error or stradsap::error.
void launch(const loop_call& call);

/// Waits until all calls that fold into the running number have ended on all ranks, and folds their parts in
/// the order of calls. Throws the exception of a call that failed; then those before it are folded.
void catch_up(const open_calls& of);
/// The running number is overwritten or ends: no call folds into it any more.
void let_go(const open_calls& of) noexcept;

/// Throws error(failure.code()) with the text of the exception that left the body.
[[__noreturn__]] void rethrow_plainly(const loop_error& failure);

/// A hash of bytes, for keys of plans.
[[nodiscard]] std::uint64_t hash_bytes(const void* first, std::size_t size);

/// Throws error(errc::out_of_range): the body's parameter of `bits` bits cannot count to n. `site`: FILE:LINE
/// of the loop, or its label in a plain build, or null.
[[__noreturn__]] void refuse_index(const char* site, std::int64_t n_, std::size_t bits);

/// Throws error(errc::out_of_range): a loop of n iterations.
[[__noreturn__]] void refuse_count(const char* site, std::uint64_t n_);

}  // namespace stradsap::abi
