// What a loop body captures: what stands at the call, what the runtime is told of it before main, and what
// one executor works on. Emitted by stradsap-cc, see closure.hpp. Thread rule: captures, the driver's thread;
// locals, the executor's that made them.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <stradsap/abi.hpp>
#include <stradsap/accumulation.hpp>
#include <stradsap/build.hpp>
#include <stradsap/fold.hpp>

namespace stradsap::abi {

/// The I-th of several values, and all of them: what std::tuple would do, compiled in a fraction of its time.
template <std::size_t I, class T> struct part {
  T value;
};
template <class Each, class... T> struct parts;
template <std::size_t... I, class... T> struct parts<std::index_sequence<I...>, T...> : part<I, T>... {};
template <std::size_t I, class T> T& at(part<I, T>& one) { return one.value; }
template <std::size_t I, class T> const T& at(const part<I, T>& one) { return one.value; }

/// What an executor does to its part of each capture; most have little to do.
struct capture_local {
  /// Reconnaissance: what is touched from now on.
  void look_at(const window&) {}
  /// A block begins, of which this is capture `i`.
  void enter(const block&, std::size_t) {}
  /// Somebody has to be told of iterations that will begin soon.
  static constexpr bool expects = false;
  /// Its iterations [from, from + N) will begin soon.
  template <std::uint64_t N> void expect(std::uint64_t) {}
  /// Its iteration number k, which is j, begins.
  void align(std::uint64_t, std::int64_t) {}
  /// What it adds to sums belongs to that part of them.
  void join(std::uint8_t) {}
  /// It ends.
  void leave(const block&, std::size_t) {}
  /// Whether it is known which elements its iterations touch.
  bool knows_touched() const { return true; }
  /// How many of its iterations [k, k + n), a stretch at most, touch different elements of it.
  std::uint64_t num_apart(std::uint64_t, std::uint64_t n) const { return n; }
};

/// How values of one type travel with a launch.
template <class T> struct captured_value {
  T value{};

  static void write(const void* value, writer& out) { abi::write(out, *static_cast<const T*>(value)); }
  static std::shared_ptr<void> read(reader& in) {
    const auto made = std::make_shared<captured_value>();
    abi::read(in, made->value);
    return {made, std::addressof(made->value)};
  }
};

/// Small values are copied so that the optimiser knows no store of the body can change them; so are those
/// that are moved from.
template <class T, bool Moved> class value_local : public capture_local {
 public:
  explicit value_local(const void* value) : value_(*static_cast<const T*>(value)) {}
  auto& get() { return const_cast<T&>(value_); }

 private:
  static constexpr bool small = std::is_trivially_copyable_v<T> && !std::is_array_v<T> && sizeof(T) <= 64;
  std::conditional_t<small || Moved, T, const T&> value_;
};

struct no_copy {};

/// A value, as a capture by copy keeps it.
template <class T> struct kept_value {
  T value;
  explicit kept_value(const T& from) : value(from) {}
};
template <class T, std::size_t N> struct kept_value<T[N]> {
  T value[N];
  explicit kept_value(const T (&from)[N]) { copy(value, from); }

 private:
  template <class Part> static void copy(Part& to, const Part& from) { to = from; }
  template <class Part, std::size_t M> static void copy(Part (&to)[M], const Part (&from)[M]) {
    for (std::size_t i = 0; i < M; ++i) copy(to[i], from[i]);
  }
};
/// Or the variable itself, where no time passes between the making of the body and its loop.
template <class T> struct named_value {
  const T& value;
};

/// Whether sums over a T's parts may be long enough for iterations to run side by side: with 32 numbers it
/// makes no difference.
template <class T> inline constexpr bool is_long = sizeof(T) >= 256 || !(std::is_trivially_copyable_v<T>);

/// A captured value that the body only reads.
template <unsigned Mode, class T, class From> struct value_capture {
  static constexpr bool is_moved = (Mode & moved) != 0;
  using local = value_local<T, is_moved>;
  From from;
  mutable std::conditional_t<is_moved, std::optional<T>, no_copy> copy = {};

  static constexpr capture_info info{capture_kind::value, Mode, &captured_value<T>::write,
                                     &captured_value<T>::read};
  static constexpr bool is_scattered = false;
  static constexpr bool has_long_sums = is_long<T>;
  T& original() const {
    if constexpr (is_moved) {
      return copy.emplace(from.value);
    } else {
      return const_cast<T&>(from.value);
    }
  }
  [[nodiscard]] const void* address() const { return std::addressof(from.value); }
  static value_capture again(const T& from) { return {From{from}, {}}; }
};

/// A name as a template argument.
template <std::size_t N> struct name_text {
  constexpr name_text(const char (&text)[N]) {
    for (std::size_t i = 0; i < N; ++i) characters[i] = text[i];
  }
  char characters[N];
};
template <std::size_t M, std::size_t N>
constexpr bool same_text(const name_text<M>& a, const name_text<N>& b) {
  for (std::size_t i = 0; i < M && M == N; ++i) {
    if (a.characters[i] != b.characters[i]) return false;
  }
  return M == N;
}

/// A view that wants to know what the block's iterations touch, and which of them runs.
template <class C>
concept follows_iterations = requires(C& view, const element_column& touched) { view.follow(touched); };

/// Whether four numbers are different ones.
inline bool all_differ(const std::uint32_t* numbers) {
  using four [[gnu::vector_size(16)]] = std::uint32_t;
  using two [[gnu::vector_size(16)]] = std::uint64_t;
  four all;
  std::memcpy(&all, numbers, sizeof all);
  const auto neighbours = all == __builtin_shufflevector(all, all, 1, 2, 3, 0);
  const auto others = all == __builtin_shufflevector(all, all, 2, 3, 0, 1);
  const two same = reinterpret_cast<two>(neighbours | others);
  return (same[0] | same[1]) == 0;
}

/// A view of a container. It owns nothing, so nothing is done at its end.
template <class C, unsigned Mode> class container_local : public capture_local {
  static constexpr std::size_t size = sizeof(typename C::element_type);
  static constexpr bool scattered = (Mode & writes) != 0 && (Mode & aligned) == 0;

 public:
  static constexpr bool expects = scattered && size >= least_prefetched;

  explicit container_local(const void*) : view_(window{}) {}
  ~container_local() {}
  container_local(const container_local&) = delete;
  container_local& operator=(const container_local&) = delete;
  C& get() { return view_; }
  void look_at(const window& w) { view_.look_at(w); }
  void enter(const block& b, std::size_t i) {
    window reach = b.windows[i];
    base_ = reach.base = separate(reach.base);
    // known here to the optimiser
    reach.listed = nullptr;
    reach.complete = (Mode & (writes | aligned)) == 0 && this_build != build::checked;
    if (reach.complete) reach.lo = 0;  // it is a window on all elements
    view_.look_at(reach);
    const element_column touched = b.columns == nullptr ? element_column{} : b.columns[i];
    if constexpr (scattered) touched_ = touched;
    if constexpr (followed) view_.follow(touched);
    if constexpr (streamed) stream(b, i);
  }
  // Always inlined: of a call that only asks for elements g++ says that it does nothing, and drops it.
  template <std::uint64_t N> [[gnu::always_inline]] void expect([[maybe_unused]] std::uint64_t from) {
    if constexpr (expects) {
      if (touched_.first == nullptr) return;
      ask_for<N>(touched_.first + from);
      if (touched_.second != nullptr) ask_for<N>(touched_.second + from);
    }
  }
  void align([[maybe_unused]] std::uint64_t k, [[maybe_unused]] std::int64_t j) {
    if constexpr (streamed) view_.rebase(static_cast<std::uint64_t>(j), stream_ + k * size, k < in_reach_);
    if constexpr (followed) view_.begin_iteration(k, j);
  }
  bool knows_touched() const { return touched_.is_whole; }
  [[gnu::always_inline]] std::uint64_t num_apart(std::uint64_t k, std::uint64_t n) const {
    if (touched_.second == nullptr && all_differ(touched_.first + k)) [[likely]]
      return n;
    return first_apart(touched_, k, n);
  }
  void leave(const block&, std::size_t) {
    let_go(base_);
    if constexpr (streamed) let_go(stream_);
  }

 private:
  /// Elements of the block's iterations follow each other: in plan order, or in the container itself, where
  /// the view may not reach them all.
  void stream(const block& b, std::size_t i) {
    if (b.streams != nullptr && b.streams[i] != nullptr) {
      stream_ = static_cast<std::byte*>(separate(b.streams[i]));
      in_reach_ = b.count;
    } else {
      const window& w = b.windows[i];
      const auto begin = static_cast<std::uint64_t>(b.begin);
      stream_ = static_cast<std::byte*>(base_) + begin * size;
      in_reach_ =
          b.iterations == nullptr && begin >= w.lo && begin - w.lo < w.count ? w.lo + w.count - begin : 0;
    }
  }

  template <std::uint64_t N> [[gnu::always_inline]] void ask_for(const std::uint32_t* elements) const {
#pragma GCC unroll 8
    for (std::uint64_t k = 0; k < N; ++k)
      prefetch_element<size>(static_cast<const std::byte*>(base_) + elements[k] * size);
  }

  static constexpr bool streamed = (Mode & aligned) != 0 && this_build != build::checked;
  static constexpr bool followed = scattered && follows_iterations<C>;
  void* base_ = nullptr;
  element_column touched_;  // by the block's iterations
  std::byte* stream_ = nullptr;
  std::uint64_t in_reach_ = 0;  // iterations of the block whose element the view reaches
  union {
    C view_;
  };
};

/// How a container's elements are folded that the body only adds into; null where they have to be reached.
template <class C, unsigned Mode> constexpr const accumulation* accumulation_in() {
  if constexpr ((Mode & accumulates) != 0 && (Mode & aligned) == 0) {
    using op = typename operator_of<(Mode >> operator_shift)>::type;
    if constexpr (requires { C::template added_by<op>(); }) return C::template added_by<op>();
  }
  return nullptr;
}

/// A captured container: a view in the body.
template <unsigned Mode, name_text Name, std::uint64_t Written, std::uint64_t Steering, class C>
struct container_capture {
  using local = container_local<C, Mode>;
  C& from;

