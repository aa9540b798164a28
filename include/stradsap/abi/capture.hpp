// The captures of a loop body, in three forms: the object at the call, its static description for the
// runtime, and the local part of an executor. Named in code that stradsap-cc emits; see closure.hpp.
// Thread rule: captures belong to the driver's thread; a local part to the executor that made it.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <stradsap/abi/abi.hpp>
#include <stradsap/abi/accumulation.hpp>
#include <stradsap/abi/build.hpp>
#include <stradsap/abi/fold.hpp>
#include <stradsap/abi/internals.hpp>

namespace stradsap::abi {

/// The I-th of several values, and the list of all. std::tuple would do the same, but takes several times as
/// long to compile.
template <std::size_t I_, class T_> struct part {
  T_ value;
};
template <class Each_, class... T_> struct parts;
template <std::size_t... I_, class... T_>
struct parts<std::index_sequence<I_...>, T_...> : part<I_, T_>... {};
template <std::size_t I_, class T_> T_& at(part<I_, T_>& one) { return one.value; }
template <std::size_t I_, class T_> const T_& at(const part<I_, T_>& one) { return one.value; }

/// For `[&w = layers[l]]`: converts the value found at the start of the loop to the initialiser's type.
template <class Type_> constexpr Type_ stradsap_given(Type_ captured) { return static_cast<Type_>(captured); }

/// The steps of an executor for its part of a capture. The defaults do nothing.
struct capture_local {
  /// Reconnaissance: from now on the view records through this window.
  void look_at(const window&) {}
  /// Begins a block; this is its capture `i`.
  void enter(const block&, std::size_t) {}
  /// Whether the part may prefetch elements of later iterations.
  static constexpr bool expects = false;
  /// Whether it does so in this block.
  static constexpr bool asks() { return false; }
  /// Prefetches for the block's iterations [from, from + N).
  template <std::uint64_t N_> void expect(std::uint64_t) {}
  /// Begins the block's iteration number k, with loop index j.
  void align(std::uint64_t, std::int64_t) {}
  /// Of a flat matrix: whether the sums over the contiguous elements of an iteration may be long.
  static constexpr bool is_long_row() { return false; }
  /// Selects the part of a reduction that takes the next additions.
  void join(std::uint8_t) {}
  /// Ends the block.
  void leave(const block&, std::size_t) {}
  /// Whether the plan knows all elements that the block's iterations touch here.
  bool knows_touched() const { return true; }
  /// The number of iterations of [k, k + n) from k on that touch different elements; n is a stretch at most.
  std::uint64_t num_apart(std::uint64_t, std::uint64_t n_) const { return n_; }
};

/// The codec of captured values of one type.
template <class T_> struct captured_value {
  T_ value{};

  static void write(const void* value, writer& out) { abi::write(out, *static_cast<const T_*>(value)); }
  static std::shared_ptr<void> read(reader& in) {
    const auto made = std::make_shared<captured_value>();
    abi::read(in, made->value);
    return {made, std::addressof(made->value)};
  }
};

/// A value in a body. Small values are copied, so that the optimiser knows that no store of the body changes
/// them. Values that the body moves from are copied as well.
template <class T_, bool Moved_> class value_local : public capture_local {
 public:
  explicit value_local(const void* value) : value_(*static_cast<const T_*>(value)) {}
  auto& get() { return const_cast<T_&>(value_); }

 private:
  static constexpr bool small = std::is_trivially_copyable_v<T_> && !std::is_array_v<T_> && sizeof(T_) <= 64;
  std::conditional_t<small || Moved_, T_, const T_&> value_;
};

struct no_copy {};

/// A value, kept by copy from the call until the loop runs.
template <class T_> struct kept_value {
  T_ value;
  explicit kept_value(const T_& from) : value(from) {}
};
template <class T_, std::size_t N_> struct kept_value<T_[N_]> {
  T_ value[N_];
  explicit kept_value(const T_ (&from)[N_]) { copy(value, from); }

 private:
  template <class Part_> static void copy(Part_& to, const Part_& from) { to = from; }
  template <class Part_, std::size_t M_> static void copy(Part_ (&to)[M_], const Part_ (&from)[M_]) {
    for (std::size_t i_ = 0; i_ < M_; ++i_) copy(to[i_], from[i_]);
  }
};
/// A value that the body's capture moves away: a copy for the processes that run the loop, and the variable.
template <class T_> struct moved_value : kept_value<T_> {
  T_* variable = nullptr;
  explicit moved_value(const T_& from) : kept_value<T_>(from) {}
  moved_value(const T_& from, T_* moved_from) : kept_value<T_>(from), variable(moved_from) {}
};
/// A reference to the variable; for a loop that starts where its body is made.
template <class T_> struct named_value {
  const T_& value;
};

/// Whether sums over the parts of a T may be long enough to interleave iterations.
template <class T_>
inline constexpr bool is_long = sizeof(T_) >= least_long || !(std::is_trivially_copyable_v<T_>);

/// A captured value that the body only reads.
template <unsigned Mode_, class T_, class From_> struct value_capture {
  static constexpr bool is_moved = (Mode_ & moved) != 0;
  using local = value_local<T_, is_moved>;
  From_ from;
  mutable std::conditional_t<is_moved, std::optional<T_>, no_copy> copy = {};

  static constexpr capture_info info{capture_kind::value, Mode_, &captured_value<T_>::write,
                                     &captured_value<T_>::read};
  static constexpr bool is_scattered = false;
  static constexpr bool has_long_elements = is_long<T_>;
  static constexpr bool has_long_sums = has_long_elements;
  T_& original() const {
    if constexpr (is_moved) {
      return copy.emplace(from.value);
    } else {
      return const_cast<T_&>(from.value);
    }
  }
  /// The driver's variable; the initialiser moves from it when the program makes the body.
  T_& taken() const {
    if constexpr (is_moved) {
      if (from.variable != nullptr) return *from.variable;
    }
    return original();
  }
  void put_addresses(const void**& to) const { *to++ = std::addressof(from.value); }
  static value_capture again(const T_& from) { return {From_{from}, {}}; }
};
template <class Capture_>
concept takes_value = Capture_::is_moved;

/// The value for the capture's initialiser when the program makes the body: the driver's own variable.
template <class Capture_> decltype(auto) taken(const Capture_& capture) {
  if constexpr (takes_value<Capture_>) {
    return capture.taken();
  } else {
    return capture.original();
  }
}
/// Moves from the variables that the body's captures take, once, as the plain program does.
template <class Factory_, class... Capture_>
void take([[maybe_unused]] const Factory_& factory, [[maybe_unused]] const Capture_&... captures) {
  if constexpr ((takes_value<Capture_> || ...)) (void)factory(taken(captures)...);
}

/// A name as a template argument.
template <std::size_t N_> struct name_text {
  constexpr name_text(const char (&text)[N_]) {
    for (std::size_t i_ = 0; i_ < N_; ++i_) characters[i_] = text[i_];
  }
  char characters[N_];
};

/// Whether four numbers are pairwise different.
inline bool all_differ(const std::uint32_t* numbers) {
  using four [[__gnu__::__vector_size__(16)]] = std::uint32_t;
  using two [[__gnu__::__vector_size__(16)]] = std::uint64_t;
  four all;
  std::memcpy(&all, numbers, sizeof all);
  const auto neighbours = all == __builtin_shufflevector(all, all, 1, 2, 3, 0);
  const auto others = all == __builtin_shufflevector(all, all, 2, 3, 0, 1);
  const two same = reinterpret_cast<two>(neighbours | others);
  return (same[0] | same[1]) == 0;
}

/// A view of a container. It owns nothing, so its destructor does nothing.
template <class C_, unsigned Mode_> class container_local : public capture_local {
  static constexpr std::size_t size = sizeof(internals::element<C_>);
  static constexpr bool scattered = (Mode_ & writes) != 0 && (Mode_ & aligned) == 0;

 public:
  static constexpr bool has_rows = (Mode_ & ranges) != 0;
  static constexpr bool expects = scattered && (has_rows || size >= least_prefetched);

  explicit container_local(const void*) : view_(internals::view<C_>(window{})) {}
  ~container_local() {}
  container_local(const container_local&) = delete;
  container_local& operator=(const container_local&) = delete;
  C_& get() { return view_; }
  void look_at(const window& w_) { internals::look_at(view_, w_); }
  void enter(const block& b_, std::size_t i_) {
    window reach = b_.windows[i_];
    base_ = reach.base = assume_noalias(reach.base);
    // constants for the optimiser
    reach.listed = nullptr;
    reach.complete = (Mode_ & (writes | aligned)) == 0 && this_build != build::checked;
    if (reach.complete) reach.lo = 0;  // the window has all elements
    internals::look_at(view_, reach);
    const element_column touched = b_.columns == nullptr ? element_column{} : b_.columns[i_];
    if constexpr (scattered) touched_ = touched;
    if constexpr (followed) internals::follow(view_, touched);
    if constexpr (streamed) stream(b_, i_);
  }
  // Always inlined: g++ treats a call that only prefetches as a call without effect, and drops it.
  template <std::uint64_t N_>
  [[__gnu__::__always_inline__]] void expect([[__maybe_unused__]] std::uint64_t from) {
    if constexpr (expects) {
      if (touched_.first == nullptr || !asks()) return;
      ask_for<N_>(touched_.first + from);
      if (touched_.second != nullptr) ask_for<N_>(touched_.second + from);
    }
  }
  void align([[__maybe_unused__]] std::uint64_t k_, [[__maybe_unused__]] std::int64_t j_) {
    if constexpr (streamed)
      internals::rebase(view_, static_cast<std::uint64_t>(j_), stream_ + k_ * size, k_ < in_reach_);
    if constexpr (followed) internals::begin_iteration(view_, k_, j_);
  }
  bool knows_touched() const { return touched_.is_whole; }
  bool asks() const { return expects && (!has_rows || size * touched_.unit >= least_prefetched); }
  /// As in capture_local.
  bool is_long_row() const { return has_rows && size * touched_.unit >= least_long; }
  [[__gnu__::__always_inline__]] std::uint64_t num_apart(std::uint64_t k_, std::uint64_t n_) const {
    if (touched_.second == nullptr && all_differ(touched_.first + k_)) [[__likely__]]
      return n_;
    return first_apart(touched_, k_, n_);
  }
  void leave(const block&, std::size_t) {
    end_noalias(base_);
    if constexpr (streamed) end_noalias(stream_);
  }

 private:
  /// Finds the aligned elements of the block's iterations, which follow each other in plan order or in the
  /// container. In the container, the view may not reach all of them.
  void stream(const block& b_, std::size_t i_) {
    if (b_.streams != nullptr && b_.streams[i_] != nullptr) {
      stream_ = static_cast<std::byte*>(assume_noalias(b_.streams[i_]));
      in_reach_ = b_.count;
    } else {
      const window& w_ = b_.windows[i_];
      const auto begin = static_cast<std::uint64_t>(b_.begin);
      stream_ = static_cast<std::byte*>(base_) + begin * size;
      in_reach_ = b_.iterations == nullptr && begin >= w_.lo && begin - w_.lo < w_.count
                      ? w_.lo + w_.count - begin
                      : 0;
    }
  }

  template <std::uint64_t N_>
  [[__gnu__::__always_inline__]] void ask_for(const std::uint32_t* elements) const {
    const auto* const base = static_cast<const std::byte*>(base_);
    if constexpr (has_rows) {
      const std::size_t row_bytes = size * touched_.unit;
      for (std::size_t at = 0; at < row_bytes && at < most_prefetched; at += 64) {
#pragma GCC unroll 8
        for (std::uint64_t k_ = 0; k_ < N_; ++k_) __builtin_prefetch(base + elements[k_] * size + at, 1);
      }
    } else {
#pragma GCC unroll 8
      for (std::uint64_t k_ = 0; k_ < N_; ++k_) prefetch_element<size>(base + elements[k_] * size);
    }
  }

  static constexpr bool streamed = (Mode_ & aligned) != 0 && this_build != build::checked;
  static constexpr bool followed = scattered && internals::follows<C_>;
  void* base_ = nullptr;
  element_column touched_;  // elements of the block's iterations
  std::byte* stream_ = nullptr;
  std::uint64_t in_reach_ = 0;  // iterations of the block with an element that the view reaches
  union {
    C_ view_;
  };
};

/// The fold for elements of a container that the body only adds into; null if the body must reach the
/// elements.
template <class C_, unsigned Mode_> constexpr const accumulation* accumulation_in() {
  if constexpr ((Mode_ & accumulates) != 0 && (Mode_ & aligned) == 0) {
    using op = typename operator_of<(Mode_ >> operator_shift)>::type;
    return internals::added_by<C_, op>();
  } else {
    return nullptr;
  }
}

/// A captured container: a view in the body.
template <unsigned Mode_, name_text Name_, std::uint64_t Written_, std::uint64_t Steering_, class C_>
struct container_capture {
  using local = container_local<C_, Mode_>;
  C_& from;

