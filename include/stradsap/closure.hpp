// A loop body as stradsap-cc rewrites it: a factory that makes the user's closure from captures, so that any
// process can make it again. Two machine copies of the one body text come from here: run and record.
//
//   user:    parallel_for(n, [rate, &P, &loss](int64_t j) { ... }, async)
//   emitted: parallel_for(n, abi::loop<ID, FLAGS>("mf.cpp:9", [](decltype(rate)& rate, decltype(P)& P,
//                decltype(loss)& loss) { return [rate, &P, &loss](int64_t j) { ... }; },
//                abi::value<0>(rate), abi::container<3, "P">(P), abi::reduction<abi::fold::sum>(loss)),
//                async)
//
// Thread rule: run and record may be called by many executors at once, each with its own source or listener.
#pragma once

#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <stradsap/abi.hpp>
#include <stradsap/build.hpp>
#include <stradsap/fold.hpp>

namespace stradsap::abi {

// ---- captures: what stands at the call, what is kept for a launch, what one executor works on -------

/// A hash of a value that the places of accesses depend on; 0 for others.
template <unsigned Mode, class T> std::uint64_t steering_hash(const T& value) {
  if constexpr ((Mode & steers) == 0) return 0;
  std::vector<std::byte> bytes;
  writer out(bytes);
  write(out, value);
  return hash_bytes(bytes.data(), bytes.size());
}

/// A captured value that the body only reads.
template <unsigned Mode, class T> struct value_capture {
  const T& from;

  struct kept {
    T value{};
  };
  /// Small values are copied so that the optimiser knows no store of the body can change them.
  class local {
   public:
    explicit local(const kept& k) : value_(k.value) {}
    auto& get() { return const_cast<T&>(value_); }
    void look_at(const window&) {}
    void enter(const block&, std::size_t) {}
    void align(const block&, std::size_t, std::uint64_t, std::int64_t) {}
    void leave(const block&, std::size_t) {}

   private:
    static constexpr bool small = std::is_trivially_copyable_v<T> && !std::is_array_v<T> && sizeof(T) <= 64;
    std::conditional_t<small, T, const T&> value_;
  };

  static constexpr capture_info info{capture_kind::value, Mode, nullptr, nullptr, 0, nullptr};
  T& original() const { return const_cast<T&>(from); }
  void encode(writer& out) const { write(out, from); }
  static void decode(reader& in, kept& k) { read(in, k.value); }
  void describe(launch_request& request) const {
    request.steering.push_back(steering_hash<Mode>(from));
    request.containers.push_back(nullptr);
    request.reductions.push_back(nullptr);
  }
};

/// A name as a template argument.
template <std::size_t N> struct name_text {
  constexpr name_text(const char (&text)[N]) {
    for (std::size_t i = 0; i < N; ++i) characters[i] = text[i];
  }
  char characters[N];
};

/// A captured container: a view in the body.
template <unsigned Mode, name_text Name, std::uint64_t Written, std::uint64_t Steering, class C>
struct container_capture {
  C& from;

  struct kept {};
  class local {
   public:
    explicit local(const kept&) : view_(window{}) {}
    C& get() { return view_; }
    void look_at(const window& w) { view_.look_at(w); }
    void enter(const block& b, std::size_t i) { view_.look_at(b.windows[i]); }
    void align([[maybe_unused]] const block& b, [[maybe_unused]] std::size_t i,
               [[maybe_unused]] std::uint64_t k, [[maybe_unused]] std::int64_t j) {
      if constexpr ((Mode & aligned) != 0 && this_build != build::checked) {
        view_.rebase(static_cast<std::uint64_t>(j), b.streams[i] + k * C::ops().size);
      }
    }
    void leave(const block&, std::size_t) {}

   private:
    C view_;
  };

  static constexpr capture_info info{capture_kind::container, Mode,    &C::ops(), C::make_keys, 0, nullptr,
                                     Name.characters,         Written, Steering};
  C& original() const { return from; }
  void encode(writer&) const {}
  static void decode(reader&, kept&) {}
  void describe(launch_request& request) const {
    request.steering.push_back(0);
    request.containers.push_back(from.state());
    request.reductions.push_back(nullptr);
  }
};

/// A captured variable that the body only folds into: a part for each block, joined in the order of blocks.
/// Each(to, part, visit) calls visit(operator, member of to, the same member of part) for all that is folded.
template <class Each, class T> struct reduction_capture {
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>);
  T& into;

