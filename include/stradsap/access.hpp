// The option access(reads(D), adds(Q), pure(f)) of a loop operator. It overrides the accesses that
// stradsap-cc derives for a loop, and the effects that it assumes of functions.
// stradsap-cc evaluates the option; at run time it does nothing. A check build compares it with the accesses
// of the run. Thread rule: values.
#pragma once

namespace stradsap {

/// Containers named by reads, writes or adds.
struct listed_containers {};

/// Functions named by pure.
struct listed_functions {};

/// An option of a loop operator, as parallel_for takes it.
struct access_option {};

/// The body does not change elements of these containers.
template <class... Container_> constexpr listed_containers reads(const Container_&...) { return {}; }
/// The body may read and change elements of these containers.
template <class... Container_> constexpr listed_containers writes(const Container_&...) { return {}; }
/// The body only adds into elements of these containers, and does not read them.
template <class... Container_> constexpr listed_containers adds(const Container_&...) { return {}; }

/// The results of these functions depend on their arguments alone, and they have no effects.
template <class... Function_> constexpr listed_functions pure(const Function_&...) { return {}; }

/// Overrides the analysis of stradsap-cc for the containers and functions named; for others the analysis
/// holds.
/// The statement must be true. stradsap-cc refuses one that the text contradicts (SAP055), and a check build
/// compares the reads and writes of a run with it. Otherwise a false statement gives wrong results.
template <class... Listed_> constexpr access_option access(Listed_...) {
  static_assert(((__is_same(Listed_, listed_containers) || __is_same(Listed_, listed_functions)) && ...),
                "access takes reads(...), writes(...), adds(...), pure(...)");
  return {};
}

}  // namespace stradsap
