// The bits and numbers by which stradsap-cc tells the runtime its findings on a loop. The only header that
// both include. Thread rule: constants.
#pragma once

#include <cstddef>

namespace stradsap::abi {

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
/// Beside `accumulates`: the body also reads, and need not see the additions of other iterations.
inline constexpr unsigned adds_late = 1u << 13;
/// Whether the body only adds into the elements, at computed places.
constexpr bool is_only_added(unsigned mode) { return (mode & (accumulates | aligned)) == accumulates; }
/// Of a container that the loop only reads: its elements are subscripts of others, in inner loops.
inline constexpr unsigned gives_places = 1u << 14;
/// Of a container in a transactional loop: accesses to it are among those that cannot be found beforehand.
inline constexpr unsigned hinders = 1u << 15;
/// Of a container in a transactional loop: its data, which the loop writes, decide the places of such
/// accesses.
inline constexpr unsigned decides = 1u << 16;
/// Of a container that the body also reads at other places: it writes element j in iteration j, and no other.
inline constexpr unsigned writes_own = 1u << 17;
/// Of a captured std::vector of numbers: iteration j reads element j, and the body uses no other.
inline constexpr unsigned read_at_index = 1u << 18;
/// Beside `accumulates`: the body adds by pointers of unknown offsets, so it may add into any element.
inline constexpr unsigned reaches_any = 1u << 19;
/// Of a dvector: the body compares addresses of elements, and only the subscripts decide the result.
inline constexpr unsigned compared = 1u << 20;
/// Of a dvector: the body compares addresses by their order or at a distance, perhaps not by subscripts
/// alone. So copies of elements lie as the elements do.
inline constexpr unsigned ordered = 1u << 21;
/// From this bit on: the number of the operator by which a body accumulates (accumulation.hpp).
inline constexpr unsigned operator_shift = 22;
inline constexpr unsigned operator_bits = 15u << operator_shift;
/// Beside `writes`, the fold of copies that shards and accumulators changed: parts of elements are only
/// assigned values that do not come from them; or only values that are less, or greater.
inline constexpr unsigned replaces_parts = 1u << 26;
inline constexpr unsigned keeps_least = 1u << 27;
inline constexpr unsigned keeps_greatest = 1u << 28;
/// The same: a bit operator, of which operator_bits have the number, makes all changes; the body also reads.
inline constexpr unsigned folds_bits = 1u << 29;
/// Whether changes of the elements add up.
constexpr bool adds_changes(unsigned mode) {
  return (mode & (replaces | replaces_parts | keeps_least | keeps_greatest | folds_bits)) == 0;
}
/// Bits of a loop's flags.
enum loop_bits : unsigned {
  unknown_dependences = 1,  // the data behind the subscripts are not established
  random = 2,               // subscripts depend on stradsap::random, with other draws in each launch.
  checked_build = 4,        // accesses are compared with the recorded sets
  has_slice = 8,            // planning does not run the body itself
  transactional = 16,       // accesses cannot be found beforehand; the body may run more than once.
  overshoots = 32,          // its slice omits conditions, so it may name elements that the body never touches
  asks_process = 64,   // the body may query state that main changes: environment, locale, working directory.
  long_sums = 128,     // iterations may interleave even if rows of flat matrices are short
  rounds_apart = 256,  // two copies of a body may round differently, even those of `run_unfused`
  of_library = 512,    // input or output: no loop of the program, and in none of its statistics
  relaxable = 1024,    // beside `transactional`: can be planned if all containers that hinder it are `stale`
  straight = 2048,     // iterations have all elements at the loop index, and are short
  index_of_31_bits = 4096,  // the body uses copies of its index in such types as the index itself
  index_of_32_bits = 8192,
  guarded = 16384,     // windows decide which copy of an inner loop runs, since its accesses are conditional
  fills_maps = 32768,  // it writes a map, and its slice takes about as long as its body
};

/// Bits of a straight body.
enum straight_bits : unsigned {
  calls_functions = 1,      // those of <cmath>, which g++ vectorises if it may regroup sums
  adds_fractions_once = 2,  // at most one addition an iteration into each captured fraction, of its type
};

/// The operators of accumulations, by number.
enum operator_numbers : unsigned {
  adds_up,
  multiplies,
  takes_minimum,
  takes_maximum,
  ands_bits,
  ors_bits,
  xors_bits,
  takes_minimum_number,
  takes_maximum_number,
  adds_as_stated,  // known only from access(adds(...)); a class is added by its own `+=`
};

/// The number of interleaved iterations.
inline constexpr std::size_t interleave_width = 4;

}  // namespace stradsap::abi
