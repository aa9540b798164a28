// The loop operators. Compiled by stradsap-cc they run on all ranks and threads; compiled by a plain compiler
// they run here, in program order.
// Thread rule: the driver's thread.
#pragma once

#include <concepts>
#include <type_traits>

#include <stradsap/access.hpp>
#include <stradsap/build.hpp>
#include <stradsap/closure.hpp>
#include <stradsap/consistency.hpp>
#include <stradsap/inserted.hpp>

namespace stradsap {
inline namespace STRADSAP_BUILD {

/// Runs body(0) ... body(n - 1) under `model`; `label` names the loop in reports. A negative n is 0; one that
/// 63 bits do not hold throws error(errc::out_of_range).
/// In the body: containers captured by reference, reductions (variables captured by reference, only folded
/// into), and serialisable values. `options`: access(...). Throws loop_error where the body throws, and error
/// where the cluster fails.
template <std::integral Count_, abi::typed_body Body_, std::same_as<access_option>... Option_>
void parallel_for(const char* label, Count_ n_, const Body_& body, const ConsistencyModel& model,
                  Option_...) {
  const std::int64_t count = abi::as_count(n_);
  if constexpr (abi::is_loop<Body_>) {
    body.launch(label, count, model);
  } else {
    static_assert(abi::this_build == abi::build::seq || abi::is_loop<Body_>,
                  "stradsap-cc did not see this loop's body: write the lambda at the call");
    abi::check_index<Body_>(count);
    abi::run_plainly(label, count, body);
  }
}

template <std::integral Count_, std::same_as<access_option>... Option_>
void parallel_for(const char* label, Count_ n_, const abi::any_loop& body, const ConsistencyModel& model,
                  Option_...) {
  body.launch(label, abi::as_count(n_), model);
}

template <std::integral Count_, abi::typed_body Body_, std::same_as<access_option>... Option_>
void parallel_for(Count_ n_, const Body_& body, const ConsistencyModel& model, Option_... options) {
  parallel_for(nullptr, n_, body, model, options...);
}
template <std::integral Count_, std::same_as<access_option>... Option_>
void parallel_for(Count_ n_, const abi::any_loop& body, const ConsistencyModel& model, Option_...) {
  body.launch(nullptr, abi::as_count(n_), model);
}

template <std::integral Count_, class Body_>
void parallel_for(Count_, const Body_&) = delete;  // say how: parallel_for(n, body, consistency::async)

/// STRADS-AP's AsyncFor: the result is that of some serial order.
template <std::integral Count_, abi::typed_body Body_> void async_for(Count_ n_, const Body_& body) {
  parallel_for(nullptr, n_, body, consistency::async);
}
template <std::integral Count_> void async_for(Count_ n_, const abi::any_loop& body) {
  body.launch(nullptr, abi::as_count(n_), consistency::async);
}

/// STRADS-AP's SyncFor: batches of `batch` iterations, the changes of each folded at its end.
template <std::integral Count_, abi::typed_body Body_>
void sync_for(Count_ n_, std::int64_t batch, const Body_& body) {
  parallel_for(nullptr, n_, body, consistency::sync(batch));
}
template <std::integral Count_> void sync_for(Count_ n_, std::int64_t batch, const abi::any_loop& body) {
  body.launch(nullptr, abi::as_count(n_), consistency::sync(batch));
}

}  // namespace STRADSAP_BUILD

/// Ranks of this run, and threads that run bodies in each.
[[nodiscard]] inline int rank_count() { return abi::rank_count(); }
[[nodiscard]] inline int thread_count() { return abi::thread_count(); }
/// The seed of this run: --seed, else 0.
[[nodiscard]] inline std::uint64_t seed() { return abi::seed(); }

}  // namespace stradsap
