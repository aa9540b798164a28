// The pieces of a loop that executors run, and the lists by which they prefetch elements.
// Thread rule: each class states its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include <stradsap/abi/elements.hpp>
#include <stradsap/error.hpp>

namespace stradsap::abi {

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
  bool in_place = false;                 // `windows` are whole: aligned elements of `iterations` lie in them
  const window* windows = nullptr;       // one for each capture; set for containers
  std::byte* const* streams = nullptr;   // one for each capture: aligned elements in plan order, or null
  std::byte* const* partials = nullptr;  // one for each capture: a reduction leaves its part here
  bool continues = false;                // reductions start from their partials, not from the neutral value
  // Without `continues`, in loops that may be planned one by one: the additions of each iteration are folded
  // first, and their sum is then folded into the partials. Reductions that never round continue all the same.
  bool by_iteration = false;
  const element_column* columns = nullptr;  // one for each capture, or null
  // The windows and streams of dvectors hold all elements that the block may access. The windows of those
  // that the loop only adds into begin with element 0, if they have any.
  bool is_whole = false;
  // Of a loop with accumulators and no lists of iterations: then the same in all its blocks, on any workers.
  bool is_range = false;
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
  /// The block that runs, and the number of its iteration, in functions that do not handle exceptions of
  /// bodies; else null.
  const block* running = nullptr;
  std::uint64_t running_at = 0;

 protected:
  ~block_source() = default;
};

/// Runs all blocks, by a function of a loop_entry.
void run_all(bool (*run)(const void* const* values, block_source& blocks), const void* const* values,
             block_source& blocks);

/// Reports the current exception of a body to `blocks`. Call it in the handler.
void report_failure(block_source& blocks, std::int64_t iteration);

/// Smaller elements are not prefetched: they come with their neighbours, and a prefetch costs more than the
/// wait.
inline constexpr std::size_t least_prefetched = 128;

/// The same for the records of a captured vector, and for the bytes of all of them.
inline constexpr std::size_t least_record = 16;
inline constexpr std::size_t least_records_prefetched = std::size_t{1} << 19;

/// The same for the rows that an element owns: their prefetch reads the element first.
inline constexpr std::size_t least_rows_prefetched = 256;

/// Iterations from the prefetch of an iteration's elements to its run.
inline constexpr std::uint64_t prefetch_distance = 8;
/// Iterations prefetched together; the iterations between two prefetches run without a look at the lists.
inline constexpr std::uint64_t prefetch_stretch = 4;
/// Iterations from the prefetch of an element that owns rows to the prefetch of its rows.
inline constexpr std::uint64_t owner_lead = 8;
/// Numbers of the lists that are read ahead of the running iteration.
inline constexpr std::uint64_t prefetch_reach = owner_lead + prefetch_distance + prefetch_stretch;

/// Straight bodies run in loops of this many iterations, so blocks and pieces of them are cut at multiples of
/// it; and the most bytes of their elements.
inline constexpr std::uint64_t straight_stretch = 64;
inline constexpr std::size_t most_straight = 16;

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

}  // namespace stradsap::abi
