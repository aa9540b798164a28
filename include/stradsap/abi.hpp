// The one door between templates in user programs and the runtime library: type-erased containers, loops
// and blocks. For generated code and for the headers of this folder; not for users.
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

#include <stradsap/apart.hpp>
#include <stradsap/consistency.hpp>
#include <stradsap/listing.hpp>
#include <stradsap/serialize.hpp>

namespace stradsap::abi {

// ---- elements --------------------------------------------------------------------------------------

enum class access : std::uint8_t { read, write };

/// Code of an element type; null where handling its bytes does the same, so that no code need be made.
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

/// What the runtime must know of an element type. Static data; all functions take live objects, but for
/// `construct`, which makes value-initialised ones, and `copy`, which makes *to.
struct element_ops {
  std::size_t size;
  std::size_t align;
  bool born_zero;    // a value-initialised element is all zero bytes and needs no destructor
  bool is_compared;  // same() knows whether two have one value: bytes that are no value's, as padding, do not
                     // count
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

/// Where an element that a view does not cover is found: the road of every access off the fast path.
class element_source {
 public:
  /// Address of element i, never null; valid until the source's owner says otherwise. Throws stradsap::error.
  virtual void* element(std::uint64_t i_, access how) = 0;
  /// Address of element `first`, with the n - 1 next ones behind it; n is at least 1. As element() otherwise.
  virtual void* range(std::uint64_t first, std::uint64_t n_, access how) = 0;
  /// A key was added to the window's index: makes its entry and returns its address.
  virtual void* add_entry() = 0;

 protected:
  ~element_source() = default;
};

class key_index;

/// Where in the program an access stands. Known in check builds only; else line 0.
struct access_place {
  const char* file = "";
  std::uint32_t line = 0;
};
/// Of the last access on this thread.
inline constinit thread_local access_place current_access{};

/// Throws: there is no element i. That it never returns keeps sums of inner loops in registers, which a call
/// that comes back would force into memory.
[[__noreturn__, __gnu__::__cold__, __gnu__::__noinline__]] inline void refuse_element(element_source& source,
                                                                                      std::uint64_t i_) {
  source.element(i_, access::read);
  __builtin_trap();
}

/// The elements that a handle reaches without asking: [lo, lo + count) for writing, and for reading alone
/// when `readable` covers them. Everything else goes through the source.
struct window {
  void* base = nullptr;  // where element 0 is, or would be
  std::uint64_t lo = 0;
  std::uint64_t count = 0;
  std::uint64_t readable = 0;
  std::uint64_t size = 0;        // elements of the container
  key_index* keys = nullptr;     // a dmap's
  bool may_insert = false;       // a key that has no slot may get one here and now
  key_index* pending = nullptr;  // takes the keys that a reconnaissance meets first
  bool only_records = false;     // a reconnaissance: what is written is dropped
  element_source* source = nullptr;
  const listing* listed = nullptr;  // elements are only named
  bool complete = false;            // what it does not reach does not exist

