// A loop body as stradsap-cc emits it: a factory that makes the user's closure from captures, so that every
// process can make it again. The body is compiled here into `run`, and into `record` if a plan needs it. This
// code is compiled for each loop, so all else is in static tables and in the runtime.
//
//   user:    parallel_for(n, [rate, &P, &loss](int64_t j) { ... }, async)
//   emitted: parallel_for(n, stradsap_loop<ID, FLAGS>("mf.cpp:9", [](decltype(rate)& rate, decltype(P)& P,
//                decltype(loss)& loss) { return [rate, &P, &loss](int64_t j) { ... }; },
//                stradsap_value<0>(rate), stradsap_container<3, "P">(P),
//                stradsap_reduction<stradsap_sum, "loss">(loss)), async)
//
// Thread rule: many executors may call run and record at once, each with its own source or listener.
#pragma once

#include <type_traits>
#include <typeinfo>
#include <utility>

#include <stradsap/abi/any_loop.hpp>
#include <stradsap/abi/capture.hpp>
#include <stradsap/abi/interleaving.hpp>

namespace stradsap::abi {

/// A factory of bodies and a factory of inspectors. An inspector is the slice of a body that finds its
/// accesses.
template <class Factory_, class Inspector_> struct sliced_body {};
template <class Factory_, class Inspector_>
sliced_body<Factory_, Inspector_> stradsap_sliced(Factory_, Inspector_) {
  return {};
}

template <class Given_> struct factories {
  using body = Given_;
  using inspector = Given_;  // without a slice, reconnaissance runs the whole body
  static constexpr unsigned flags = 0;
  static constexpr bool interleaves = false;
  static constexpr std::uint64_t read_interleaved = 0;
};
template <class Factory_, class Inspector_> struct factories<sliced_body<Factory_, Inspector_>> {
  using body = Factory_;
  using inspector = Inspector_;
  static constexpr unsigned flags = has_slice;
  static constexpr bool interleaves = false;
  static constexpr std::uint64_t read_interleaved = 0;
};
template <std::uint64_t Read_, class Given_, class Phases_>
struct factories<interleaved_body<Read_, Given_, Phases_>> : factories<Given_> {
  using phases = Phases_;
  static constexpr bool interleaves = interleaves_bodies;
  static constexpr std::uint64_t read_interleaved = Read_;
};

/// The type of a body's parameter; void if the parameter is generic.
template <class Body_> struct index_of {
  using type = void;
};
template <class Body_>
  requires requires { &Body_::operator(); }
struct index_of<Body_> {
  template <class Result_, class Index_> static Index_ of(Result_ (Body_::*)(Index_) const);
  template <class Result_, class Index_> static Index_ of(Result_ (Body_::*)(Index_) const noexcept);
  using type = std::remove_cvref_t<decltype(of(&Body_::operator()))>;
};

/// Iteration j in the type of the body's parameter.
template <class Body_> auto as_index(std::int64_t j_) {
  using index = typename index_of<Body_>::type;
  if constexpr (std::is_void_v<index>) {
    return j_;
  } else {
    return static_cast<index>(j_);
  }
}

/// Throws error(errc::out_of_range) if the body's parameter cannot count to n: two iterations would have one
/// number.
template <class Body_> void check_index(std::int64_t n_) {
  using index = typename index_of<Body_>::type;
  if constexpr (!std::is_void_v<index>) {
    static_assert(std::is_integral_v<index>, "the body of a loop takes the iteration's number as an integer");
    if (n_ > 0 && static_cast<std::int64_t>(static_cast<index>(n_ - 1)) != n_ - 1) {
      refuse_index(n_, 8 * sizeof(index));
    }
  }
}

/// The number of iterations of a loop. Throws error(errc::out_of_range) for an unsigned number beyond 63
/// bits: it went below 0, as `X.size() - 1` does for an empty X.
template <class Count_> std::int64_t as_count(Count_ n_) {
  const auto count = static_cast<std::int64_t>(n_);
  if (n_ > 0 && count < 0) refuse_count(static_cast<std::uint64_t>(n_));
  return count;
}

// gdb knows the lambda in a function by its short name only if code exists for that function.
#ifdef __clang__
#define STRADSAP_FRAME  // reads symbols; it would also need the function before its class is complete
#else
#define STRADSAP_FRAME [[__gnu__::__used__]]
#endif

/// The compiled copies of one body. The caller of the body is a lambda in a function that has returned, so
/// gdb prints its frame as operator(). The frame of a member function would list all template arguments of
/// this class.
template <class Given_, class Each_, class... Capture_> struct body_copies;

template <class Given_, std::size_t... I_, class... Capture_>
struct body_copies<Given_, std::index_sequence<I_...>, Capture_...> {
  using locals = parts<std::index_sequence<I_...>, typename Capture_::local...>;

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

