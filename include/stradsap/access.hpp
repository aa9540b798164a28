// The option access(reads(D), adds(Q), pure(f)) of a loop operator. It overrides the accesses that
// stradsap-cc derives for a loop, and the effects that it assumes of functions.
// stradsap-cc evaluates the option; at run time it does nothing. A check build compares it with the accesses
// of the run. Thread rule: values.
#pragma once

#include <type_traits>

namespace stradsap {
namespace abi {

/// The headers of the containers say so of their types.
template <class T_> inline constexpr bool is_container = false;

template <class T_>
inline constexpr bool is_function =
    std::is_function_v<std::remove_pointer_t<T_>> || std::is_member_function_pointer_v<T_>;

}  // namespace abi

/// A distributed container: dvector, dmap or dmultimap.
template <class T_>
concept distributed_container = abi::is_container<T_>;

/// A function by its name, or a pointer to one.
template <class T_>
concept named_function = abi::is_function<T_>;

/// Containers named by reads, writes, adds or adds_late.
struct listed_containers {};

/// Functions named by pure.
struct listed_functions {};

/// The type of a list in access(...).
template <class T_>
concept access_list = std::is_same_v<T_, listed_containers> || std::is_same_v<T_, listed_functions>;

/// An option of a loop operator, as parallel_for takes it.
struct access_option {};

/// The body does not change elements of these containers.
/// @code
/// async_for(n, [&X, &Y, &id](int64_t j) { X[j] = std::as_const(Y)[id[j]]; }, access(reads(Y, id)));
/// @endcode
template <distributed_container... Container_> constexpr listed_containers reads(const Container_&...) {
  return {};
}
/// The body may read and change elements of these containers.
/// @code
/// async_for(n, [&X](int64_t j) { X[j] *= 2; }, access(writes(X)));
/// @endcode
template <distributed_container... Container_> constexpr listed_containers writes(const Container_&...) {
  return {};
}
/// The body only adds into elements of these containers, and does not read them.
/// @code
/// async_for(n, [&X, &id](int64_t j) { X[id[j]] += 1; }, access(adds(X)));
/// @endcode
template <distributed_container... Container_> constexpr listed_containers adds(const Container_&...) {
  return {};
}

/// A container whose elements are numbers: dvector<int>, dvector<float>.
template <class T_>
concept container_of_numbers = distributed_container<T_> && std::is_arithmetic_v<typename T_::value_type> &&
                               !std::is_same_v<typename T_::value_type, bool>;

/// The body reads elements of these containers and adds into them, and the additions of other iterations may
/// become visible late: at the end of the loop at the latest. An iteration sees the value at the start of the
/// loop, its own additions, and those of some earlier iterations. After the loop all additions are there.
/// For totals that change little during one loop. A loop in program order sees all earlier additions.
/// @code
/// dvector<int> totals(8);
/// async_for(n, [&](int64_t j) { totals[id[j] % 8] += totals[0] < 5 ? 1 : 2; }, access(adds_late(totals)));
/// @endcode
template <container_of_numbers... Container_> constexpr listed_containers adds_late(const Container_&...) {
  return {};
}

/// The results of these functions depend on their arguments alone, and they have no effects.
/// @code
/// float scaled(float);
///
/// async_for(n, [&X](int64_t j) { X[j] = scaled(X[j]); }, access(pure(scaled)));
/// @endcode
template <named_function... Function_> constexpr listed_functions pure(const Function_&...) { return {}; }

/// Overrides the analysis of stradsap-cc for the containers and functions named; for others the analysis
/// holds. The last argument of a loop operator.
/// The statement must be true. stradsap-cc refuses one that the text contradicts (SAP055), and a check build
/// compares the reads and writes of a run with it. Otherwise a false statement gives wrong results.
/// @code
/// async_for(n, [&X, &Y, &id](int64_t j) { X[id[j]] += Y[j]; }, access(reads(Y), adds(X)));
/// @endcode
template <access_list... Listed_> constexpr access_option access(Listed_...) { return {}; }

}  // namespace stradsap
