// A loop body as stradsap-cc rewrites it: a factory that makes the user's closure from captures, so that any
// process can make it again. Machine copies of the one body text come from here: run, and record where a plan
// needs it. What stands here is compiled for each loop; what need not be is in tables and in the runtime.
//
//   user:    parallel_for(n, [rate, &P, &loss](int64_t j) { ... }, async)
//   emitted: parallel_for(n, stradsap_loop<ID, FLAGS>("mf.cpp:9", [](decltype(rate)& rate, decltype(P)& P,
//                decltype(loss)& loss) { return [rate, &P, &loss](int64_t j) { ... }; },
//                stradsap_value<0>(rate), stradsap_container<3, "P">(P),
//                stradsap_reduction<stradsap_sum>(loss)), async)
//
// Thread rule: run and record may be called by many executors at once, each with its own source or listener.
#pragma once

#include <type_traits>
#include <typeinfo>
#include <utility>

#include <stradsap/capture.hpp>
#include <stradsap/jam.hpp>

namespace stradsap::abi {

/// A factory of bodies and one of inspectors: the part of the body that touches what the body may touch, no
/// more.
template <class Factory, class Inspector> struct sliced_body {};
template <class Factory, class Inspector>
sliced_body<Factory, Inspector> stradsap_sliced(Factory, Inspector) {
  return {};
}

template <class Given> struct factories {
  using body = Given;
  using inspector = Given;  // reconnaissance runs the whole body
  static constexpr unsigned flags = 0;
  static constexpr bool jams = false;
  static constexpr std::uint64_t read_jammed = 0;
};
template <class Factory, class Inspector> struct factories<sliced_body<Factory, Inspector>> {
  using body = Factory;
  using inspector = Inspector;
  static constexpr unsigned flags = has_slice;
  static constexpr bool jams = false;
  static constexpr std::uint64_t read_jammed = 0;
};
template <std::uint64_t Read, class Given, class Phases>
struct factories<jammed_body<Read, Given, Phases>> : factories<Given> {
  using phases = Phases;
  static constexpr bool jams = jams_bodies;
  static constexpr std::uint64_t read_jammed = Read;
};

/// The type of a body's parameter; void where it is generic and takes whatever it is given.
template <class Body> struct index_of {
  using type = void;
};
template <class Body>
  requires requires { &Body::operator(); }
struct index_of<Body> {
  template <class Result, class Index> static Index of(Result (Body::*)(Index) const);
  template <class Result, class Index> static Index of(Result (Body::*)(Index) const noexcept);
  using type = std::remove_cvref_t<decltype(of(&Body::operator()))>;
};

/// Iteration j as the body's parameter takes it.
template <class Body> auto as_index(std::int64_t j) {
  using index = typename index_of<Body>::type;
  if constexpr (std::is_void_v<index>) {
    return j;
  } else {
    return static_cast<index>(j);
  }
}

/// Throws error(errc::out_of_range) if the body's parameter cannot count to n: two iterations would be one.
template <class Body> void check_index(std::int64_t n) {
  using index = typename index_of<Body>::type;
  if constexpr (!std::is_void_v<index>) {
    static_assert(std::is_integral_v<index>, "the body of a loop takes the iteration's number as an integer");
    if (n > 0 && static_cast<std::int64_t>(static_cast<index>(n - 1)) != n - 1) {
      refuse_index(n, 8 * sizeof(index));
    }
  }
}

/// The number of iterations that a loop was given. Throws error(errc::out_of_range) where an unsigned one has
/// gone below 0, as `X.size() - 1` does for an empty X.
template <class Count> std::int64_t as_count(Count n) {
  const auto count = static_cast<std::int64_t>(n);
  if (n > 0 && count < 0) refuse_count(static_cast<std::uint64_t>(n));
  return count;
}

/// The machine copies of one body.
template <class Given, class Each, class... Capture> struct body_copies;

template <class Given, std::size_t... I, class... Capture>
struct body_copies<Given, std::index_sequence<I...>, Capture...> {
  using locals = parts<std::index_sequence<I...>, typename Capture::local...>;

  /// Some container is written at computed places, so that a plan may list iterations; it never does
  /// otherwise.
  static constexpr bool is_planned = (Capture::is_scattered || ...);

  /// The one place where bodies run for good. All views are locals that nothing else can reach, and the body
  /// is inlined, once, so that the inner loop is compiled as it would be over plain arrays.
  [[gnu::flatten]] static void run([[maybe_unused]] const void* const* values, block_source& blocks) {
    [[maybe_unused]] locals local{{typename Capture::local(values[I])}...};
    // not const: g++ 12 would keep them in memory
    auto body = typename factories<Given>::body{}(at<I>(local).get()...);
    [[maybe_unused]] auto phases = make_phases(at<I>(local).get()...);
    while (const block* next = blocks.next()) {
      const block b = *next;
      (at<I>(local).enter(b, I), ...);
      std::uint64_t k = 0;
      try {
        if (jams && is_jammed(local, b)) {
          if constexpr (jams) run_side_by_side(local, phases, b, k);
        } else {
          run_block(local, body, blocks, b, k);
        }
      } catch (...) {
        report_failure(blocks, iteration(b, k));
      }
      (at<I>(local).leave(b, I), ...);
    }
  }

