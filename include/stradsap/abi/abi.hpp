// The only interface between the templates in user programs and the runtime library: type-erased containers,
// loops and blocks. For generated code and the headers of this folder; not for users.
// Thread rule: each class states its own; functions without a rule are called on the driver's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include <stradsap/abi/listing.hpp>
#include <stradsap/abi/noalias.hpp>
#include <stradsap/consistency.hpp>
#include <stradsap/serialize.hpp>

namespace stradsap::abi {

// ---- elements --------------------------------------------------------------------------------------

enum class access : std::uint8_t { read, write };

/// The functions of an element type. A null pointer stands for the same operation on plain bytes, so that no
/// code is generated.
struct element_functions {
  void (*construct)(void* first, std::size_t n_);
  void (*destroy)(void* first, std::size_t n_);
  void (*write)(const void* first, std::size_t n_, writer& out);
  void (*read)(void* first, std::size_t n_, reader& in);
  void (*copy)(void* to, const void* from);
  void (*assign)(void* to, const void* from);
  void (*merge)(void* into, const void* start, const void* end);
  bool (*same)(const void* a_, const void* b_);
};

/// The runtime's description of an element type: static data. All functions take live objects, except
/// `construct`, which makes value-initialised ones, and `copy`, which makes *to.
struct element_ops {
  std::size_t size;
  std::size_t align;
  bool born_zero;    // a value-initialised element is all zero bytes and needs no destructor
  bool is_compared;  // same() can compare two elements by value: it ignores bytes without a value, as padding
  element_functions own;

  void construct(void* first, std::size_t n_) const {
    own.construct != nullptr ? own.construct(first, n_) : void(std::memset(first, 0, n_ * size));
  }
  void destroy(void* first, std::size_t n_) const {
    if (own.destroy != nullptr) own.destroy(first, n_);
  }
  void write(const void* first, std::size_t n_, writer& out) const {
    own.write != nullptr ? own.write(first, n_, out) : out.bytes(first, n_ * size);
  }
  void read(void* first, std::size_t n_, reader& in) const {
    own.read != nullptr ? own.read(first, n_, in) : in.bytes(first, n_ * size);
  }
  void copy(void* to, const void* from) const {
    own.copy != nullptr ? own.copy(to, from) : void(std::memcpy(to, from, size));
  }
  void assign(void* to, const void* from) const {
    own.assign != nullptr ? own.assign(to, from) : void(std::memcpy(to, from, size));
  }
  void merge(void* into, const void* start, const void* end) const { own.merge(into, start, end); }
};

/// Finds the elements that a view does not cover; every access off the fast path asks it. Thread rule: that
/// of the view.
class element_source {
 public:
  /// Address of element i, never null; the owner of the source states how long it is valid. Throws
  /// stradsap::error.
  virtual void* element(std::uint64_t i_, access how) = 0;
  /// Address of element `first`, with the n - 1 following ones behind it; n is at least 1. Otherwise as
  /// element().
  virtual void* range(std::uint64_t first, std::uint64_t n_, access how) = 0;
  /// Makes the entry of the key that was just added to the window's index, and returns its address.
  virtual void* add_entry() = 0;

 protected:
  ~element_source() = default;
};

class key_index;

/// The place of an access in the program. Known in check builds only; else line 0.
struct access_place {
  const char* file = "";
  std::uint32_t line = 0;
};
/// The place of this thread's last access.
inline constinit thread_local access_place current_access{};

/// Throws: there is no element i. It never returns, so g++ keeps the sums of inner loops in registers across
/// the call.
[[__noreturn__, __gnu__::__cold__, __gnu__::__noinline__]] inline void refuse_element(element_source& source,
                                                                                      std::uint64_t i_) {
  source.element(i_, access::read);
  __builtin_trap();
}

/// The elements that a handle reaches without a call: [lo, lo + count) for writing, and [lo, lo + readable)
/// for reading. Accesses to other elements go through the source.
struct window {
  void* base = nullptr;  // address of element 0, even if there is none
  std::uint64_t lo = 0;
  std::uint64_t count = 0;
  std::uint64_t readable = 0;
  std::uint64_t size = 0;        // elements of the container
  key_index* keys = nullptr;     // of a dmap
  bool may_insert = false;       // a key without a slot may get one here and now
  key_index* pending = nullptr;  // takes new keys that a reconnaissance meets
  bool only_records = false;     // a reconnaissance: writes are dropped
  element_source* source = nullptr;
  const listing* listed = nullptr;  // not null: elements are only named
  bool complete = false;            // elements outside the window do not exist

