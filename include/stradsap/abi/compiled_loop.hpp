// The code and the static data that the native compiler makes of a loop: the body as `run`, and as `record`
// if a plan needs it. This code is compiled for each loop, so all else is in static tables and in the
// runtime. Thread rule: many executors may call run and record at once, each with its own source or listener.
#pragma once

#include <type_traits>
#include <typeinfo>
#include <utility>

#include <stradsap/abi/capture.hpp>
#include <stradsap/abi/interleaving.hpp>
#include <stradsap/abi/loop_index.hpp>
#include <stradsap/abi/rounding.hpp>

namespace stradsap::abi {

/// A factory of bodies and a factory of inspectors. An inspector is the slice of a body that finds its
/// accesses.
template <class Factory_, class Inspector_> struct sliced_body {};
template <class Factory_, class Inspector_>
sliced_body<Factory_, Inspector_> stradsap_sliced(Factory_, Inspector_) {
  return {};
}

/// A factory of bodies without inner loops and calls, so g++ vectorises a loop over their iterations.
template <unsigned Bits_, class Given_> struct straight_body {};
template <unsigned Bits_, class Given_> straight_body<Bits_, Given_> stradsap_straight(Given_) { return {}; }

template <class Given_> struct factories {
  using body = Given_;
  using inspector = Given_;  // without a slice, reconnaissance runs the whole body
  static constexpr unsigned flags = 0;
  static constexpr bool interleaves = false;
  static constexpr std::uint64_t read_interleaved = 0;
  static constexpr bool is_straight = false;
  static constexpr bool has_calls = false;
  static constexpr bool adds_once = false;
};
template <unsigned Bits_, class Given_> struct factories<straight_body<Bits_, Given_>> : factories<Given_> {
  static constexpr bool is_straight = true;
  static constexpr bool has_calls = (Bits_ & calls_functions) != 0;
  static constexpr bool adds_once = (Bits_ & adds_fractions_once) != 0;
};
template <class Factory_, class Inspector_> struct factories<sliced_body<Factory_, Inspector_>> {
  using body = Factory_;
  using inspector = Inspector_;
  static constexpr unsigned flags = has_slice;
  static constexpr bool interleaves = false;
  static constexpr std::uint64_t read_interleaved = 0;
  static constexpr bool is_straight = false;
  static constexpr bool has_calls = false;
  static constexpr bool adds_once = false;
};
template <std::uint64_t Read_, class Given_, class Phases_>
struct factories<interleaved_body<Read_, Given_, Phases_>> : factories<Given_> {
  using phases = Phases_;
  static constexpr bool interleaves = interleaves_bodies;
  static constexpr std::uint64_t read_interleaved = Read_;
};

// gdb knows the lambda in a function by its short name only if code exists for that function.
#ifdef __clang__
#define STRADSAP_FRAME  // reads symbols; it would also need the function before its class is complete
#else
#define STRADSAP_FRAME [[__gnu__::__used__]]
#endif

// stradsap-cc lets g++ fuse products with sums in bodies alone: docs/decisions/driver-access.md. A short loop
// that crosses lines of the instruction cache may take 1.7 times as long.
#if defined(STRADSAP_FUSES_BODIES) && !defined(__clang__)
#define STRADSAP_FUSED __attribute__((__optimize__("fp-contract=fast", "align-loops=64", "align-jumps=64")))
#define STRADSAP_UNFUSED __attribute__((__optimize__("align-loops=64", "align-jumps=64")))
#else
#define STRADSAP_FUSED
#define STRADSAP_UNFUSED
#endif

// The rest of a block's iterations. A function would have a frame of its own, with all template arguments.
// Straight bodies run in stretches, one loop of constant length. So all iterations run in the same code, and
// round alike wherever a block ends. Where no bit depends on that, or blocks end at fixed places, they run in
// one loop.
#define STRADSAP_RUN_ITERATIONS                                              \
  if constexpr (in_stretches) {                                              \
    const std::uint64_t within = num_within(local, b_);                      \
    begin_own_folds(local, folds);                                           \
    while (k_ < within) {                                                    \
      const std::uint64_t n_ = length_of_stretch(within - k_);               \
      if (n_ < straight_stretch) {                                           \
        set_apart(local, b_, stretch, k_, n_);                               \
        join_own_folds(local, folds);                                        \
        begin_own_folds(local, folds);                                       \
      }                                                                      \
      auto j_ = first_index<decltype(body)>(b_, k_);                         \
      for (std::uint64_t i_ = 0; i_ < straight_stretch; ++i_) {              \
        begin_own_fold(local);                                               \
        body(begin_within(local, k_ + i_, j_));                              \
        end_own_fold(local, folds, i_);                                      \
        j_ = next_index(j_);                                                 \
      }                                                                      \
      if (n_ < straight_stretch) {                                           \
        bring_back(local, stretch, k_, n_);                                  \
        drop_own_folds(local, folds, n_);                                    \
      }                                                                      \
      k_ += n_;                                                              \
    }                                                                        \
    join_own_folds(local, folds);                                            \
  } else if constexpr (in_one_loop) {                                        \
    const std::uint64_t within = num_within(local, b_);                      \
    pass_parts(local);                                                       \
    auto j_ = first_index<decltype(body)>(b_, k_);                           \
    for (; k_ < within; ++k_) {                                              \
      if constexpr (stays_scalar) asm volatile("");                          \
      begin_addition(local);                                                 \
      body(begin_within(local, k_, j_));                                     \
      end_addition(local);                                                   \
      j_ = next_index(j_);                                                   \
    }                                                                        \
    pass_parts(local);                                                       \
  } else if constexpr ((is_whole && has_range_copy) || has_own_range) {      \
    if (has_own_range || b_.is_range) {                                      \
      const std::uint64_t within = num_within(local, b_);                    \
      auto j_ = first_index<decltype(body)>(b_, k_);                         \
      for (; k_ < within; ++k_) {                                            \
        if constexpr (has_own_range && stays_scalar) asm volatile("");       \
        if constexpr (is_noted) blocks.running_at = k_;                      \
        body(begin_within(local, k_, j_));                                   \
        j_ = next_index(j_);                                                 \
      }                                                                      \
    }                                                                        \
  }                                                                          \
  while (k_ < b_.count) {                                                    \
    const std::uint64_t end = end_of_piece<is_whole>(local, blocks, b_, k_); \
    for (; k_ < end; ++k_) {                                                 \
      if constexpr (is_noted) blocks.running_at = k_;                        \
      const auto j_ = begin_iteration<decltype(body)>(local, b_, k_);        \
      if constexpr (is_listened) blocks.begin(iteration(b_, k_));            \
      body(as_index<decltype(body)>(j_));                                    \
      if constexpr (is_listened) blocks.end();                               \
    }                                                                        \
  }

// A block in one copy of the body. Each copy ends its own promises: g++ would publish the elements of both.
#define STRADSAP_RUN_BLOCK(whole)                               \
  constexpr bool is_whole = whole;                              \
  constexpr bool is_noted = !has_handler(whole);                \
  if constexpr (is_noted) blocks.running = next;                \
  (at<I_>(local).template enter<whole>(b_, I_), ...);           \
  STRADSAP_RUN_ITERATIONS;                                      \
  (at<I_>(local).template leave<is_alone(whole)>(b_, I_), ...); \
  if constexpr (is_noted) blocks.running = nullptr;

// The same with a handler, where no access returns from a call. g++ keeps no sum in a register across a call
// that may throw to a handler of the same function. After an exception the function returns: if its loop over
// blocks went on behind the handler, g++ would not know the views that captured lambdas refer to.
#define STRADSAP_TRY_BLOCK(whole)                                   \
  try {                                                             \
    STRADSAP_RUN_BLOCK(whole)                                       \
  } catch (...) {                                                   \
    report_failure(blocks, iteration(b_, k_));                      \
    (at<I_>(local).template abandon<is_alone(whole)>(b_, I_), ...); \
    return false;                                                   \
  }

// The blocks of an executor, each in the copy of the body for its windows.
#define STRADSAP_RUN_BLOCKS                                                 \
  [[maybe_unused]] locals local(values);                                    \
  /* not const: g++ 12 would keep the captures in memory */                 \
  auto body = typename factories<Given_>::body{}(at<I_>(local).get()...);   \
  /* Views of their own: g++ keeps views that the phases know in memory. */ \
  [[maybe_unused]] auto apart = views_apart(values);                        \
  [[maybe_unused]] auto phases = phases_over(apart);                        \
  [[maybe_unused]] stretch_apart stretch;                                   \
  [[maybe_unused]] stretch_folds folds;                                     \
  while (const block* next = blocks.next()) {                               \
    const block b_ = *next;                                                 \
    if constexpr (interleaves) {                                            \
      if (is_interleaved(b_)) {                                             \
        if (!run_interleaved()(apart, phases, blocks, b_)) return false;    \
        continue;                                                           \
      }                                                                     \
    }                                                                       \
    std::uint64_t k_ = 0;                                                   \
    if (has_whole_copy && b_.is_whole) {                                    \
      STRADSAP_TRY_BLOCK(true)                                              \
    } else if constexpr (has_handler(false)) {                              \
      STRADSAP_TRY_BLOCK(false)                                             \
    } else {                                                                \
      STRADSAP_RUN_BLOCK(false)                                             \
    }                                                                       \
  }                                                                         \
  return true;

/// The compiled copies of one body. The caller of the body is a lambda in a function that has returned, so
/// gdb prints its frame as operator(). The frame of a member function would list all template arguments of
/// this class.
template <class Given_, class Each_, class... Capture_> struct body_copies;

template <class Given_, std::size_t... I_, class... Capture_>
struct body_copies<Given_, std::index_sequence<I_...>, Capture_...> {
  template <std::size_t N_, class One_> using local_of_one = local_of<body_copies, N_, One_>;