  struct kept {};
  class local {
   public:
    explicit local(const kept&) {}
    T& get() { return part_; }
    void look_at(const window&) {}
    void enter(const block& b, std::size_t i) {
      if (b.continues) {
        std::memcpy(&part_, b.partials[i], sizeof part_);
      } else {
        Each{}(part_, part_,
               [](auto op, auto& member, auto&) { member = op.template identity<decltype(member)>(); });
      }
    }
    void align(const block&, std::size_t, std::uint64_t, std::int64_t) {}
    void leave(const block& b, std::size_t i) { std::memcpy(b.partials[i], &part_, sizeof part_); }

   private:
    T part_{};
  };

  static void combine(void* into, const void* partial) {
    T part;
    std::memcpy(&part, partial, sizeof part);
    Each{}(*static_cast<T*>(into), part,
           [](auto op, auto& member, auto& other) { op.combine(member, other); });
  }
  static constexpr capture_info info{capture_kind::reduction, 0, nullptr, nullptr, sizeof(T), &combine};
  T& original() const { return into; }
  void encode(writer&) const {}
  static void decode(reader&, kept&) {}
  void describe(launch_request& request) const {
    request.steering.push_back(0);
    request.containers.push_back(nullptr);
    request.reductions.push_back(&into);
  }
};

/// The variable itself is folded, by one operator.
template <class Op> struct whole {
  template <class T, class Visit> void operator()(T& to, T& part, const Visit& visit) const {
    visit(Op{}, to, part);
  }
};

/// A global variable that the body only reads: with each launch it gets the driver's value in every process.
template <unsigned Mode, auto Variable> struct global {
  static void encode(writer& out) { write(out, *Variable); }
  static void decode(reader& in) { read(in, *Variable); }
  static void describe(launch_request& request) {
    request.steering.push_back(steering_hash<Mode>(*Variable));
  }
};
template <class... Global> struct globals {
  static void describe(launch_request& request, writer& out) {
    (Global::describe(request), ...);
    (Global::encode(out), ...);
  }
  /// The driver's own are where they came from.
  static void decode(reader& in) {
    if (rank() != 0) (Global::decode(in), ...);
  }
};

template <unsigned Mode, class T> value_capture<Mode, T> value(const T& from) { return {from}; }
/// Written and Steering: bits of the fields that the loop may write, and that subscripts depend on.
template <unsigned Mode, name_text Name = "", std::uint64_t Written = all_fields,
          std::uint64_t Steering = all_fields, class C>
container_capture<Mode, Name, Written, Steering, C> container(C& from) {
  return {from};
}
template <unsigned Mode, name_text Name = "", std::uint64_t Written = all_fields,
          std::uint64_t Steering = all_fields, class C>
container_capture<Mode, Name, Written, Steering, C> container(const C& from) {
  return {const_cast<C&>(from)};
}
template <class Op, class T> reduction_capture<whole<Op>, T> reduction(T& into) { return {into}; }
template <class T, class Each> reduction_capture<Each, T> reductions(T& into, Each) { return {into}; }

// ---- the loop --------------------------------------------------------------------------------------

/// Iterations between asking for an iteration's elements and running it.
inline constexpr std::uint64_t prefetch_distance = 8;

inline void prefetch_iteration(const block& b, std::uint64_t k) {
  for (std::size_t c = 0; c < b.num_columns; ++c) {
    const prefetch_column& column = b.columns[c];
    const std::byte* element = column.base + column.elements[k] * column.stride;
    for (std::size_t at = 0; at < column.stride && at < 1024; at += 64) __builtin_prefetch(element + at, 1);
  }
}

/// A factory of bodies and one of inspectors: the part of the body that touches what the body may touch, no
/// more.
template <class Factory, class Inspector> struct sliced_body {};
template <class Factory, class Inspector> sliced_body<Factory, Inspector> sliced(Factory, Inspector) {
  return {};
}

template <class Given> struct factories {
  using body = Given;
  using inspector = Given;  // reconnaissance runs the whole body
};
template <class Factory, class Inspector> struct factories<sliced_body<Factory, Inspector>> {
  using body = Factory;
  using inspector = Inspector;
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
      throw error(errc::out_of_range, "a loop of " + std::to_string(n) +
                                          " iterations whose body takes their number in " +
                                          std::to_string(8 * sizeof(index)) + " bits: make it int64_t");
    }
  }
}