  /// Whether the `count` elements from lo on hold [first, first + n); true for n = 0 if the container reaches
  /// to `first`.
  [[nodiscard]] bool covers(std::uint64_t count_, std::uint64_t first, std::uint64_t n_) const {
    const std::uint64_t at = first - lo;
    return (at < count_ && n_ <= count_ - at) || (n_ == 0 && first <= size);
  }
  /// Address of element i, outside the window.
  void* beyond(std::uint64_t i_, access how) const {
    if (complete) refuse_element(*source, i_);
    return listed != nullptr ? listed->name(i_) : source->element(i_, how);
  }
  /// Address of elements [first, first + n), not all in the window.
  void* beyond(std::uint64_t first, std::uint64_t n_, access how) const {
    return listed != nullptr ? listed->name(first, n_) : source->range(first, n_, how);
  }
};

/// The top bit marks slots of keys that are only pending.
inline constexpr std::uint64_t pending_bit = std::uint64_t{1} << 63;

// ---- containers ------------------------------------------------------------------------------------

/// The keys of a dmap: an index from key to slot, with the same numbers on all ranks. Thread rule: several
/// threads may find keys while none adds one.
class key_index {
 public:
  virtual ~key_index() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Appends keys [first, size()) in slot order.
  virtual void write_keys(std::uint64_t first, writer& out) const = 0;
  /// Adds the new ones of the keys in `in`, in their order; returns the slot of each.
  virtual std::vector<std::uint64_t> add_keys(reader& in) = 0;
  /// Appends to `slots`, for each key of `part` (an index of the same type), its slot here. A key that this
  /// index lacks is added to `unknown`, and its slot there is marked as pending.
  virtual void find_all(const key_index& part, key_index& unknown,
                        std::vector<std::uint64_t>& slots) const = 0;
  /// An index of the same type without keys, for the new keys of a reconnaissance or an accumulator.
  [[nodiscard]] virtual std::unique_ptr<key_index> fresh() const = 0;
  /// Makes the entry of `slot` at `to`, in raw memory: its key, a value-initialised value, not existing.
  virtual void construct_entry(std::uint64_t slot, void* to) const = 0;
};

/// A distributed data structure, for its handle on the driver. Thread rule: one thread at a time, outside
/// loops.
class handle_target : public element_source {
 public:
  virtual ~handle_target() = default;
  /// Sets the window of the handle; the runtime opens and closes it. A handle that moves attaches its new
  /// window.
  virtual void attach(window* handle) = 0;
  /// Brings all elements to the driver; returns the address of the first. `how` says whether they may be
  /// written.
  virtual void*(all)(access how) = 0;  // parentheses: programs define all(x)
  /// Grows or shrinks; new elements are value-initialised. Growth makes references invalid.
  virtual void resize(std::uint64_t n_) = 0;
  /// Room for n elements without a move.
  virtual void reserve(std::uint64_t n_) = 0;
  /// The elements that there is room for.
  [[nodiscard]] virtual std::uint64_t capacity() const = 0;
};

/// Makes a container with n value-initialised elements, or with the keys of `keys`. On the driver; threads
/// take turns. The caller passes it to destroy().
[[nodiscard]] handle_target* create(const element_ops& ops, std::uint64_t n_);
[[nodiscard]] handle_target* create(const element_ops& ops, std::unique_ptr<key_index> keys);
void destroy(handle_target* dead) noexcept;

// ---- loops -----------------------------------------------------------------------------------------

enum class capture_kind : std::uint8_t { value, container, reduction };

/// Bits of a capture's `mode`, as stradsap-cc found them.
enum mode_bits : unsigned {
  reads = 1,
  writes = 2,
  aligned = 4,
  steers = 8,        // subscripts depend on it
  steady = 16,       // but not on data that this loop writes
  listed = 32,       // the inspector only names its elements
  accumulates = 64,  // the body only adds into its elements, by one operator
  ranges = 128,      // the body asks for contiguous elements
  moved = 256,       // of a value: the body's initialiser moves from it.
  exact = 512,       // of a reduction: the grouping of its parts changes no bit
  replaces = 512,    // of a container: elements are only assigned whole, values that do not come from them
};
/// From this bit on: the number of the operator by which a body accumulates (accumulation.hpp).
inline constexpr unsigned operator_shift = 10;
/// Bits of a loop's flags.
enum loop_bits : unsigned {
  unknown_dependences = 1,  // the data behind the subscripts are not established
  random = 2,               // subscripts depend on stradsap::random, with other draws in each launch.
  checked_build = 4,        // accesses are compared with the recorded sets
  has_slice = 8,            // planning does not run the body itself
  transactional = 16,       // accesses cannot be found beforehand; the body may run more than once.
  overshoots = 32,          // its slice omits conditions, so it may name elements that the body never touches
  asks_process = 64,  // the body may query state that main changes: environment, locale, working directory.
  long_sums = 128,    // iterations may interleave even if rows of flat matrices are short
};

/// Fields of elements are bits; several fields may share one.
inline constexpr std::uint64_t all_fields = ~std::uint64_t{0};

/// The fold of an accumulator into elements.
struct accumulation {
  bool is_exact;                               // the grouping of parts changes no bit
  bool is_sum;                                 // so differences of elements are parts too
  void (*begin)(void* first, std::size_t n_);  // makes neutral elements; null: zeros are neutral
  void (*combine)(void* into, const void* parts, std::size_t n_);
};

struct capture_info {
  capture_kind kind;
  unsigned mode;
  // values
  void (*write)(const void* value, writer& out) = nullptr;
  std::shared_ptr<void> (*read)(reader& in) = nullptr;
  // containers
  const element_ops* ops = nullptr;
  std::unique_ptr<key_index> (*make_keys)() = nullptr;  // of a dmap, else null
  const char* name = "";                                // of the variable, for messages
  std::uint64_t written = all_fields;                   // fields that the loop may write
  std::uint64_t steering = all_fields;                  // fields that subscripts depend on
  const accumulation* added = nullptr;                  // fold of the body's additions, or null
  // reductions
  std::size_t size = 0;  // bytes of one partial
  void (*combine)(void* into, const void* partial) = nullptr;
};

/// A global variable that a body only reads: each launch sends the driver's value to every process.
struct global_info {
  unsigned mode;
  void (*write)(writer& out);
  void (*read)(reader& in);
};

/// The elements of one container that the iterations of a block touch: one element each, or two if `second`
/// is not null. `first` is null if no list exists. Lists go on for `prefetch_reach` numbers beyond the block;
/// these have no meaning.
struct element_column {
  const std::uint32_t* first = nullptr;
  const std::uint32_t* second = nullptr;
  bool is_whole = false;   // iterations touch no other elements of the container
  std::uint32_t unit = 1;  // contiguous elements for each number, which names the first
};

/// Counts from k on the iterations of [k, k + n) that touch different elements; `touched` must be a whole
/// column. The column is passed by value: g++ keeps members of a view in registers only if no call knows its
/// address.
[[nodiscard]] std::uint64_t first_apart(element_column touched, std::uint64_t k_, std::uint64_t n_);

/// A piece of a loop: one executor runs it from its first iteration to its last.
struct block {
  std::int64_t begin = 0;                     // first iteration, if `iterations` is null
  const std::uint32_t* iterations = nullptr;  // else the iterations, in order
  std::uint64_t count = 0;
  const window* windows = nullptr;       // one for each capture; set for containers
  std::byte* const* streams = nullptr;   // one for each capture: aligned elements in plan order, or null
  std::byte* const* partials = nullptr;  // one for each capture: a reduction leaves its part here
  bool continues = false;                // reductions start from their partials, not from the neutral value
  const element_column* columns = nullptr;  // one for each capture, or null
  bool side_by_side = false;  // independent iterations may interleave; the same in all blocks, on any workers
  // Set if iterations are planned one by one: the part of each reduction that an iteration belongs to.
  // `partials` are those of part 0. The source then gets reached() for each iteration.
  const std::uint8_t* parts = nullptr;
  std::size_t part_stride = 0;
};

/// Receives the iterations that run: in a reconnaissance, and in check builds. Thread rule: the thread that
/// runs them.
class iteration_listener {
 public:
  virtual void begin(std::int64_t j_) = 0;
  virtual void end() = 0;
  /// Replaces begin() and end(), if not null.
  touch_log* log = nullptr;