  /// The executor's parts of all captures, and memory for captured objects.
  struct locals : numbered_memory<I_, typename local_of_one<I_, Capture_>::memory>...,
                  part<I_, typename local_of_one<I_, Capture_>::type>... {
    explicit locals([[__maybe_unused__]] const void* const* values)
        : part<I_, typename local_of_one<I_, Capture_>::type>{
              typename local_of_one<I_, Capture_>::type(values[I_])}... {}
  };

  static constexpr bool interleaves = factories<Given_>::interleaves && (Capture_::has_long_sums || ...);
  static auto make_phases([[__maybe_unused__]] auto&... captures) {
    if constexpr (interleaves) {
      return typename factories<Given_>::phases{}(captures...);
    } else {
      return no_phases{};
    }
  }
  struct no_phases {};
  using made_phases = decltype(make_phases(at<I_>(std::declval<locals&>()).get()...));
  /// The views of interleaved blocks, and the phases over them.
  static auto views_apart([[__maybe_unused__]] const void* const* values) {
    if constexpr (interleaves) {
      return locals(values);
    } else {
      return no_phases{};
    }
  }
  static auto phases_over([[__maybe_unused__]] auto& views) {
    if constexpr (interleaves) {
      return make_phases(at<I_>(views).get()...);
    } else {
      return no_phases{};
    }
  }