  /// Whether `count` elements from lo on hold [first, first + n); also of nothing, where the container has
  /// that place.
  [[nodiscard]] bool covers(std::uint64_t count_, std::uint64_t first, std::uint64_t n_) const {
    const std::uint64_t at = first - lo;
    return (at < count_ && n_ <= count_ - at) || (n_ == 0 && first <= size);
  }
  /// Element i, which the window does not reach.
  void* beyond(std::uint64_t i_, access how) const {
    if (complete) refuse_element(*source, i_);
    return listed != nullptr ? listed->name(i_) : source->element(i_, how);
  }
  /// Elements [first, first + n), which it does not reach.
  void* beyond(std::uint64_t first, std::uint64_t n_, access how) const {
    return listed != nullptr ? listed->name(first, n_) : source->range(first, n_, how);
  }
};

/// Slots of keys that are only pending are told apart by their top bit.
inline constexpr std::uint64_t pending_bit = std::uint64_t{1} << 63;

// ---- containers ------------------------------------------------------------------------------------

/// The keys of a dmap: an index from key to slot, with a common numbering on all ranks.
class key_index {
 public:
  virtual ~key_index() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Appends keys [first, size()) in slot order.
  virtual void write_keys(std::uint64_t first, writer& out) const = 0;
  /// Adds the keys that are new, in the order given, and tells the slot of each key read.
  virtual std::vector<std::uint64_t> add_keys(reader& in) = 0;
  /// For each key of `part`, an index of the same type, its slot here; a key that is not here is added to
  /// `unknown`, where its slot is pending. Many may ask while nobody adds.
  virtual void find_all(const key_index& part, key_index& unknown,
                        std::vector<std::uint64_t>& slots) const = 0;
  /// An index of the same type without keys, for the new keys that a reconnaissance meets, or a lane.
  [[nodiscard]] virtual std::unique_ptr<key_index> fresh() const = 0;
  /// Makes the entry of `slot` at `to` (raw memory): its key, a value-initialised value, not existing.
  virtual void construct_entry(std::uint64_t slot, void* to) const = 0;
};

/// A distributed data structure as the driver's handle sees it. One thread: the driver's.
class handle_target : public element_source {
 public:
  virtual ~handle_target() = default;
  /// The window that the runtime opens and closes for the handle; handles move, so they say where they are.
  virtual void attach(window* handle) = 0;
  /// Brings everything to the driver: a contiguous range, writable if asked for.
  virtual void*(all)(access how) = 0;  // parentheses: programs define all(x)
  /// Grows or shrinks; new elements are value-initialised. References are void after growth.
  virtual void resize(std::uint64_t n_) = 0;
  virtual void reserve(std::uint64_t n_) = 0;
};

/// Makes a container with n value-initialised elements, or with the keys of `keys`. Driver only.
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
  steady = 16,       // but on nothing of it that this loop writes
  listed = 32,       // the inspector names its elements and never looks at them
  accumulates = 64,  // the body only adds into its elements, by one operator
  ranges = 128,      // the body asks for several elements side by side
  moved = 256,       // of a value: whoever makes the body moves from it
  exact = 512,       // of a reduction: it has the same bits however its parts are grouped
  replaces = 512,    // of a container: its elements are only assigned, whole, what does not come from them
};
/// From this bit on: the number of the operator by which a body accumulates (accumulation.hpp).
inline constexpr unsigned operator_shift = 10;
/// Bits of a loop's flags.
enum loop_bits : unsigned {
  opaque = 1,          // what the subscripts depend on could not be established
  random = 2,          // subscripts depend on stradsap::random, which says something else at each launch
  checked_build = 4,   // accesses are compared with the recorded sets
  has_slice = 8,       // planning it does not run the body itself
  transactional = 16,  // nothing finds beforehand what iterations touch; the body may run more than once
  overshoots = 32,     // its slice leaves conditions out, and may come to what the body does not
  asks_process = 64,   // the body may look at what main changes of its process: environment, locale, folder
  long_sums = 128,     // iterations may run side by side, however short rows of flat matrices are
};

/// Fields of elements are told apart as bits; several may share one.
inline constexpr std::uint64_t all_fields = ~std::uint64_t{0};

/// How what a lane adds into elements, beside them, is folded into them.
struct accumulation {
  bool is_exact;                               // parts may be grouped in any way without changing a bit
  bool is_sum;                                 // so that differences of elements are parts, too
  void (*begin)(void* first, std::size_t n_);  // makes elements that change nothing; null: they are zeros
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
  std::unique_ptr<key_index> (*make_keys)() = nullptr;  // dmaps, else null
  const char* name = "";                                // the variable's, for messages
  std::uint64_t written = all_fields;                   // fields that the loop may write
  std::uint64_t steering = all_fields;                  // fields that subscripts depend on
  const accumulation* added = nullptr;                  // where the body only adds, and that can be folded
  // reductions
  std::size_t size = 0;  // bytes of one partial
  void (*combine)(void* into, const void* partial) = nullptr;
};

/// A global variable that a body only reads: each launch brings every process the driver's value.
struct global_info {
  unsigned mode;
  void (*write)(writer& out);
  void (*read)(reader& in);
};

/// Which elements of one container the iterations of a block touch: one each, or a second one too; null where
/// nobody has a list. Lists go on beyond the block by `prefetch_reach` numbers, whatever they are.
struct element_column {
  const std::uint32_t* first = nullptr;
  const std::uint32_t* second = nullptr;
  bool is_whole = false;   // they touch no others
  std::uint32_t unit = 1;  // so many elements side by side, by their first one
};

/// How many of the iterations [k, k + n) touch different elements, counted from the first; of a whole column.
/// By value: of a view whose address a call knows, the optimiser keeps nothing in registers.
[[nodiscard]] std::uint64_t first_apart(element_column touched, std::uint64_t k_, std::uint64_t n_);

/// One piece of a loop, run by one executor from its first iteration to its last.
struct block {
  std::int64_t begin = 0;                     // first iteration, when `iterations` is null
  const std::uint32_t* iterations = nullptr;  // else: the iterations, in order
  std::uint64_t count = 0;
  const window* windows = nullptr;       // one per capture (containers)
  std::byte* const* streams = nullptr;   // one per capture: aligned elements in plan order, or null
  std::byte* const* partials = nullptr;  // one per capture: where a reduction leaves its part
  bool continues = false;                // reductions begin with what is in their partials, not from nothing
  const element_column* columns = nullptr;  // one per capture, or null
  bool side_by_side = false;  // iterations that share nothing may run so: all of the loop's, on any workers
  // Where iterations are planned one by one: which part of each reduction an iteration goes to (partials are
  // those of part 0). The source is told of each iteration then.
  const std::uint8_t* parts = nullptr;
  std::size_t part_stride = 0;
};

/// Told about each iteration that is run: by a reconnaissance, and in check builds.
class iteration_listener {
 public:
  virtual void begin(std::int64_t j_) = 0;
  virtual void end() = 0;
  /// Takes the place of begin() and end(), if there is one.
  touch_log* log = nullptr;