  static constexpr capture_info info{.kind = capture_kind::container,
                                     .mode = Mode,
                                     .ops = &C::ops(),
                                     .make_keys = C::make_keys,
                                     .name = Name.characters,
                                     .written = Written,
                                     .steering = Steering,
                                     .added = accumulation_in<C, Mode>()};
  /// Written at computed places.
  static constexpr bool is_scattered = (Mode & writes) != 0 && (Mode & aligned) == 0;
  static constexpr bool has_long_sums = is_long<typename C::element_type>;
  C& original() const { return from; }
  [[nodiscard]] const void* address() const { return from.state(); }
  static container_capture again(C& from) { return {from}; }
};

/// One executor's part of a reduction.
template <class Each, class T> class reduction_local : public capture_local {
 public:
  explicit reduction_local(const void*) {}
  T& get() { return part_; }
  void enter(const block& b, std::size_t i) {
    begin_ = b.partials[i];
    stride_ = b.part_stride;
    now_ = b.parts == nullptr ? 0 : b.parts[0];
    if (b.continues) {
      load();
    } else {
      Each{}(part_, part_,
             [](auto op, auto& member, auto&) { member = op.template identity<decltype(member)>(); });
    }
  }
  void join(std::uint8_t part) {
    if (part == now_) return;
    store();
    now_ = part;
    load();
  }
  void leave(const block&, std::size_t) { store(); }

 private:
  void load() { std::memcpy(&part_, begin_ + now_ * stride_, sizeof part_); }
  void store() { std::memcpy(begin_ + now_ * stride_, &part_, sizeof part_); }

  T part_{};
  std::byte* begin_ = nullptr;  // of its parts, where the block has several
  std::size_t stride_ = 0;
  std::size_t now_ = 0;
};

/// A captured variable that the body only folds into: a part for each block, joined in the order of blocks.
/// Each(to, part, visit) calls visit(operator, member of to, the same member of part) for all that is folded.
template <class Each, class T> struct reduction_capture {
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>);
  using local = reduction_local<Each, T>;
  T& into;

