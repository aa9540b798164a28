// Captured values that the body only reads, and global variables. Named in code that stradsap-cc emits; see
// closure.hpp.
// Thread rule: captures belong to the driver's thread; a local part to the executor that made it.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/abi/abi.hpp>
#include <stradsap/abi/capture.hpp>
#include <stradsap/abi/noalias.hpp>
#include <stradsap/running.hpp>

namespace stradsap::abi {

/// For `[&w = layers[l]]`: converts the value found at the start of the loop to the initialiser's type.
template <class Type_> constexpr Type_ stradsap_given(Type_ captured) { return static_cast<Type_>(captured); }

/// For `[&bound = stradsap_number(bound)]` in place of `[bound]`. g++ would keep a closure with the number,
/// and the views beside it, in memory if the body passes the number to a function that may return a reference
/// to it, as in `std::max(x, bound)`.
template <class N_> constexpr const N_& stradsap_number(const N_& captured) { return captured; }

/// A value to read another into.
template <class T_> struct blank {
  T_ value{};
};
/// A lambda such as `[&](int x) { return x + 1; }`, which captures nothing in the end, has no contents and no
/// default constructor; memory implicitly holds one.
template <class T_>
  requires(std::is_empty_v<T_> && !std::is_default_constructible_v<T_>)
struct blank<T_> {
  T_ value = in_memory();

