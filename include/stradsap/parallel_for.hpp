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
template <std::integral Count, class Body, std::same_as<access_option>... Option>
void parallel_for(const char* label, Count n, const Body& body, const ConsistencyModel& model, Option...) {
  const std::int64_t count = abi::as_count(n);
  if constexpr (abi::is_loop<Body>) {
    body.launch(label, count, model);
  } else {
    static_assert(abi::this_build == abi::build::seq || abi::is_loop<Body>,
                  "stradsap-cc did not see this loop's body: write the lambda at the call");
    abi::check_index<Body>(count);
    abi::run_plainly(label, count, body);
  }
}

template <std::integral Count, class Body, std::same_as<access_option>... Option>
void parallel_for(Count n, const Body& body, const ConsistencyModel& model, Option... options) {
  parallel_for(nullptr, n, body, model, options...);
}

template <std::integral Count, class Body>
void parallel_for(Count, const Body&) = delete;  // say how it runs: parallel_for(n, body, consistency::async)

/// STRADS-AP's AsyncFor: the result is that of some serial order.
template <std::integral Count, class Body> void async_for(Count n, const Body& body) {
  parallel_for(nullptr, n, body, consistency::async);
}

/// STRADS-AP's SyncFor: batches of `batch` iterations, the changes of each folded at its end.
template <std::integral Count, class Body> void sync_for(Count n, std::int64_t batch, const Body& body) {
  parallel_for(nullptr, n, body, consistency::sync(batch));
}

}  // namespace STRADSAP_BUILD

/// Ranks of this run, and threads that run bodies in each.
[[nodiscard]] inline int rank_count() { return abi::rank_count(); }
[[nodiscard]] inline int thread_count() { return abi::thread_count(); }
/// The seed of this run: --seed, else 0.
[[nodiscard]] inline std::uint64_t seed() { return abi::seed(); }

}  // namespace stradsap