  static constexpr capture_info info{.kind = capture_kind::container,
                                     .mode = Mode_,
                                     .ops = &internals::ops<C_>(),
                                     .make_keys = internals::make_keys<C_>(),
                                     .name = Name_.characters,
                                     .written = Written_,
                                     .steering = Steering_,
                                     .added = accumulation_in<C_, Mode_>()};
  /// Whether the loop writes it at computed places.
  static constexpr bool is_scattered = (Mode_ & writes) != 0 && (Mode_ & aligned) == 0;
  static constexpr bool has_long_elements = is_long<internals::element<C_>>;
  /// Rows of a flat matrix may have any length.
  static constexpr bool has_long_sums = has_long_elements || (Mode_ & ranges) != 0;
  C_& original() const { return from; }
  void put_addresses(const void**& to) const { *to++ = internals::state(from); }
  static container_capture again(C_& from) { return {from}; }
};

/// One executor's part of a reduction.
template <class Each_, class T_> class reduction_local : public capture_local {
 public:
  explicit reduction_local(const void*) {}
  T_& get() { return part_; }
  void enter(const block& b_, std::size_t i_) {
    begin_ = b_.partials[i_];
    stride_ = b_.part_stride;
    now_ = b_.parts == nullptr ? 0 : b_.parts[0];
    if (b_.continues) {
      load();
    } else {
      Each_{}(part_, part_,
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

  T_ part_{};
  std::byte* begin_ = nullptr;  // of the parts, if the block has several
  std::size_t stride_ = 0;
  std::size_t now_ = 0;
};

/// A captured variable that the body only folds into: each block has a part, and parts are joined in the
/// order of blocks.
/// Each(to, part, visit) calls visit(operator, member of to, the same member of part) for every folded
/// member.
template <class Each_, name_text Name_, class T_> struct reduction_capture {
  static_assert(std::is_trivially_copyable_v<T_> && std::is_default_constructible_v<T_>);
  using local = reduction_local<Each_, T_>;
  T_& into;

  static void combine(void* into, const void* partial) {
    T_ part;
    std::memcpy(&part, partial, sizeof part);
    Each_{}(*static_cast<T_*>(into), part,
            [](auto op, auto& member, auto& other) { op.combine(member, other); });
  }
  /// Floating point sums round, and members of a struct may be floating point.
  static constexpr unsigned mode = std::is_integral_v<T_> ? exact : 0;
  static constexpr capture_info info{.kind = capture_kind::reduction,
                                     .mode = mode,
                                     .name = Name_.characters,
                                     .size = sizeof(T_),
                                     .combine = &combine};
  static constexpr bool is_scattered = false;
  static constexpr bool has_long_elements = false;
  static constexpr bool has_long_sums = false;
  T_& original() const { return into; }
  void put_addresses(const void**& to) const { *to++ = std::addressof(into); }
  static reduction_capture again(T_& into) { return {into}; }
};

/// For a reduction of the variable itself, by one operator.
template <class Op_> struct whole {
  template <class T_, class Visit_> void operator()(T_& to, T_& part, const Visit_& visitor) const {
    visitor(Op_{}, to, part);
  }
};

/// A global variable that the body only reads: each launch gives it the driver's value in every process.
template <unsigned Mode_, auto Variable_> struct global {
  static void write(writer& out) { abi::write(out, *Variable_); }
  static void read(reader& in) { abi::read(in, *Variable_); }
  static constexpr global_info info{Mode_, &write, &read};
};
template <class... Global_> struct globals {
  static constexpr global_info infos[] = {Global_::info..., global_info{}};
  static constexpr std::size_t count = sizeof...(Global_);
};

template <unsigned Mode_, class T_> auto moved_away(const T_& from) {
  return value_capture<Mode_, T_, moved_value<T_>>{{from, const_cast<T_*>(std::addressof(from))}, {}};
}
template <unsigned Mode_, class T_> auto stradsap_value(const T_& from) {
  if constexpr ((Mode_ & moved) != 0) {
    return moved_away<Mode_>(from);
  } else {
    return value_capture<Mode_, T_, named_value<T_>>{{from}, {}};
  }
}
/// Captures the present value, even if the loop runs later.
template <unsigned Mode_, class T_> auto stradsap_kept(const T_& from) {
  if constexpr ((Mode_ & moved) != 0) {
    return moved_away<Mode_>(from);
  } else {
    return value_capture<Mode_, T_, kept_value<T_>>{kept_value<T_>(from), {}};
  }
}
/// Written and Steering: bits of the fields that the loop may write, and of those that subscripts depend on.
template <unsigned Mode_, name_text Name_ = "", std::uint64_t Written_ = all_fields,
          std::uint64_t Steering_ = all_fields, class C_>
container_capture<Mode_, Name_, Written_, Steering_, C_> stradsap_container(C_& from) {
  return {from};
}
template <unsigned Mode_, name_text Name_ = "", std::uint64_t Written_ = all_fields,
          std::uint64_t Steering_ = all_fields, class C_>
container_capture<Mode_, Name_, Written_, Steering_, C_> stradsap_container(const C_& from) {
  return {const_cast<C_&>(from)};
}
/// The number of elements of an array that is a reduction.
template <class T_> constexpr std::size_t stradsap_length(const T_& all) { return std::size(all); }
template <class Op_, name_text Name_ = "", class T_>
reduction_capture<whole<Op_>, Name_, T_> stradsap_reduction(T_& into) {
  return {into};
}
template <name_text Name_ = "", class T_, class Each_>
reduction_capture<Each_, Name_, T_> stradsap_reductions(T_& into, Each_) {
  return {into};
}

}  // namespace stradsap::abi