 protected:
  ~iteration_listener() = default;
};

/// To be called where a body's exception is caught: what it throws ends its iteration's set there, since the
/// real run will throw too, or touch an element that it may not and say so. A lost cluster it throws again.
void end_recorded_iteration();

/// Hands an executor one block after the other. Asking for the next says that the last one is finished.
class block_source : public iteration_listener {
 public:
  virtual const block* next() = 0;
  /// The current block's body threw in `iteration`; its remaining iterations are not run.
  virtual void failed(std::int64_t iteration, errc code, const char* what) = 0;
  /// Iteration number k of a block with `parts` begins.
  virtual void reached(std::uint64_t) {}

 protected:
  ~block_source() = default;
};

/// Tells `blocks` of the exception that a body threw; to be called where it is caught.
void report_failure(block_source& blocks, std::int64_t iteration);

/// Smaller elements come with their neighbours, and asking for them costs more than waiting.
inline constexpr std::size_t least_prefetched = 128;

/// Iterations between asking for an iteration's elements and running it.
inline constexpr std::uint64_t prefetch_distance = 8;
/// Iterations whose elements are asked for at once, so that the others run without a look at the lists.
inline constexpr std::uint64_t prefetch_stretch = 4;
/// How far beyond the running iteration the lists are read.
inline constexpr std::uint64_t prefetch_reach = prefetch_distance + prefetch_stretch;

/// Bytes from which on sums over an element's or a row's parts may be long enough for iterations to run side
/// by side: with 32 numbers it makes no difference.
inline constexpr std::size_t least_long = 256;

/// Of a larger element or row only the beginning is asked for.
inline constexpr std::size_t most_prefetched = 1024;

/// Asks for an element of `Size` bytes, or for its beginning, that will be written.
template <std::size_t Size_>
[[__gnu__::__always_inline__]] inline void prefetch_element(const std::byte* element) {
  for (std::size_t at = 0; at < Size_ && at < most_prefetched; at += 64) __builtin_prefetch(element + at, 1);
}

/// One loop of the program, as any process of the same binary knows it before main.
struct loop_entry {
  std::uint64_t id;
  unsigned flags;
  const std::type_info& type;  // tells instances of one template apart
  const capture_info* captures;
  std::size_t num_captures;
  const global_info* globals;
  std::size_t num_globals;
  // `values`: one per capture, where a captured value is, else null
  void (*run)(const void* const* values, block_source& blocks);
  void (*record)(const void* const* values, const window* windows, std::int64_t begin, std::int64_t end,
                 iteration_listener& listener);  // null where no plan needs it
  std::uint64_t read_jammed = 0;  // a bit per capture: whether iterations run side by side where they touch
                                  // different elements of it; see jam.hpp
};

/// Registers a loop before main. Two different loops with one id end the program with both names.
class registration {
 public:
  explicit registration(const loop_entry& entry);
};

/// What sets the random numbers of one launch apart: the run's seed, and the launch's number among all that
/// the program makes, from 1. Outside loops the number is 0.
struct launch_key {
  std::uint64_t seed = 0;
  std::uint32_t number = 0;
};
/// The launch whose bodies this thread runs.
inline constinit thread_local launch_key current_launch{};

/// Bodies that this thread runs in the scope belong to `launch`.
class launch_scope {
 public:
  explicit launch_scope(const launch_key& launch) : before_(std::exchange(current_launch, launch)) {}
  ~launch_scope() { current_launch = before_; }
  launch_scope(const launch_scope&) = delete;
  launch_scope& operator=(const launch_scope&) = delete;