  /// Captures whose elements iterations that run side by side must not share; a bit each.
  static constexpr std::uint64_t read_together =
      factories<Given>::jams && (Capture::has_long_sums || ...) ? factories<Given>::read_jammed : 0;

  /// Runs the body, or what of it finds subscripts, over views that note what it touches.
  static void record([[maybe_unused]] const void* const* values, [[maybe_unused]] const window* windows,
                     std::int64_t begin, std::int64_t end, iteration_listener& listener) {
    [[maybe_unused]] locals local{{typename Capture::local(values[I])}...};
    (at<I>(local).look_at(windows[I]), ...);
    const auto body = typename factories<Given>::inspector{}(at<I>(local).get()...);
    touch_log* const log = listener.log;
    for (std::int64_t j = begin; j < end; ++j) {
      if (log == nullptr) listener.begin(j);
      try {
        body(as_index<std::remove_cv_t<decltype(body)>>(j));
      } catch (...) {
        end_recorded_iteration();
      }
      log != nullptr ? log->end_iteration() : listener.end();
    }
  }

 private:
  static constexpr bool expects = (Capture::local::expects || ...);
  static constexpr bool jams = factories<Given>::jams && (Capture::has_long_sums || ...);
  static_assert(jam_width == prefetch_stretch, "iterations run side by side within a stretch");

  static auto make_phases([[maybe_unused]] auto&... captures) {
    if constexpr (jams) {
      return typename factories<Given>::phases{}(captures...);
    } else {
      return no_phases{};
    }
  }
  struct no_phases {};

  /// One iteration after the other; `k` is the one that runs.
  template <class Body>
  static void run_block(locals& local, const Body& body, block_source& blocks, const block& b,
                        std::uint64_t& k) {
    while (k < b.count) {
      std::uint64_t end = b.count;
      if (is_planned && b.parts != nullptr) {
        end = k + 1;
        (at<I>(local).template expect<1>(k + prefetch_distance), ...);
        blocks.reached(k);
        (at<I>(local).join(b.parts[k]), ...);
      } else if (expects) {
        end = end_of_stretch(local, b, k);
      }
      for (; k < end; ++k) run_iteration(blocks, body, begin_iteration(local, b, k));
    }
  }
  /// Where the stretch ends that begins with iteration k; asks for what a later one touches.
  static std::uint64_t end_of_stretch(locals& local, const block& b, std::uint64_t k) {
    (at<I>(local).template expect<prefetch_stretch>(k + prefetch_distance), ...);
    return b.count - k > prefetch_stretch ? k + prefetch_stretch : b.count;
  }

  static std::int64_t iteration(const block& b, std::uint64_t k) {
    if (is_planned && b.iterations != nullptr) return b.iterations[k];
    return b.begin + static_cast<std::int64_t>(k);
  }
  /// Iteration number k of the block, with its views in place.
  static std::int64_t begin_iteration(locals& local, const block& b, std::uint64_t k) {
    const std::int64_t j = iteration(b, k);
    (at<I>(local).align(k, j), ...);
    return j;
  }

  // ---- side by side ----

  template <std::size_t C>
  static constexpr bool is_read_together = C < 64 && (read_together >> C % 64 & 1) != 0;

  /// Whether it is known of all iterations what they share. That is the same for any number of ranks and
  /// threads, and so are the bits.
  static bool is_jammed([[maybe_unused]] const locals& local, const block& b) {
    return (b.side_by_side && ... && (!is_read_together<I> || at<I>(local).knows_touched()));
  }

  template <class Phases>
  static void run_side_by_side(locals& local, const Phases& phases, const block& b, std::uint64_t& k) {
    while (k < b.count) {
      const std::uint64_t end = end_of_stretch(local, b, k);
      while (k < end) run_jammed(local, phases, b, k, num_apart(local, k, end - k));
    }
  }

  /// How many of the iterations [k, k + n), a stretch at most, share nothing with each other.
  static std::uint64_t num_apart([[maybe_unused]] const locals& local, [[maybe_unused]] std::uint64_t k,
                                 std::uint64_t n) {
    ((n = is_read_together<I> ? at<I>(local).num_apart(k, n) : n), ...);
    return n;
  }

  /// Iterations [k, k + n), which share nothing, side by side; `k` moves on as they end.
  template <class Phases>
  static void run_jammed(locals& local, const Phases& phases, const block& b, std::uint64_t& k,
                         std::uint64_t n) {
    if (n > jam_width) __builtin_unreachable();  // or g++ writes code for more
    using begin = decltype(phases.begin);
    decltype(phases.begin(as_index<begin>(0))) found[jam_width];
    for (std::uint64_t i = 0; i < n; ++i) {
      try {
        found[i] = phases.begin(as_index<begin>(begin_iteration(local, b, k + i)));
      } catch (...) {
        if (i == 0) throw;
        n = i;  // it will throw again, when those before it are done
      }
    }
    const auto sums = [&] {
      while (true) {
        for (std::uint64_t i = n; i < jam_width; ++i) found[i] = found[0];
        try {
          return phases.chains(found);
        } catch (...) {
          if (n == 1) throw;
        }
        n = 1;  // whose it is shows when each comes alone
      }
    }();
#pragma GCC unroll 1
    for (std::uint64_t i = 0; i < n; ++i, ++k) {
      phases.rest(as_index<begin>(begin_iteration(local, b, k)), found[i], sums.stradsap_of[i]);
    }
  }