  /// Whether the source of blocks gets each iteration.
  static constexpr bool is_listened = this_build == build::checked;
  /// Whether a plan may list iterations: the loop writes some container at computed places.
  static constexpr bool is_planned = (Capture_::is_scattered || ...);

  /// Runs the bodies of blocks. All views are locals that no other code can reach, and the body is inlined
  /// once a copy. So the inner loop is compiled as it would be over plain arrays.
  STRADSAP_FRAME static constexpr auto run() {
    return +[]([[__maybe_unused__]] const void* const* values, block_source& blocks)
                __attribute__((__flatten__)) STRADSAP_FUSED { STRADSAP_RUN_BLOCKS };
  }
  /// The same without fused products, for loops that time may move between copies: all of them round alike.
  STRADSAP_FRAME static constexpr auto run_unfused() {
    if constexpr (has_unfused_copies && is_planned) {
      return +[]([[__maybe_unused__]] const void* const* values, block_source& blocks)
                  __attribute__((__flatten__)) STRADSAP_UNFUSED { STRADSAP_RUN_BLOCKS };
    } else {
      return run();
    }
  }

  /// Whether there is a second copy of the body, for block::is_whole. There an access outside a window never
  /// returns, so sums of inner loops stay in registers.
  static constexpr bool has_whole_copy = is_planned && this_build != build::checked;

