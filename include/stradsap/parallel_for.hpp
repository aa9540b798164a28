// The loop operators. In a program that stradsap-cc compiled they run on all ranks and threads; in any other,
// on the calling thread in program order.
// Thread rule: called on the driver, outside loop bodies. If several threads start loops, these run one after
// another.
#pragma once

#include <concepts>
#include <type_traits>

#include <stradsap/abi/any_loop.hpp>
#include <stradsap/abi/build.hpp>
#include <stradsap/abi/inserted.hpp>
#include <stradsap/abi/loop_index.hpp>
#include <stradsap/access.hpp>
#include <stradsap/consistency.hpp>
#include <stradsap/schedule.hpp>

namespace stradsap {

/// An option of a loop operator: access(...), or a scheduler.
template <class T_>
concept loop_option = std::same_as<T_, access_option> || loop_schedule<T_>;

namespace abi {

/// The dynamic scheduler of a loop; null if each iteration runs once. Throws error(errc::unsupported): the
/// model does not allow it.
template <loop_option... Option_>
const schedule::dynamic_schedule* dynamic_schedule_of(const ConsistencyModel& model,
                                                      const Option_&... options) {
  using kinds = ConsistencyModel::kind;
  const schedule::dynamic_schedule* named = dynamic_among(options...);
  if (named != nullptr && model.which() != kinds::async && model.which() != kinds::approximate) {
    throw error(errc::unsupported,
                "schedule::dynamic() takes consistency::approximate or consistency::async as its model");
  }
  if (named != nullptr && model.which() == kinds::async &&
      (named->dependence() != nullptr || (named->set_size() > 1 && !named->by_accesses()))) {
    throw error(errc::unsupported,
                "depends() and set_size() of schedule::dynamic() take consistency::approximate as the model: "
                "updates of a set miss changes of each other");
  }
  if (named != nullptr || model.which() != kinds::approximate) return named;
  if (sizeof...(Option_) != 0 && (std::same_as<Option_, schedule::static_schedule> || ...)) {
    throw error(errc::unsupported,
                "consistency::approximate takes schedule::dynamic(); schedule::static_() runs each iteration "
                "once: under consistency::async");
  }
  return &automatic_schedule;
}

[[__noreturn__, __gnu__::__cold__, __gnu__::__noinline__]] inline void fail_plainly(const char* label,
                                                                                    std::int64_t j_,
                                                                                    errc code,
                                                                                    const char* what) {
  const std::string place = label == nullptr ? "parallel_for" : label;
  throw loop_error(code, place + ": iteration " + std::to_string(j_) + " on rank 0: " + what, 0, j_, place);
}

/// Runs `updates` iterations in passes over n of them, in program order, in a plain build. Exceptions arrive
/// as from an instrumented loop, with the label as the loop's location.
/// Inlined, as the body is: g++ then keeps what the body captures in registers. It inlines a large function
/// only if one place calls it, so loops with one pass and with several are one.
template <class Body_>
[[__gnu__::__always_inline__]] inline void run_plainly(const char* label, std::int64_t n_, const Body_& body,
                                                       std::int64_t updates) {
  do {
    const launch_scope now(plain_loop());
    const std::int64_t end = updates < n_ ? updates : n_;
    std::int64_t j_ = 0;  // no call gets its address, so it stays in a register
    try {
      for (; j_ < end; ++j_) body(as_index<Body_>(j_));
    } catch (const error& e_) {
      fail_plainly(label, j_, e_.code(), e_.what());
    } catch (const std::exception& e_) {
      fail_plainly(label, j_, errc::body, e_.what());
    } catch (...) {
      fail_plainly(label, j_, errc::body, "an exception that is no std::exception");
    }
    updates -= n_;
  } while (updates > 0);
}

}  // namespace abi

inline namespace STRADSAP_BUILD {

/// Runs body(0) ... body(n - 1) under `model`, and returns after all of them have ended on all ranks; under
/// consistency::stale, after those of the driver's rank, and an exception surfaces in a later call. `label`
/// names the loop in reports; null is none. `options` are calls of access(...), and a scheduler; under
/// schedule::dynamic() iterations run several times.
/// A negative n runs no iteration. A body may use containers captured by reference, serialisable values, and
/// reductions: variables captured by reference that it only folds into.
/// Cost: one message to each rank, and a plan at the first launch; a loop over elements at computed places
/// plans by running a slice of its body. Plans are kept until the data behind the subscripts, a size or n
/// changes.
/// References and iterators into the captured containers become invalid.
/// Throws loop_error if a body throws, error(errc::out_of_range) if n exceeds the range of 63 bits, of the
/// body's parameter, or of a copy of it by which the body takes elements, and error if the runtime fails.
/// After a loop_error, reductions keep their old values, elements may hold the writes of some iterations, and
/// the containers stay usable.
/// @code
/// float total = 0;
/// parallel_for(n, [&X, &id, &total](int64_t j) { total += X[id[j]]; }, consistency::async);
/// parallel_for("fill", n, [&X](int64_t j) { X[j] = 1; }, consistency::async);
/// @endcode
template <std::integral Count_, abi::typed_body Body_, loop_option... Option_>
[[__gnu__::__always_inline__]] inline void parallel_for(const char* label, Count_ n_, const Body_& body,
                                                        const ConsistencyModel& model, Option_... options) {
  static_assert(abi::runs_plainly<Body_>,
                "stradsap-cc did not see this loop's body: write the lambda at the call");
  const std::int64_t count = abi::as_count(n_, label);
  abi::check_index<Body_>(count, label);
  const schedule::dynamic_schedule* how = abi::dynamic_schedule_of(model, options...);
  if (how != nullptr && count <= 0) return;
  abi::run_plainly(label, count, body, how == nullptr ? count : how->num_updates(count));
}

template <std::integral Count_, loop_option... Option_>
void parallel_for(const char* label, Count_ n_, const abi::any_loop& body, const ConsistencyModel& model,
                  Option_... options) {
  body.launch(label, abi::as_count(n_, body.site()), model, abi::dynamic_schedule_of(model, options...));
}

template <std::integral Count_, abi::typed_body Body_, loop_option... Option_>
[[__gnu__::__always_inline__]] inline void parallel_for(Count_ n_, const Body_& body,
                                                        const ConsistencyModel& model, Option_... options) {
  parallel_for(nullptr, n_, body, model, options...);
}
template <std::integral Count_, loop_option... Option_>
void parallel_for(Count_ n_, const abi::any_loop& body, const ConsistencyModel& model, Option_... options) {
  parallel_for(nullptr, n_, body, model, options...);
}

/// A call without a model does not compile: no model is right for every loop.
template <std::integral Count_, class Body_, loop_option... Option_>
void parallel_for(const char*, Count_, const Body_&, Option_...) {
  static_assert(abi::names_model<Body_>,
                "parallel_for takes a model after the body: consistency::async (one serial order), "
                "consistency::ordered (program order) or consistency::sync(batch)");
}
template <std::integral Count_, class Body_, loop_option... Option_>
void parallel_for(Count_ n_, const Body_& body, Option_... options) {
  parallel_for(nullptr, n_, body, options...);
}

/// AsyncFor of the paper: the result is that of some serial order. As parallel_for under consistency::async.
/// @code
/// async_for(n, [&X](int64_t j) { X[j] += 1; });
/// async_for("count", n, [&X, &id](int64_t j) { X[id[j]] += 1; }, access(adds(X)));
/// @endcode
template <std::integral Count_, abi::typed_body Body_, loop_option... Option_>
[[__gnu__::__always_inline__]] inline void async_for(const char* label, Count_ n_, const Body_& body,
                                                     Option_... options) {
  parallel_for(label, n_, body, consistency::async, options...);
}
template <std::integral Count_, abi::typed_body Body_, loop_option... Option_>
[[__gnu__::__always_inline__]] inline void async_for(Count_ n_, const Body_& body, Option_... options) {
  parallel_for(nullptr, n_, body, consistency::async, options...);
}
template <std::integral Count_, loop_option... Option_>
void async_for(const char* label, Count_ n_, const abi::any_loop& body, Option_... options) {
  parallel_for(label, n_, body, consistency::async, options...);
}
template <std::integral Count_, loop_option... Option_>
void async_for(Count_ n_, const abi::any_loop& body, Option_... options) {
  parallel_for(nullptr, n_, body, consistency::async, options...);
}

/// SyncFor of the paper: batches of `batch` iterations; changes are folded at the end of each batch. As
/// parallel_for under consistency::sync(batch).
/// @code
/// sync_for(n, 256, [&X, &id](int64_t j) { X[id[j]] += 1; });
/// sync_for("count", n, 256, [&X, &id](int64_t j) { X[id[j]] += 1; }, access(adds(X)));
/// @endcode
template <std::integral Count_, abi::typed_body Body_, loop_option... Option_>
[[__gnu__::__always_inline__]] inline void sync_for(const char* label, Count_ n_, std::int64_t batch,
                                                    const Body_& body, Option_... options) {
  parallel_for(label, n_, body, consistency::sync(batch), options...);
}
template <std::integral Count_, abi::typed_body Body_, loop_option... Option_>
[[__gnu__::__always_inline__]] inline void sync_for(Count_ n_, std::int64_t batch, const Body_& body,
                                                    Option_... options) {
  parallel_for(nullptr, n_, body, consistency::sync(batch), options...);
}
template <std::integral Count_, loop_option... Option_>
void sync_for(const char* label, Count_ n_, std::int64_t batch, const abi::any_loop& body,
              Option_... options) {
  parallel_for(label, n_, body, consistency::sync(batch), options...);
}
template <std::integral Count_, loop_option... Option_>
void sync_for(Count_ n_, std::int64_t batch, const abi::any_loop& body, Option_... options) {
  parallel_for(nullptr, n_, body, consistency::sync(batch), options...);
}

}  // namespace STRADSAP_BUILD

/// The number of ranks of this run, the driver included; of threads that run bodies on each rank; and the
/// seed of this run: --seed, else 0. Constant time; they stay the same during a run.
/// @code
/// if (rank_count() > 1) std::printf("%d threads, seed %lu\n", thread_count() * rank_count(), seed());
/// @endcode
[[nodiscard]] inline int rank_count() { return abi::rank_count(); }
[[nodiscard]] inline int thread_count() { return abi::thread_count(); }
[[nodiscard]] inline std::uint64_t seed() { return abi::seed(); }

}  // namespace stradsap
