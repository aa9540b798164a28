// The captures of a loop body, in three forms: the object at the call, its static description for the
// runtime, and the local part of an executor. One header for each kind of capture: values, containers,
// reductions. Here are the parts that they share.
// Thread rule: captures belong to the driver's thread; a local part to the executor that made it.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <stradsap/abi/abi.hpp>

namespace stradsap::abi {

/// The I-th of several values, and the list of all. std::tuple would do the same, but takes several times as
/// long to compile.
template <std::size_t I_, class T_> struct part {
  T_ value;
};
template <class Each_, class... T_> struct parts;
template <std::size_t... I_, class... T_>
struct parts<std::index_sequence<I_...>, T_...> : part<I_, T_>... {};
template <std::size_t I_, class T_> T_& at(part<I_, T_>& one) { return one.value; }
template <std::size_t I_, class T_> const T_& at(const part<I_, T_>& one) { return one.value; }

/// The steps of an executor for its part of a capture. The defaults do nothing.
struct capture_local {
  /// Reconnaissance: from now on the view records through this window.
  void look_at(const window&) {}
  /// Begins a block; this is its capture `i`. `Whole`: block::is_whole.
  template <bool Whole_> void enter(const block&, std::size_t) {}
  /// Whether the part may prefetch elements of later iterations.
  static constexpr bool expects = false;
  /// Whether its view follows iterations that a plan lists.
  static constexpr bool follows = false;
  /// Whether it does so in this block.
  static constexpr bool asks() { return false; }
  /// Prefetches for the block's iterations [from, from + N).
  template <std::uint64_t N_> void expect(std::uint64_t) {}
  /// Begins the block's iteration number k, with loop index j. `own`: the number of its aligned elements
  /// among those of the block; in a block `in_place`, among all.
  void align(std::uint64_t, std::int64_t, std::uint64_t) {}
  /// Of the block's first n iterations, the number whose aligned elements the view reaches.
  static std::uint64_t num_within(std::uint64_t n_) { return n_; }
  /// Begins iteration number k, with loop index j, one of these; or a repetition of the last one.
  void align_within(std::uint64_t, std::int64_t) {}
  /// The view reaches the aligned elements of iterations [k, k + n) in memory of its own, until they are
  /// brought back. Iteration k has loop index j.
  void set_apart(std::byte*, std::uint64_t, std::uint64_t, std::int64_t) {}
  void bring_back(std::byte*, std::uint64_t, std::uint64_t) {}
  /// Passes a part of a reduction through memory. g++ gives a number one place, and no register holds it
  /// during calls; so a loop without calls would change it in memory.
  void pass() {}
  /// Before and after an iteration that adds once.
  void begin_addition() {}
  void end_addition() {}
  /// Whether iterations of a stretch have a fold of their own each, since repeated iterations must not fold
  /// at all.
  static constexpr bool has_own_folds = false;
  void begin_own_folds(std::byte*) {}
  void begin_own_fold() {}
  void end_own_fold(std::byte*, std::uint64_t) {}
  /// Drops the folds from number n on.
  void drop_own_folds(std::byte*, std::uint64_t) {}
  void join_own_folds(const std::byte*) {}
  /// Of a flat matrix, the block's capture `i`: whether the sums over the contiguous elements of an iteration
  /// may be long.
  static constexpr bool is_long_row(const block&, std::size_t) { return false; }
  /// Selects the part of a reduction that takes the next additions.
  void join(std::uint8_t) {}
  /// Whether the grouping of additions into a reduction may change a bit.
  static constexpr bool rounds = false;
  /// In blocks by_iteration: folds the additions of the last iteration, if there was one.
  void fold_iteration() {}
  /// Ends the block. `Alone`: no other code has reached its elements.
  template <bool Alone_> void leave(const block&, std::size_t) {}
  /// The same after an exception. The parts of reductions are lost.
  template <bool Alone_> void abandon(const block&, std::size_t) {}
  /// Whether the plan knows all elements that the block's iterations touch in capture `i`.
  static constexpr bool knows_touched(const block&, std::size_t) { return true; }
  /// The number of iterations of [k, k + n) from k on that touch different elements; n is a stretch at most.
  std::uint64_t num_apart(std::uint64_t, std::uint64_t n_) const { return n_; }
};

// ---- members of captured objects: captured_struct.hpp ----

struct no_memory {};
template <class Copies_, std::size_t I_, class Capture_> struct local_of {
  using type = typename Capture_::local;
  using memory = no_memory;
};
template <class Copies_, std::size_t I_, class Capture_>
  requires requires { typename Capture_::memory; }
struct local_of<Copies_, I_, Capture_> {
  using type = typename Capture_::template local_in<Copies_, I_>;
  using memory = typename Capture_::memory;
};
template <std::size_t I_, class Memory_> struct numbered_memory : Memory_ {};

/// Whether sums over the parts of a T may be long enough to interleave iterations.
template <class T_>
inline constexpr bool is_long = sizeof(T_) >= least_long || !(std::is_trivially_copyable_v<T_>);

/// A name as a template argument.
template <std::size_t N_> struct name_text {
  constexpr name_text(const char (&text)[N_]) {
    for (std::size_t i_ = 0; i_ < N_; ++i_) characters[i_] = text[i_];
  }
  char characters[N_];
};

}  // namespace stradsap::abi