  template <class One_>
  static constexpr bool is_added = One_::info.kind == capture_kind::container &&
                                   is_only_added(One_::info.mode) && (One_::info.mode & writes) != 0;
  /// Whether it has a loop of its own for ranges of iterations with accumulators. There, g++ keeps the views
  /// of aligned elements in step with the index.
  static constexpr bool has_range_copy =
      has_whole_copy && (is_added<Capture_> || ...) && !(local_of_one<I_, Capture_>::type::follows || ...);

  // ---- straight bodies ----

  static constexpr bool is_straight =
      factories<Given_>::is_straight && !is_planned && this_build != build::checked;
  static constexpr bool has_calls = factories<Given_>::has_calls;
  template <class One_>
  static constexpr bool is_written =
      One_::info.kind == capture_kind::container && (One_::info.mode & writes) != 0;
  static constexpr bool writes_elements = (is_written<Capture_> || ...);
  template <class One_>
  static constexpr bool sums_inexactly =
      One_::info.kind == capture_kind::reduction && (One_::info.mode & exact) == 0;
  /// Whether times may move the ends of blocks between elements: not if a sum of fractions depends on them.
  static constexpr bool cuts_elements = writes_elements && !(sums_inexactly<Capture_> || ...);
  /// Whether g++ may vectorise a loop over iterations.
  static constexpr bool may_vectorise = !has_calls || may_regroup;

  /// How the iterations of a block run.
  static constexpr bool in_stretches =
      is_straight && cuts_elements && may_vectorise && (Capture_::is_of_small_elements && ...);
  static constexpr bool in_one_loop = is_straight && (!cuts_elements || !may_vectorise);
  /// Whether g++ must not vectorise parts of that loop.
  static constexpr bool stays_scalar = cuts_elements;
  /// Whether other bodies that write at their index alone, or nowhere, have a loop of their own for
  /// iterations whose elements the views reach. There, g++ keeps the views in step with the index, and tests
  /// none.
  static constexpr bool has_own_range = !is_planned && !is_straight && this_build != build::checked &&
                                        (((Capture_::info.mode & aligned) != 0) || ...);
  /// Whether iterations are short for sure.
  static constexpr bool is_short = in_stretches || (in_one_loop && !has_calls);

  /// Whether nothing but the body reaches the elements while a block runs in that copy. Where iterations are
  /// planned one by one, a call before each may wait for others that write the elements: blocks with such
  /// calls never run the copy for whole windows.
  static constexpr bool is_alone(bool whole) {
    return (whole || !is_planned) && this_build != build::checked;
  }

  /// Whether that copy handles exceptions of bodies itself. A store for each iteration would keep g++ from
  /// vectorising straight bodies.
  static constexpr bool has_handler(bool whole) { return whole || is_straight; }

  /// Whether iterations may interleave for any length of rows.
  static constexpr bool has_long_elements = (Capture_::has_long_elements || ...);

  /// A bit for each capture with elements that interleaved iterations must not share.
  static constexpr std::uint64_t read_together =
      factories<Given_>::interleaves && (Capture_::has_long_sums || ...) ? factories<Given_>::read_interleaved
                                                                         : 0;