  template <class Body>
  static void run_iteration([[maybe_unused]] block_source& blocks, const Body& body, std::int64_t j) {
    if constexpr (this_build == build::checked) blocks.begin(j);
    body(as_index<Body>(j));
    if constexpr (this_build == build::checked) blocks.end();
  }
};

template <std::uint64_t Id, unsigned Flags, class Globals, class Given, class... Capture> class loop_body {
  using factory = typename factories<Given>::body;
  using each = std::index_sequence_for<Capture...>;
  using copies = body_copies<Given, each, Capture...>;
  using body = decltype(factory{}(std::declval<Capture>().original()...));

 public:
  /// Where a loop captures the body of another; see captured_lambda.hpp.
  static constexpr bool is_made_again = true;
  template <template <std::size_t, class...> class List, std::size_t First>
  using with_captures = List<First, Capture...>;

  loop_body(const char* site, Given, Capture... captures) : site_(site), captures_{{captures}...} {}
  static loop_body again(Capture... captures) { return {"", Given{}, captures...}; }
  template <class Function> decltype(auto) pass_captures(const Function& function) const {
    return pass_captures(function, each{});
  }

  /// The body, called as the plain program would.
  template <class Index> auto operator()(Index j) const { return call(j, each{}); }

  void launch(const char* label, std::int64_t n, const ConsistencyModel& model) const {
    check_index<body>(n);
    launch(label, n, model, each{});
  }

 private:
  template <class Index, std::size_t... I> auto call(Index j, std::index_sequence<I...>) const {
    return factory{}(at<I>(captures_).original()...)(j);
  }
  template <class Function, std::size_t... I>
  decltype(auto) pass_captures(const Function& function, std::index_sequence<I...>) const {
    return function(at<I>(captures_)...);
  }
  template <std::size_t... I>
  void launch(const char* label, std::int64_t n, const ConsistencyModel& model,
              std::index_sequence<I...>) const {
    (void)&registered_;
    const void* const captured[] = {at<I>(captures_).address()..., nullptr};
    abi::launch({entry_, site_, label, n, model, captured});
  }

  static constexpr capture_info infos_[] = {Capture::info..., capture_info{}};
  static constexpr auto record() {
    if constexpr (copies::is_planned && (Flags & transactional) == 0) {
      return &copies::record;
    } else {
      return nullptr;
    }
  }
  static constexpr loop_entry entry_{
      Id,
      Flags | factories<Given>::flags | (this_build == build::checked ? checked_build : 0u),
      typeid(factory),
      infos_,
      sizeof...(Capture),
      Globals::infos,
      Globals::count,
      &copies::run,
      record(),
      copies::read_together};
  static inline const registration registered_{entry_};

  const char* site_;
  parts<each, Capture...> captures_;
};

template <std::uint64_t Id, unsigned Flags, class Globals = globals<>, class Factory, class... Capture>
loop_body<Id, Flags, Globals, Factory, Capture...> stradsap_loop(const char* site, Factory factory,
                                                                 Capture... captures) {
  return {site, factory, captures...};
}

/// Program order in a plain build. What the body throws arrives as it does from an instrumented one, but the
/// loop has no place: only its label, if it has one.
template <class Body> void run_plainly(const char* label, std::int64_t n, const Body& body) {
  const launch_scope now(plain_loop());
  const std::string place = label == nullptr ? "parallel_for" : label;
  std::int64_t j = 0;
  const auto fail = [&](errc code, const char* what) {
    throw loop_error(code, place + ": iteration " + std::to_string(j) + " on rank 0: " + what, 0, j, place);
  };
  try {
    for (; j < n; ++j) body(as_index<Body>(j));
  } catch (const error& e) {
    fail(e.code(), e.what());
  } catch (const std::exception& e) {
    fail(errc::body, e.what());
  } catch (...) {
    fail(errc::body, "an exception that is no std::exception");
  }
}

/// Marks the constructor by which other processes make a functor from its members.
struct rebuilt {};

/// The loop body that an object of a functor's class is: what stradsap-cc wrote into the class makes it. A
/// loop body itself stays what it is.
template <class Body> auto stradsap_functor(const Body& body, const char* site) {
  if constexpr (requires { Body::stradsap_loop_(body, site); }) {
    return Body::stradsap_loop_(body, site);
  } else {
    return body;
  }
}

template <class T> inline constexpr bool is_loop = false;
template <std::uint64_t Id, unsigned Flags, class Globals, class Factory, class... Capture>
inline constexpr bool is_loop<loop_body<Id, Flags, Globals, Factory, Capture...>> = true;

}  // namespace stradsap::abi