  static void combine(void* into, const void* partial) {
    T part;
    std::memcpy(&part, partial, sizeof part);
    Each{}(*static_cast<T*>(into), part,
           [](auto op, auto& member, auto& other) { op.combine(member, other); });
  }
  /// Floating point is rounded, and members of a struct may be that.
  static constexpr unsigned mode = std::is_integral_v<T> ? exact : 0;
  static constexpr capture_info info{
      .kind = capture_kind::reduction, .mode = mode, .size = sizeof(T), .combine = &combine};
  static constexpr bool is_scattered = false;
  static constexpr bool has_long_sums = false;
  T& original() const { return into; }
  [[nodiscard]] const void* address() const { return std::addressof(into); }
  static reduction_capture again(T& into) { return {into}; }
};

/// The variable itself is folded, by one operator.
template <class Op> struct whole {
  template <class T, class Visit> void operator()(T& to, T& part, const Visit& visit) const {
    visit(Op{}, to, part);
  }
};

/// A global variable that the body only reads: with each launch it gets the driver's value in every process.
template <unsigned Mode, auto Variable> struct global {
  static void write(writer& out) { abi::write(out, *Variable); }
  static void read(reader& in) { abi::read(in, *Variable); }
  static constexpr global_info info{Mode, &write, &read};
};
template <class... Global> struct globals {
  static constexpr global_info infos[] = {Global::info..., global_info{}};
  static constexpr std::size_t count = sizeof...(Global);
};

template <unsigned Mode, class T> value_capture<Mode, T, named_value<T>> stradsap_value(const T& from) {
  return {{from}, {}};
}
/// As it is now, whenever the loop runs.
template <unsigned Mode, class T> value_capture<Mode, T, kept_value<T>> stradsap_kept(const T& from) {
  return {kept_value<T>(from), {}};
}
/// Written and Steering: bits of the fields that the loop may write, and that subscripts depend on.
template <unsigned Mode, name_text Name = "", std::uint64_t Written = all_fields,
          std::uint64_t Steering = all_fields, class C>
container_capture<Mode, Name, Written, Steering, C> stradsap_container(C& from) {
  return {from};
}
template <unsigned Mode, name_text Name = "", std::uint64_t Written = all_fields,
          std::uint64_t Steering = all_fields, class C>
container_capture<Mode, Name, Written, Steering, C> stradsap_container(const C& from) {
  return {const_cast<C&>(from)};
}
/// The number of elements of an array whose elements are folded.
template <class T> constexpr std::size_t stradsap_length(const T& all) { return std::size(all); }
template <class Op, class T> reduction_capture<whole<Op>, T> stradsap_reduction(T& into) { return {into}; }
template <class T, class Each> reduction_capture<Each, T> stradsap_reductions(T& into, Each) {
  return {into};
}

}  // namespace stradsap::abi
