// What a loop body captures: what stands at the call, what the runtime is told of it before main, and what
// one executor works on. Emitted by stradsap-cc, see closure.hpp. Thread rule: captures, the driver's thread;
// locals, the executor's that made them.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <stradsap/abi.hpp>
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
  /// Its iteration number k, which is j, begins.
  void align(const block&, std::size_t, std::uint64_t, std::int64_t) {}
  /// It ends.
  void leave(const block&, std::size_t) {}
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

/// A captured value that the body only reads.
template <unsigned Mode, class T> struct value_capture {
  static constexpr bool is_moved = (Mode & moved) != 0;
  using local = value_local<T, is_moved>;
  const T& from;
  mutable std::conditional_t<is_moved, std::optional<T>, no_copy> copy = {};

  static constexpr capture_info info{capture_kind::value, Mode, &captured_value<T>::write,
                                     &captured_value<T>::read};
  static constexpr bool is_scattered = false;
  T& original() const {
    if constexpr (is_moved) {
      return copy.emplace(from);
    } else {
      return const_cast<T&>(from);
    }
  }
  [[nodiscard]] const void* address() const { return std::addressof(from); }
};

/// A name as a template argument.
template <std::size_t N> struct name_text {
  constexpr name_text(const char (&text)[N]) {
    for (std::size_t i = 0; i < N; ++i) characters[i] = text[i];
  }
  char characters[N];
};

/// A view of a container. It owns nothing, so nothing is done at its end.
template <class C, bool Aligned> class container_local : public capture_local {
 public:
  explicit container_local(const void*) : view_(window{}) {}
  ~container_local() {}
  container_local(const container_local&) = delete;
  container_local& operator=(const container_local&) = delete;
  C& get() { return view_; }
  void look_at(const window& w) { view_.look_at(w); }
  void enter(const block& b, std::size_t i) { view_.look_at(b.windows[i]); }
  void align([[maybe_unused]] const block& b, [[maybe_unused]] std::size_t i,
             [[maybe_unused]] std::uint64_t k, [[maybe_unused]] std::int64_t j) {
    if constexpr (Aligned && this_build != build::checked) {
      view_.rebase(static_cast<std::uint64_t>(j), b.streams[i] + k * C::ops().size);
    }
  }

 private:
  union {
    C view_;
  };
};

/// A captured container: a view in the body.
template <unsigned Mode, name_text Name, std::uint64_t Written, std::uint64_t Steering, class C>
struct container_capture {
  using local = container_local<C, (Mode & aligned) != 0>;
  C& from;

  static constexpr capture_info info{.kind = capture_kind::container,
                                     .mode = Mode,
                                     .ops = &C::ops(),
                                     .make_keys = C::make_keys,
                                     .name = Name.characters,
                                     .written = Written,
                                     .steering = Steering};
  /// Written at computed places.
  static constexpr bool is_scattered = (Mode & writes) != 0 && (Mode & aligned) == 0;
  C& original() const { return from; }
  [[nodiscard]] const void* address() const { return from.state(); }
};

/// One executor's part of a reduction.
template <class Each, class T> class reduction_local : public capture_local {
 public:
  explicit reduction_local(const void*) {}
  T& get() { return part_; }
  void enter(const block& b, std::size_t i) {
    if (b.continues) {
      std::memcpy(&part_, b.partials[i], sizeof part_);
    } else {
      Each{}(part_, part_,
             [](auto op, auto& member, auto&) { member = op.template identity<decltype(member)>(); });
    }
  }
  void leave(const block& b, std::size_t i) { std::memcpy(b.partials[i], &part_, sizeof part_); }

 private:
  T part_{};
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
  static constexpr capture_info info{
      .kind = capture_kind::reduction, .mode = 0, .size = sizeof(T), .combine = &combine};
  static constexpr bool is_scattered = false;
  T& original() const { return into; }
  [[nodiscard]] const void* address() const { return std::addressof(into); }
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

template <unsigned Mode, class T> value_capture<Mode, T> value(const T& from) { return {from, {}}; }
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

}  // namespace stradsap::abi