  /// Whether a plan may list iterations: the loop writes some container at computed places.
  static constexpr bool is_planned = (Capture_::is_scattered || ...);

  /// Runs the bodies of blocks. All views are locals that no other code can reach, and the body is inlined
  /// once. So the inner loop is compiled as it would be over plain arrays.
  STRADSAP_FRAME static constexpr auto run() {
    return +[]([[__maybe_unused__]] const void* const* values, block_source& blocks)
                __attribute__((__flatten__)) {
                  [[__maybe_unused__]] locals local{{typename Capture_::local(values[I_])}...};
                  // not const: g++ 12 would keep the captures in memory
                  auto body = typename factories<Given_>::body{}(at<I_>(local).get()...);
                  [[__maybe_unused__]] auto phases = make_phases(at<I_>(local).get()...);
                  while (const block* next = blocks.next()) {
                    const block b_ = *next;
                    (at<I_>(local).enter(b_, I_), ...);
                    std::uint64_t k_ = 0;
                    try {
                      if constexpr (interleaves) {
                        if (is_interleaved(local, b_)) side_by_side()(local, phases, b_, k_);
                      }
                      while (k_ < b_.count) {
                        const std::uint64_t end = end_of_piece(local, blocks, b_, k_);
                        for (; k_ < end; ++k_) {
                          const std::int64_t j_ = begin_iteration(local, b_, k_);
                          if constexpr (this_build == build::checked) blocks.begin(j_);
                          body(as_index<decltype(body)>(j_));
                          if constexpr (this_build == build::checked) blocks.end();
                        }
                      }
                    } catch (...) {
                      report_failure(blocks, iteration(b_, k_));
                    }
                    (at<I_>(local).leave(b_, I_), ...);
                  }
                };
  }

  /// Whether iterations may interleave for any length of rows.
  static constexpr bool has_long_elements = (Capture_::has_long_elements || ...);

  /// A bit for each capture with elements that interleaved iterations must not share.
  static constexpr std::uint64_t read_together =
      factories<Given_>::interleaves && (Capture_::has_long_sums || ...) ? factories<Given_>::read_interleaved
                                                                         : 0;