  /// Runs the body, or its slice, over views that record its accesses.
  STRADSAP_FRAME static constexpr auto record() {
    return +[]([[__maybe_unused__]] const void* const* values, [[__maybe_unused__]] const window* windows,
               std::int64_t begin, std::int64_t end, iteration_listener& listener) STRADSAP_FUSED {
      [[__maybe_unused__]] locals local(values);
      (at<I_>(local).look_at(windows[I_]), ...);
      const auto body = typename factories<Given_>::inspector{}(at<I_>(local).get()...);
      touch_log* const log = listener.log;
      for (std::int64_t j_ = begin; j_ < end; ++j_) {
        if (log == nullptr) listener.begin(j_);
        try {
          body(as_index<std::remove_cv_t<decltype(body)>>(j_));
        } catch (...) {
          end_recorded_iteration();
        }
        log != nullptr ? log->end_iteration() : listener.end();
      }
    };
  }

 private:
  static constexpr bool has_inexact_sums = (local_of_one<I_, Capture_>::type::rounds || ...);
  static constexpr bool expects = (local_of_one<I_, Capture_>::type::expects || ...);
  static_assert(interleave_width == prefetch_stretch, "iterations run side by side within a stretch");

  /// The end of the iterations from k on that run before the next look at the lists. Blocks with parts never
  /// run in the copy for whole windows.
  template <bool Whole_>
  static std::uint64_t end_of_piece(locals& local, block_source& blocks, const block& b_, std::uint64_t k_) {
    if (is_planned && !Whole_ && b_.parts != nullptr) {
      (at<I_>(local).template expect<1>(k_ + prefetch_distance), ...);
      blocks.reached(k_);
      (at<I_>(local).join(b_.parts[k_]), ...);
      return k_ + 1;
    }
    if (is_planned && has_inexact_sums && b_.by_iteration) {
      (at<I_>(local).fold_iteration(), ...);
      return k_ + 1;
    }
    const bool asks = expects && (at<I_>(local).asks() || ...);
    return asks ? end_of_stretch(local, b_, k_) : b_.count;
  }
  /// The end of the stretch that begins with iteration k; prefetches for a later stretch.
  static std::uint64_t end_of_stretch(locals& local, const block& b_, std::uint64_t k_) {
    (at<I_>(local).template expect<prefetch_stretch>(k_ + prefetch_distance), ...);
    return b_.count - k_ > prefetch_stretch ? k_ + prefetch_stretch : b_.count;
  }

  static std::int64_t iteration(const block& b_, std::uint64_t k_) {
    if (is_planned && b_.iterations != nullptr) return b_.iterations[k_];
    return b_.begin + static_cast<std::int64_t>(k_);
  }
  /// Moves the views to iteration number k of the block; returns the loop index, in the body's type. The
  /// views get that value: so g++ knows that the body's subscript is the element they moved to.
  template <class Body_> static auto begin_iteration(locals& local, const block& b_, std::uint64_t k_) {
    const auto j_ = as_index<Body_>(iteration(b_, k_));
    [[maybe_unused]] const std::uint64_t own =  // no view of a loop without captures
        is_planned && b_.in_place ? static_cast<std::uint64_t>(j_) : k_;
    (at<I_>(local).align(k_, static_cast<std::int64_t>(j_), own), ...);
    return j_;
  }

  // ---- straight iterations ----

  /// Elements of a stretch that is not full. The rest of the stretch repeats the last element.
  struct elements_apart {
    alignas(64) std::byte of[sizeof...(I_) + 1][straight_stretch * most_straight];
  };
  struct no_elements {};
  using stretch_apart = std::conditional_t<in_stretches, elements_apart, no_elements>;
  /// A fold of whole numbers for each iteration of a stretch.
  struct folds_of_iterations {
    alignas(64) std::byte of[sizeof...(I_) + 1][straight_stretch * most_straight];
  };
  static constexpr bool has_own_folds =
      in_stretches && (local_of_one<I_, Capture_>::type::has_own_folds || ...);
  using stretch_folds = std::conditional_t<has_own_folds, folds_of_iterations, no_elements>;