 protected:
  ~iteration_listener() = default;
};

/// Call it in the handler of a body's exception during reconnaissance. The iteration's set ends there: the
/// real run will also throw, or will touch an element outside the set, which is an error of its own. Rethrows
/// the loss of the cluster.
void end_recorded_iteration();

/// Gives blocks to an executor, one after another. A call of next() also reports that the last block is
/// finished.
class block_source : public iteration_listener {
 public:
  virtual const block* next() = 0;
  /// The current block's body threw in `iteration`; its remaining iterations do not run.
  virtual void failed(std::int64_t iteration, errc code, const char* what) = 0;
  /// Iteration number k of a block with `parts` begins.
  virtual void reached(std::uint64_t) {}

 protected:
  ~block_source() = default;
};

/// Reports the current exception of a body to `blocks`. Call it in the handler.
void report_failure(block_source& blocks, std::int64_t iteration);

/// Smaller elements are not prefetched: they come with their neighbours, and a prefetch costs more than the
/// wait.
inline constexpr std::size_t least_prefetched = 128;

/// Iterations from the prefetch of an iteration's elements to its run.
inline constexpr std::uint64_t prefetch_distance = 8;
/// Iterations prefetched together; the iterations between two prefetches run without a look at the lists.
inline constexpr std::uint64_t prefetch_stretch = 4;
/// Numbers of the lists that are read ahead of the running iteration.
inline constexpr std::uint64_t prefetch_reach = prefetch_distance + prefetch_stretch;

/// Smallest size in bytes of an element or a row whose sums are long enough to interleave iterations. With 32
/// numbers, interleaving makes no difference.
inline constexpr std::size_t least_long = 256;

/// Of a larger element or row only the first bytes are prefetched.
inline constexpr std::size_t most_prefetched = 1024;

/// Prefetches an element of `Size` bytes for writing, or its first bytes.
template <std::size_t Size_>
[[__gnu__::__always_inline__]] inline void prefetch_element(const std::byte* element) {
  for (std::size_t at = 0; at < Size_ && at < most_prefetched; at += 64) __builtin_prefetch(element + at, 1);
}

/// One loop of the program. Every process of the same binary has it before main. Static data.
struct loop_entry {
  std::uint64_t id;
  unsigned flags;
  const std::type_info& type;  // tells instances of one template apart
  const capture_info* captures;
  std::size_t num_captures;
  const global_info* globals;
  std::size_t num_globals;
  // `values`: for each capture, the address of a captured value, else null
  void (*run)(const void* const* values, block_source& blocks);
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
  const void* const* captured;  // for each capture its variable; for a container, its handle_target
};

/// Runs the loop to its end on all ranks. Threads take turns. Throws stradsap::loop_error or stradsap::error.
void launch(const loop_call& call);

/// A hash of bytes, for keys of plans.
[[nodiscard]] std::uint64_t hash_bytes(const void* first, std::size_t size);

/// Throws error(errc::out_of_range): the body's parameter of `bits` bits cannot count to n.
[[__noreturn__]] void refuse_index(std::int64_t n_, std::size_t bits);

/// Throws error(errc::out_of_range): a loop of n iterations.
[[__noreturn__]] void refuse_count(std::uint64_t n_);

// ---- the program -----------------------------------------------------------------------------------

/// The way an object file of the program was built; see build.hpp.
enum class build { seq, dist, checked };

/// Registers at the start of the program that it has objects of a build. Ends the program if another build is
/// registered.
class build_mark {
 public:
  explicit build_mark(build of_objects);
};

/// Called first in main, as stradsap::stradsap_enter_main. It returns on rank 0. Every other rank serves in
/// it until the program ends, and never returns.
void enter_main();
/// Starts a loop that a plain compiler built, and returns its key. Ends the program if there are several
/// ranks.
[[nodiscard]] launch_key plain_loop();
[[nodiscard]] int rank();
[[nodiscard]] int rank_count();
[[nodiscard]] int thread_count();
[[nodiscard]] std::uint64_t seed();

/// Receives the lines of a text file that are not blank: first their number, then each in order.
struct line_sink {
  virtual void expect(std::size_t lines) = 0;
  virtual void parse(std::string_view line) = 0;

 protected:
  ~line_sink() = default;
};

/// Passes the lines of a file to the sink. Throws error(errc::bad_input) if the file cannot be read, and with
/// "file:line: message" if the sink throws a std::exception.
void read_lines(const std::string& path, line_sink& sink);

}  // namespace stradsap::abi

namespace stradsap {
void stradsap_enter_main();
}
