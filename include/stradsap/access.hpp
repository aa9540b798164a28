// access(reads(D), adds(Q), pure(f)): what a loop does to its containers, and what functions do not do, said
// by the user where stradsap-cc says more. stradsap-cc reads these words; at run time they do nothing. A
// build with --check compares them with what happens.
#pragma once

namespace stradsap {

/// What access() takes: containers named by reads, writes or adds.
struct listed_containers {};

/// What pure() gives: functions.
struct listed_functions {};

/// An option of a loop operator.
struct access_option {};

/// The body does not change elements of these containers.
template <class... Container_> constexpr listed_containers reads(const Container_&...) { return {}; }
/// The body may read and change their elements.
template <class... Container_> constexpr listed_containers writes(const Container_&...) { return {}; }
/// The body changes their elements by adding only, and does not read them.
template <class... Container_> constexpr listed_containers adds(const Container_&...) { return {}; }

/// What these functions return depends on their arguments alone, and they change nothing else.
template <class... Function_> constexpr listed_functions pure(const Function_&...) { return {}; }

/// Overrides what stradsap-cc finds out about the containers named; others stay as found. What the body does
/// must agree: stradsap-cc refuses what the text belies, and a build with --check compares what is read and
/// written.
template <class... Listed_> constexpr access_option access(Listed_...) {
  static_assert(((__is_same(Listed_, listed_containers) || __is_same(Listed_, listed_functions)) && ...),
                "access takes reads(...), writes(...), adds(...), pure(...)");
  return {};
}

}  // namespace stradsap