  /// The number of the block's first iterations whose elements all views reach.
  static std::uint64_t num_within(const locals& local, const block& b_) {
    std::uint64_t n_ = b_.count;
    ((n_ = at<I_>(local).num_within(n_)), ...);
    return n_;
  }
  static std::uint64_t length_of_stretch(std::uint64_t n_) {
    return n_ < straight_stretch ? n_ : straight_stretch;
  }
  static void set_apart(locals& local, const block& b_, auto& to, std::uint64_t k_, std::uint64_t n_) {
    (at<I_>(local).set_apart(to.of[I_], k_, n_, b_.begin + static_cast<std::int64_t>(k_)), ...);
  }
  static void bring_back(locals& local, auto& from, std::uint64_t k_, std::uint64_t n_) {
    (at<I_>(local).bring_back(from.of[I_], k_, n_), ...);
  }
  static void begin_own_folds(locals& local, auto& folds) {
    if constexpr (has_own_folds) (at<I_>(local).begin_own_folds(folds.of[I_]), ...);
  }
  static void begin_own_fold(locals& local) {
    if constexpr (has_own_folds) (at<I_>(local).begin_own_fold(), ...);
  }
  static void end_own_fold(locals& local, auto& folds, std::uint64_t i_) {
    if constexpr (has_own_folds) (at<I_>(local).end_own_fold(folds.of[I_], i_), ...);
  }
  static void drop_own_folds(locals& local, auto& folds, std::uint64_t n_) {
    if constexpr (has_own_folds) (at<I_>(local).drop_own_folds(folds.of[I_], n_), ...);
  }
  static void join_own_folds(locals& local, auto& folds) {
    if constexpr (has_own_folds) (at<I_>(local).join_own_folds(folds.of[I_]), ...);
  }
  static void begin_addition(locals& local) {
    if constexpr (factories<Given_>::adds_once) (at<I_>(local).begin_addition(), ...);
  }
  static void end_addition(locals& local) {
    if constexpr (factories<Given_>::adds_once) (at<I_>(local).end_addition(), ...);
  }
  [[__gnu__::__always_inline__]] static void pass_parts(locals& local) { (at<I_>(local).pass(), ...); }
  /// The loop index of iteration k. Later ones are counted from it: g++ does not know that converted numbers
  /// follow each other.
  template <class Body_> static auto first_index(const block& b_, std::uint64_t k_) {
    return as_index<Body_>(b_.begin + static_cast<std::int64_t>(k_));
  }
  template <class Index_> static Index_ next_index(Index_ j_) { return static_cast<Index_>(j_ + 1); }
  /// Moves the views to such an iteration; returns the loop index.
  template <class Index_> static Index_ begin_within(locals& local, std::uint64_t k_, Index_ j_) {
    (at<I_>(local).align_within(k_, static_cast<std::int64_t>(j_)), ...);
    return j_;
  }

  // ---- interleaved iterations ----

  template <std::size_t C_>
  static constexpr bool is_read_together = C_ < 64 && (read_together >> C_ % 64 & 1) != 0;

  /// Whether the block interleaves: the plan must know all elements that its iterations touch. This does not
  /// depend on the number of ranks and threads, so neither do the bits.
  static bool is_interleaved(const block& b_) {
    const bool pays = has_long_elements || (local_of_one<I_, Capture_>::type::is_long_row(b_, I_) || ...);
    const bool can = b_.side_by_side && pays && (b_.is_whole || !has_whole_copy);
    return (can && ... && (!is_read_together<I_> || local_of_one<I_, Capture_>::type::knows_touched(b_, I_)));
  }

  static constexpr auto run_interleaved() {
    return [](locals& local, const made_phases& phases, block_source& blocks, const block& b_) {
      std::uint64_t k_ = 0;
      bool has_ended = true;
      try {
        (at<I_>(local).template enter<has_whole_copy>(b_, I_), ...);
        side_by_side()(local, phases, b_, k_);
      } catch (...) {
        report_failure(blocks, iteration(b_, k_));
        has_ended = false;
      }
      (at<I_>(local).template leave<is_alone(has_whole_copy)>(b_, I_), ...);
      return has_ended;
    };
  }

  static constexpr auto side_by_side() {
    return [](locals& local, const made_phases& phases, const block& b_, std::uint64_t& k_) {
      while (k_ < b_.count) {
        const std::uint64_t end = end_of_stretch(local, b_, k_);
        while (k_ < end) interleaved()(local, phases, b_, k_, num_apart(local, k_, end - k_));
      }
    };
  }