 private:
  launch_key before_;
};

/// One call of a loop operator, on the driver.
struct loop_call {
  const loop_entry& entry;
  const char* site;   // FILE:LINE
  const char* label;  // or null
  std::int64_t num_iterations;
  const ConsistencyModel& model;
  const void* const* captured;  // per capture: the variable; of a container, its handle_target
};

/// Runs the loop to its end. Throws stradsap::loop_error or stradsap::error.
void launch(const loop_call& call);

/// A hash of bytes, for keys of plans.
[[nodiscard]] std::uint64_t hash_bytes(const void* first, std::size_t size);

/// Throws error(errc::out_of_range): the body's parameter of `bits` bits cannot count to n.
[[__noreturn__]] void refuse_index(std::int64_t n_, std::size_t bits);

/// Throws error(errc::out_of_range): a loop of n iterations.
[[__noreturn__]] void refuse_count(std::uint64_t n_);

// ---- the program -----------------------------------------------------------------------------------

/// How an object of the program was built; see build.hpp.
enum class build { seq, dist, checked };

/// Says at the start of the program that it holds objects of a build. Ends it if there are others.
class build_mark {
 public:
  explicit build_mark(build of_objects);
};

/// Called first in main, as stradsap::stradsap_enter_main: rank 0 returns, every other rank serves from here
/// and never comes back.
void enter_main();
/// A loop that a plain compiler built is about to run here: refused where there are several ranks.
[[nodiscard]] launch_key plain_loop();
[[nodiscard]] int rank();
[[nodiscard]] int rank_count();
[[nodiscard]] int thread_count();
[[nodiscard]] std::uint64_t seed();

/// Takes the lines of a text file that are not blank: their number first, then each in order.
struct line_sink {
  virtual void expect(std::size_t lines) = 0;
  virtual void parse(std::string_view line) = 0;

 protected:
  ~line_sink() = default;
};

/// Throws error(errc::bad_input) "file:line: message" for the first line on which the sink's parse throws,
/// and for a file that cannot be read.
void read_lines(const std::string& path, line_sink& sink);

}  // namespace stradsap::abi

namespace stradsap {
void stradsap_enter_main();
}