template <std::uint64_t Id, unsigned Flags, class Globals, class Given, class... Capture> class loop_body {
  using Factory = typename factories<Given>::body;

 public:
  loop_body(const char* site, Given, Capture... captures) : site_(site), captures_(captures...) {}

  /// The body, called as the plain program would.
  template <class Index> auto operator()(Index j) const {
    return std::apply([&](const Capture&... c) { return Factory{}(c.original()...)(j); }, captures_);
  }

  void launch(const char* label, std::int64_t n, const ConsistencyModel& model) const {
    check_index<std::invoke_result_t<Factory, decltype(std::declval<Capture>().original())...>>(n);
    launch_request request{&registered_entry(), site_, label, n, model, {}, {}, {}, {}};
    writer out(request.values);
    std::apply([&](const Capture&... c) { ((c.encode(out), c.describe(request)), ...); }, captures_);
    Globals::describe(request, out);
    abi::launch(request);
  }

 private:
  using values = std::tuple<typename Capture::kept...>;
  using locals = std::tuple<typename Capture::local...>;
  static constexpr auto each = std::index_sequence_for<Capture...>{};

  static captured_values decode(reader& in) {
    auto kept = std::make_shared<values>();
    std::apply([&](typename Capture::kept&... k) { (Capture::decode(in, k), ...); }, *kept);
    Globals::decode(in);
    return kept;
  }
  static void run(const void* kept, block_source& blocks) {
    run_blocks(*static_cast<const values*>(kept), blocks, each);
  }
  static void record(const void* kept, const window* windows, std::int64_t begin, std::int64_t end,
                     iteration_listener& listener) {
    record_range(*static_cast<const values*>(kept), windows, begin, end, listener, each);
  }

  /// The one place where bodies run for good. All views are locals that nothing else can reach, and the body
  /// is inlined, so that the inner loop is compiled as it would be over plain arrays.
  template <std::size_t... I>
  [[gnu::flatten]] static void run_blocks(const values& kept, block_source& blocks,
                                          std::index_sequence<I...>) {
    [[maybe_unused]] locals local(std::get<I>(kept)...);
    const auto body = Factory{}(std::get<I>(local).get()...);
    while (const block* next = blocks.next()) {
      const block b = *next;
      (std::get<I>(local).enter(b, I), ...);
      std::uint64_t k = 0;
      try {
        if (b.iterations == nullptr) {
          for (; k < b.count; ++k) run_iteration(blocks, body, b.begin + static_cast<std::int64_t>(k));
        } else {
          for (; k < b.count; ++k) {
            const std::int64_t j = b.iterations[k];
            if (k + prefetch_distance < b.count) prefetch_iteration(b, k + prefetch_distance);
            (std::get<I>(local).align(b, I, k, j), ...);
            run_iteration(blocks, body, j);
          }
        }
      } catch (const error& e) {
        blocks.failed(iteration(b, k), e.code(), e.what());
      } catch (const std::exception& e) {
        blocks.failed(iteration(b, k), errc::body, e.what());
      } catch (...) {
        blocks.failed(iteration(b, k), errc::body, "an exception that is no std::exception");
      }
      (std::get<I>(local).leave(b, I), ...);
    }
  }
  template <class Body>
  static void run_iteration([[maybe_unused]] block_source& blocks, const Body& body, std::int64_t j) {
    if constexpr (this_build == build::checked) blocks.begin(j);
    body(as_index<Body>(j));
    if constexpr (this_build == build::checked) blocks.end();
  }
  static std::int64_t iteration(const block& b, std::uint64_t k) {
    return b.iterations == nullptr ? b.begin + static_cast<std::int64_t>(k) : b.iterations[k];
  }

  /// Runs the body over views that note what it touches. What it throws ends its iteration's set there: the
  /// real run will throw too, or touch an element that it may not and say so.
  template <std::size_t... I>
  static void record_range(const values& kept, const window* windows, std::int64_t begin, std::int64_t end,
                           iteration_listener& listener, std::index_sequence<I...>) {
    [[maybe_unused]] locals local(std::get<I>(kept)...);
    (std::get<I>(local).look_at(windows[I]), ...);
    const auto body = typename factories<Given>::inspector{}(std::get<I>(local).get()...);
    for (std::int64_t j = begin; j < end; ++j) {
      listener.begin(j);
      try {
        body(as_index<std::remove_cv_t<decltype(body)>>(j));
      } catch (const error& e) {
        if (e.code() == errc::cluster) throw;
      } catch (...) {
      }
      listener.end();
    }
  }

  static const loop_entry& registered_entry() {
    (void)&registered_;
    return entry_;
  }
  static constexpr capture_info infos_[] = {Capture::info..., capture_info{}};
  static inline const loop_entry entry_{Id,
                                        Flags | (this_build == build::checked ? checked_build : 0u),
                                        typeid(Factory).name(),
                                        infos_,
                                        sizeof...(Capture),
                                        &decode,
                                        &run,
                                        &record};
  static inline const registration registered_{entry_};

  const char* site_;
  std::tuple<Capture...> captures_;
};

template <std::uint64_t Id, unsigned Flags, class Globals = globals<>, class Factory, class... Capture>
loop_body<Id, Flags, Globals, Factory, Capture...> loop(const char* site, Factory factory,
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
template <class Body> auto functor(const Body& body, const char* site) {
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