  /// The number of iterations of [k, k + n) from k on that share no element; n is a stretch at most.
  static std::uint64_t num_apart([[__maybe_unused__]] const locals& local,
                                 [[__maybe_unused__]] std::uint64_t k_, std::uint64_t n_) {
    ((n_ = is_read_together<I_> ? at<I_>(local).num_apart(k_, n_) : n_), ...);
    return n_;
  }

  /// Runs iterations [k, k + n), which share no element, interleaved; moves `k` on as they end.
  static constexpr auto interleaved() {
    return
        [](locals& local, const made_phases& phases, const block& b_, std::uint64_t& k_, std::uint64_t n_) {
          if (n_ == 0 || n_ > interleave_width) __builtin_unreachable();  // else g++ writes code for these
          using begin = std::remove_cvref_t<decltype(phases.begin)>;
          decltype(phases.begin(as_index<begin>(0))) found[interleave_width];
          for (std::uint64_t i_ = 0; i_ < n_; ++i_) {
            try {
              found[i_] = phases.begin(begin_iteration<begin>(local, b_, k_ + i_));
            } catch (...) {
              if (i_ == 0) throw;
              n_ = i_;  // it throws again, after those before it
            }
          }
          const auto sums = [&] {
            while (true) {
              for (std::uint64_t i_ = n_; i_ < interleave_width; ++i_) found[i_] = found[0];
              try {
                return phases.chains(found);
              } catch (...) {
                if (n_ == 1) throw;
              }
              n_ = 1;  // alone, the iteration that throws shows itself
            }
          }();
#pragma GCC unroll 1
          for (std::uint64_t i_ = 0; i_ < n_; ++i_, ++k_) {
            phases.rest(begin_iteration<begin>(local, b_, k_), found[i_], sums.stradsap_of[i_]);
          }
        };
  }
};

#undef STRADSAP_RUN_ITERATIONS
#undef STRADSAP_RUN_BLOCKS
#undef STRADSAP_TRY_BLOCK
#undef STRADSAP_RUN_BLOCK
#undef STRADSAP_FUSED
#undef STRADSAP_UNFUSED
#undef STRADSAP_FRAME

/// The loop as the runtime knows it. Its captures are plain: no captured lambda has captures of its own.
template <std::uint64_t Id_, unsigned Flags_, class Globals_, class Given_, class... Capture_>
class compiled_loop {
  using copies = body_copies<Given_, std::index_sequence_for<Capture_...>, Capture_...>;

 public:
  static constexpr std::size_t num_captures = sizeof...(Capture_);

  /// The loop's entry, which is registered before main. The addresses of the captured variables stay as they
  /// are.
  static const loop_entry& entry(const void**) {
    (void)&registered_;
    return entry_;
  }

 private:
  static constexpr capture_info infos_[] = {Capture_::info..., capture_info{}};
  static constexpr bool may_be_planned = (Flags_ & transactional) == 0 || (Flags_ & relaxable) != 0;
  static constexpr auto run() {
    if constexpr (may_be_planned && (Flags_ & guarded) == 0) {
      return copies::run();
    } else {
      return copies::run_unfused();
    }
  }
  static constexpr auto record() {
    if constexpr (copies::is_planned && may_be_planned) {
      return copies::record();
    } else {
      return nullptr;
    }
  }
  static constexpr unsigned flags_ =
      Flags_ | factories<Given_>::flags | (copies::has_long_elements ? long_sums : 0u) |
      (copies::is_short ? straight : 0u) | (copies_round_apart ? rounds_apart : 0u) |
      (this_build == build::checked ? checked_build : 0u);
  static constexpr loop_entry entry_{Id_,
                                     flags_,
                                     typeid(typename factories<Given_>::body),
                                     infos_,
                                     sizeof...(Capture_),
                                     Globals_::infos,
                                     Globals_::count,
                                     run(),
                                     copies::run_unfused(),
                                     record(),
                                     copies::read_together};
  static inline const registration registered_{entry_};
};

}  // namespace stradsap::abi