  /// Runs the body, or its slice, over views that record its accesses.
  STRADSAP_FRAME static constexpr auto record() {
    return +[]([[__maybe_unused__]] const void* const* values, [[__maybe_unused__]] const window* windows,
               std::int64_t begin, std::int64_t end, iteration_listener& listener) {
      [[__maybe_unused__]] locals local{{typename Capture_::local(values[I_])}...};
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
  static constexpr bool expects = (Capture_::local::expects || ...);
  static_assert(interleave_width == prefetch_stretch, "iterations run side by side within a stretch");

  /// The end of the iterations from k on that run before the next look at the lists.
  static std::uint64_t end_of_piece(locals& local, block_source& blocks, const block& b_, std::uint64_t k_) {
    if (is_planned && b_.parts != nullptr) {
      (at<I_>(local).template expect<1>(k_ + prefetch_distance), ...);
      blocks.reached(k_);
      (at<I_>(local).join(b_.parts[k_]), ...);
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
  /// Moves the views to iteration number k of the block; returns the loop index.
  static std::int64_t begin_iteration(locals& local, const block& b_, std::uint64_t k_) {
    const std::int64_t j_ = iteration(b_, k_);
    (at<I_>(local).align(k_, j_), ...);
    return j_;
  }

  // ---- interleaved iterations ----

  template <std::size_t C_>
  static constexpr bool is_read_together = C_ < 64 && (read_together >> C_ % 64 & 1) != 0;

  /// Whether the block interleaves: the plan must know all elements that its iterations touch. This does not
  /// depend on the number of ranks and threads, so neither do the bits.
  static bool is_interleaved([[__maybe_unused__]] const locals& local, const block& b_) {
    const bool pays = has_long_elements || (at<I_>(local).is_long_row() || ...);
    const bool can = b_.side_by_side && pays;
    return (can && ... && (!is_read_together<I_> || at<I_>(local).knows_touched()));
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
          if (n_ > interleave_width) __builtin_unreachable();  // else g++ writes code for more
          using begin = std::remove_cvref_t<decltype(phases.begin)>;
          decltype(phases.begin(as_index<begin>(0))) found[interleave_width];
          for (std::uint64_t i_ = 0; i_ < n_; ++i_) {
            try {
              found[i_] = phases.begin(as_index<begin>(begin_iteration(local, b_, k_ + i_)));
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
            phases.rest(as_index<begin>(begin_iteration(local, b_, k_)), found[i_], sums.stradsap_of[i_]);
          }
        };
  }
};

#undef STRADSAP_FRAME

template <std::uint64_t Id_, unsigned Flags_, class Globals_, class Given_, class... Capture_>
class loop_body final : public any_loop {
  using factory = typename factories<Given_>::body;
  using each = std::index_sequence_for<Capture_...>;
  using copies = body_copies<Given_, each, Capture_...>;
  using body = decltype(factory{}(std::declval<Capture_>().original()...));

 public:
  /// For a loop that captures the body of another; see captured_lambda.hpp.
  static constexpr bool is_reconstructible = true;
  template <template <std::size_t, class...> class List_, std::size_t First_>
  using with_captures = List_<First_, Capture_...>;

  loop_body(const char* site, Given_, Capture_... captures)
      : any_loop(site, registered_entry(), &check_index<body>, &captured), captures_{{captures}...} {}
  static loop_body again(Capture_... captures) { return {"", Given_{}, captures...}; }
  template <class Function_> decltype(auto) pass_captures(const Function_& function) const {
    return pass_captures(function, each{});
  }

  /// Calls the body, as the plain program does.
  template <class Index_> auto operator()(Index_ j_) const { return call(j_, each{}); }

 private:
  static const loop_entry& registered_entry() {
    (void)&registered_;
    return entry_;
  }
  static const void* const* captured(const any_loop& one) {
    return static_cast<const loop_body&>(one).note_captured(each{});
  }
  template <class Index_, std::size_t... I_> auto call(Index_ j_, std::index_sequence<I_...>) const {
    return factory{}(at<I_>(captures_).original()...)(j_);
  }
  template <class Function_, std::size_t... I_>
  decltype(auto) pass_captures(const Function_& function, std::index_sequence<I_...>) const {
    return function(at<I_>(captures_)...);
  }
  template <std::size_t... I_> const void* const* note_captured(std::index_sequence<I_...>) const {
    ((captured_[I_] = at<I_>(captures_).address()), ...);
    return captured_;
  }

  static constexpr capture_info infos_[] = {Capture_::info..., capture_info{}};
  static constexpr auto record() {
    if constexpr (copies::is_planned && (Flags_ & transactional) == 0) {
      return copies::record();
    } else {
      return nullptr;
    }
  }
  static constexpr unsigned flags_ = Flags_ | factories<Given_>::flags |
                                     (copies::has_long_elements ? long_sums : 0u) |
                                     (this_build == build::checked ? checked_build : 0u);
  static constexpr loop_entry entry_{Id_,
                                     flags_,
                                     typeid(factory),
                                     infos_,
                                     sizeof...(Capture_),
                                     Globals_::infos,
                                     Globals_::count,
                                     copies::run(),
                                     record(),
                                     copies::read_together};
  static inline const registration registered_{entry_};

  parts<each, Capture_...> captures_;
  mutable const void* captured_[sizeof...(Capture_) + 1] = {};
};

template <std::uint64_t Id_, unsigned Flags_, class Globals_ = globals<>, class Factory_, class... Capture_>
loop_body<Id_, Flags_, Globals_, Factory_, Capture_...> stradsap_loop(const char* site, Factory_ factory,
                                                                      Capture_... captures) {
  take(typename factories<Factory_>::body{}, captures...);
  return {site, factory, captures...};
}

/// Runs a loop in program order, in a plain build. Exceptions arrive as from an instrumented loop, with the
/// label as the loop's location.
template <class Body_> void run_plainly(const char* label, std::int64_t n_, const Body_& body) {
  const launch_scope now(plain_loop());
  const std::string place = label == nullptr ? "parallel_for" : label;
  std::int64_t j_ = 0;
  const auto fail = [&](errc code, const char* what) {
    throw loop_error(code, place + ": iteration " + std::to_string(j_) + " on rank 0: " + what, 0, j_, place);
  };
  try {
    for (; j_ < n_; ++j_) body(as_index<Body_>(j_));
  } catch (const error& e_) {
    fail(e_.code(), e_.what());
  } catch (const std::exception& e_) {
    fail(errc::body, e_.what());
  } catch (...) {
    fail(errc::body, "an exception that is no std::exception");
  }
}

/// Marks the constructor that makes a functor from its members in other processes.
struct rebuilt {};

/// The loop body for an object of a functor's class, made by the member that stradsap-cc inserted into the
/// class. A loop body is returned as it is.
template <class Body_> auto stradsap_functor(const Body_& body, const char* site) {
  if constexpr (requires { Body_::stradsap_loop_(body, site); }) {
    return Body_::stradsap_loop_(body, site);
  } else {
    return body;
  }
}

template <class T_> inline constexpr bool is_loop = false;

}  // namespace stradsap::abi