 private:
  static T_ in_memory() {
    alignas(T_) std::byte memory[sizeof(T_)] = {};
    return *std::launder(reinterpret_cast<const T_*>(memory));
  }
};

/// The codec of captured values of one type.
template <class T_> struct captured_value : blank<T_> {
  static_assert(
      !is_running<T_>,
      "a loop body reads a stradsap::running: read it into a number before the loop, and capture that");
  static void write(const void* value, writer& out) { abi::write(out, *static_cast<const T_*>(value)); }
  static std::shared_ptr<void> read(reader& in) {
    const auto made = std::make_shared<captured_value>();
    abi::read(in, made->value);
    return {made, std::addressof(made->value)};
  }
};

template <class T_>
inline constexpr bool is_small_value =
    std::is_trivially_copyable_v<T_> && !std::is_array_v<T_> && sizeof(T_) <= 64;

/// Whether other ranks receive a copy of the bytes.
template <class T_>
inline constexpr bool is_number = (std::is_arithmetic_v<T_> || std::is_enum_v<T_>) && sizeof(T_) <= 16;

/// Whether bodies on the driver use the variable itself. Not a class with virtual functions: the variable may
/// be of a derived class, of which other ranks get this part only.
template <class T_> inline constexpr bool stays_in_place = !is_small_value<T_> && !std::is_polymorphic_v<T_>;

/// A value in a body. Small values are copied, so that the optimiser knows that no store of the body changes
/// them. Values that the body moves from are copied as well.
template <class T_, bool Moved_> class value_local : public capture_local {
 public:
  explicit value_local(const void* value) : value_(*static_cast<const T_*>(value)) {}
  auto& get() { return const_cast<T_&>(value_); }

 private:
  std::conditional_t<is_small_value<T_> || Moved_, T_, const T_&> value_;
};

/// Whether a captured value is a std::vector of records, such as observations or ratings. Iterations mostly
/// read the record at their index.
template <class T_> inline constexpr bool has_records = false;
template <class Record_, class A_>
inline constexpr bool has_records<std::vector<Record_, A_>> =
    std::is_class_v<Record_> && sizeof(Record_) >= least_record;

/// Prefetches the records at the indices of later iterations that a plan lists. Blocks visit records with
/// gaps, which the processor does not foresee. A vector that fits the cache needs none.
template <class T_> class records_local : public value_local<T_, false> {
 public:
  static constexpr bool expects = true;
  using value_local<T_, false>::value_local;
  template <bool> void enter(const block& b_, std::size_t) {
    const bool is_large = this->get().size() * sizeof(record) >= least_records_prefetched;
    numbers_ = is_large ? b_.iterations : nullptr;
    count_ = b_.count;
  }
  bool asks() const { return numbers_ != nullptr; }
  template <std::uint64_t N_> [[__gnu__::__always_inline__]] void expect(std::uint64_t from) {
    if (numbers_ == nullptr || from + N_ > count_) return;
    const T_& all = this->get();
#pragma GCC unroll 8
    for (std::uint64_t k_ = from; k_ < from + N_; ++k_) {
      if (numbers_[k_] < all.size()) __builtin_prefetch(all.data() + numbers_[k_]);
    }
  }

 private:
  using record = typename T_::value_type;
  const std::uint32_t* numbers_ = nullptr;
  std::uint64_t count_ = 0;
};

template <class T_, bool Moved_, bool Prefetches_> struct chosen_local {
  using type = value_local<T_, Moved_>;
};
template <class T_, bool Moved_> struct chosen_local<T_, Moved_, true> {
  using type = records_local<T_>;
};
template <class T_, bool Moved_, bool Prefetches_>
using local_of_value = typename chosen_local<T_, Moved_, Prefetches_>::type;

/// Whether a captured std::vector can show the elements of a stretch in other memory: libstdc++ keeps three
/// pointers. With checks of subscripts no loop over them is vectorised.
template <class T_> inline constexpr bool is_movable_row = false;
#if defined(__GLIBCXX__) && !defined(_GLIBCXX_ASSERTIONS) && !defined(_GLIBCXX_DEBUG)
template <class Number_>
inline constexpr bool is_movable_row<std::vector<Number_>> =
    std::is_arithmetic_v<Number_> && !std::is_same_v<Number_, bool> && sizeof(Number_) <= most_straight &&
    sizeof(std::vector<Number_>) == 3 * sizeof(Number_*);
#endif

/// The handle of a captured std::vector, as an executor's copy of its bytes. The data stay where they are.
template <class Row_> class row_handle {
  using number = typename Row_::value_type;
  using bounds = number* [3];

 public:
  static void copy(Row_& to, const void* from) {
    bounds all;
    std::memcpy(&all, from, sizeof all);
    std::memcpy(static_cast<void*>(&to), &all, sizeof all);
  }
  /// Iterations from number j on, a stretch of them, find the elements [j, j + n) in `to`, the last one as
  /// often as needed. A body that reads under a condition may have a shorter vector.
  void set_apart(Row_& row, std::byte* to, std::uint64_t n_, std::uint64_t j_) {
    std::memcpy(&own_, static_cast<const void*>(&row), sizeof own_);
    const std::uint64_t size = row.size();
    const std::uint64_t held = size <= j_ ? 0 : size - j_ < n_ ? size - j_ : n_;
    number* const made = made_from<number>(own_[0], to);
    const number last = held == 0 ? number() : own_[0][j_ + held - 1];
    for (std::uint64_t i_ = 0; i_ < straight_stretch; ++i_) made[i_] = last;
    if (held != 0) std::memcpy(made, own_[0] + j_, held * sizeof(number));
    const bounds all = {made - j_, made + straight_stretch, made + straight_stretch};
    std::memcpy(static_cast<void*>(&row), &all, sizeof all);
  }
  void bring_back(Row_& row) const { std::memcpy(static_cast<void*>(&row), &own_, sizeof own_); }

 private:
  bounds own_ = {};
};

/// A captured std::vector of which iterations read the element at their index.
template <class Row_> class row_local : public capture_local {
 public:
  explicit row_local(const void* value) { row_handle<Row_>::copy(get(), value); }
  Row_& get() { return reinterpret_cast<Row_&>(bytes_); }
  void set_apart(std::byte* to, std::uint64_t, std::uint64_t n_, std::int64_t j_) {
    handle_.set_apart(get(), to, n_, static_cast<std::uint64_t>(j_));
  }
  void bring_back(std::byte*, std::uint64_t, std::uint64_t) { handle_.bring_back(get()); }

 private:
  alignas(Row_) std::byte bytes_[sizeof(Row_)];
  row_handle<Row_> handle_;
};

/// Whether the bytes of an object are a copy that may be read as long as the object lives: it has no pointers
/// into itself. Such a copy shares the data behind the object's pointers, and is never destroyed.
template <class T_> struct copies_by_bytes : std::is_trivially_copyable<T_> {};
template <class T_, std::size_t N_> struct copies_by_bytes<T_[N_]> : copies_by_bytes<T_> {};
template <class T_, class A_> struct copies_by_bytes<std::vector<T_, A_>> : std::true_type {};
template <class C_, class Traits_, class A_>
struct copies_by_bytes<std::basic_string<C_, Traits_, A_>> : std::true_type {};
template <class T_, std::size_t N_> struct copies_by_bytes<std::array<T_, N_>> : copies_by_bytes<T_> {};
template <class T_, class U_>
struct copies_by_bytes<std::pair<T_, U_>>
    : std::bool_constant<copies_by_bytes<T_>::value && copies_by_bytes<U_>::value> {};

/// A value at the place that the derived class knows; see captured_struct.hpp. Large data stay where they
/// are.
template <class T_, class Derived_> class placed_value : public capture_local {
  static constexpr bool by_bytes = copies_by_bytes<T_>::value;

 public:
  explicit placed_value(const void* value) {
    if constexpr (by_bytes) {
      std::memcpy(static_cast<void*>(&place()), value, sizeof(T_));
    } else if constexpr (std::is_array_v<T_>) {
      std::uninitialized_copy_n(*static_cast<const T_*>(value), std::extent_v<T_>, place());
    } else {
      new (&place()) T_(*static_cast<const T_*>(value));
    }
  }
  ~placed_value() {
    if constexpr (!by_bytes) std::destroy_at(&place());
  }
  placed_value(const placed_value&) = delete;
  placed_value& operator=(const placed_value&) = delete;

 private:
  T_& place() { return static_cast<Derived_&>(*this).place(); }
};

/// The same for a vector that is a member.
template <class Row_, class Derived_> class placed_row : public capture_local {
 public:
  explicit placed_row(const void* value) { row_handle<Row_>::copy(place(), value); }
  void set_apart(std::byte* to, std::uint64_t, std::uint64_t n_, std::int64_t j_) {
    handle_.set_apart(place(), to, n_, static_cast<std::uint64_t>(j_));
  }
  void bring_back(std::byte*, std::uint64_t, std::uint64_t) { handle_.bring_back(place()); }

 private:
  Row_& place() { return static_cast<Derived_&>(*this).place(); }
  row_handle<Row_> handle_;
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

/// A captured value that the body only reads.
template <unsigned Mode_, name_text Name_, class T_, class From_> struct value_capture {
  static constexpr bool is_moved = (Mode_ & moved) != 0;
  static constexpr bool is_row = (Mode_ & read_at_index) != 0;
  static constexpr bool moves = is_row && is_movable_row<T_>;
  static constexpr bool prefetches = (Mode_ & steers) != 0 && !is_moved && has_records<T_>;
  using local = std::conditional_t<moves, row_local<T_>, local_of_value<T_, is_moved, prefetches>>;
  template <class Derived_>
  using placed = std::conditional_t<moves, placed_row<T_, Derived_>, placed_value<T_, Derived_>>;
  From_ from;
  mutable std::conditional_t<is_moved, std::optional<T_>, no_copy> copy = {};

  static constexpr capture_info info{.kind = capture_kind::value,
                                     .mode = Mode_,
                                     .write = &captured_value<T_>::write,
                                     .read = &captured_value<T_>::read,
                                     .stays = stays_in_place<T_>,
                                     .number_bytes = is_number<T_> ? sizeof(T_) : 0,
                                     .name = Name_.characters};
  static constexpr bool is_scattered = false;
  static constexpr bool has_long_elements = is_long<T_>;
  static constexpr bool has_long_sums = has_long_elements;
  static constexpr bool is_of_small_elements = !is_row || moves;
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

/// A global variable that the body only reads: a launch gives it the driver's value in every process.
template <unsigned Mode_, auto Variable_> struct global {
  static_assert(
      !is_running<std::remove_cvref_t<decltype(*Variable_)>>,
      "a loop body reads a stradsap::running: read it into a number before the loop, and capture that");
  static void write(writer& out) { abi::write(out, *Variable_); }
  static void read(reader& in) { abi::read(in, *Variable_); }
  static constexpr global_info info{Mode_, &write, &read, Variable_,
                                    stays_in_place<std::remove_cvref_t<decltype(*Variable_)>>};
};
template <class... Global_> struct globals {
  static constexpr global_info infos[] = {Global_::info..., global_info{}};
  static constexpr std::size_t count = sizeof...(Global_);
};

template <unsigned Mode_, name_text Name_, class T_> auto moved_away(const T_& from) {
  return value_capture<Mode_, Name_, T_, moved_value<T_>>{{from, const_cast<T_*>(std::addressof(from))}, {}};
}
/// Only values that steer have a name, for messages.
template <unsigned Mode_, name_text Name_ = "", class T_> auto stradsap_value(const T_& from) {
  if constexpr ((Mode_ & moved) != 0) {
    return moved_away<Mode_, Name_>(from);
  } else {
    return value_capture<Mode_, Name_, T_, named_value<T_>>{{from}, {}};
  }
}
/// Captures the present value, even if the loop runs later.
template <unsigned Mode_, name_text Name_ = "", class T_> auto stradsap_kept(const T_& from) {
  if constexpr ((Mode_ & moved) != 0) {
    return moved_away<Mode_, Name_>(from);
  } else {
    return value_capture<Mode_, Name_, T_, kept_value<T_>>{kept_value<T_>(from), {}};
  }
}

}  // namespace stradsap::abi
