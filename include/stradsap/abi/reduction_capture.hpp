// Captured variables that the body only folds into: reductions. Named in code that stradsap-cc emits; see
// closure.hpp.
// Thread rule: captures belong to the driver's thread; a local part to the executor that made it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>

#include <stradsap/abi/abi.hpp>
#include <stradsap/abi/capture.hpp>
#include <stradsap/abi/fold.hpp>

namespace stradsap::abi {

/// The part itself, in the local part of the capture.
template <class T_> class own_part {
 public:
  explicit own_part(const void*) {}

 protected:
  T_& part() { return part_; }
  T_& named() { return part_; }

 private:
  T_ part_{};
};
/// The same at the place that the derived class knows; see captured_struct.hpp.
template <class T_, class Derived_> class placed_part {
 public:
  explicit placed_part(const void*) { new (&part()) T_{}; }

 protected:
  T_& part() { return static_cast<Derived_&>(*this).place(); }
  T_& named() { return part(); }
};

/// The operator of a whole variable; void for members of a struct.
template <class Each_> struct operator_of_whole {
  using type = void;
};
template <class Op_> struct whole;
template <class Op_> struct operator_of_whole<whole<Op_>> {
  using type = Op_;
};

/// One executor's part of a reduction. `Held` has the number, and the variable that the body names.
template <class Each_, class T_, class Held_ = own_part<T_>>
class reduction_local : public capture_local, public Held_ {
 public:
  using Held_::Held_;
  /// Integers and their operators never round. Members of a struct may be floating point.
  static constexpr bool rounds = !std::is_integral_v<T_>;

  auto& get() { return this->named(); }
  template <bool Whole_> void enter(const block& b_, std::size_t i_) {
    begin_ = b_.partials[i_];
    stride_ = b_.part_stride;
    now_ = b_.parts == nullptr ? 0 : b_.parts[0];
    if (b_.continues || (!rounds && b_.by_iteration)) {
      load();
    } else {
      make_neutral();
    }
  }
  void join(std::uint8_t part) {
    if (part == now_) return;
    store();
    now_ = part;
    load();
  }
  void fold_iteration() {
    if constexpr (rounds) {
      fold_part();
      make_neutral();
    }
  }
  [[__gnu__::__always_inline__]] void pass() {
    if constexpr (std::is_floating_point_v<T_> && sizeof(T_) <= sizeof(std::uint64_t)) {
      using bits = std::conditional_t<sizeof(T_) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;
      auto passed = std::bit_cast<bits>(this->part());
      asm("" : "+r"(passed));
      this->part() = std::bit_cast<T_>(passed);
    }
  }
  /// Adds up an iteration's fractions apart from the part, if the body has one addition of them. Otherwise a
  /// product would fuse with the part, and an iteration wait for the product of the one before it.
  static constexpr bool adds_apart =
      std::is_floating_point_v<T_> && std::is_same_v<Each_, whole<fold::addition>> && has_barrier;
  void begin_addition() {
    if constexpr (adds_apart) {
      before_ = this->part();
      make_neutral();
    }
  }
  void end_addition() {
    if constexpr (adds_apart) this->part() = before_ + barred(this->part());
  }
  /// Of whole numbers: any grouping of the folds leaves the same bits.
  static constexpr bool has_own_folds = !rounds;
  void begin_own_folds(std::byte* folds) {
    if constexpr (has_own_folds) before_ = this->part();
    drop_own_folds(folds, 0);
  }
  void begin_own_fold() {
    if constexpr (has_own_folds) make_neutral();
  }
  void end_own_fold([[maybe_unused]] std::byte* folds, [[maybe_unused]] std::uint64_t i_) {
    if constexpr (has_own_folds) fold(reinterpret_cast<T_*>(folds)[i_], this->part());
  }
  void drop_own_folds([[maybe_unused]] std::byte* folds, std::uint64_t n_) {
    if constexpr (has_own_folds) {
      using op = typename operator_of_whole<Each_>::type;
      for (std::uint64_t i_ = n_; i_ < straight_stretch; ++i_)
        reinterpret_cast<T_*>(folds)[i_] = op::template identity<T_>();
    }
  }
  void join_own_folds([[maybe_unused]] const std::byte* folds) {
    if constexpr (has_own_folds) {
      this->part() = before_;
      fold(this->part(), sum_of(reinterpret_cast<const T_*>(folds)));
    }
  }

  template <bool Alone_> void leave(const block& b_, std::size_t) {
    if (rounds && b_.by_iteration) {
      fold_part();
    } else {
      store();
    }
  }

 private:
  /// Folds a copy: the optimiser still knows all about the executor's other data.
  void fold_part() {
    T_ sum;
    if constexpr (std::is_arithmetic_v<T_>) {
      sum = this->part();
    } else {
      std::memcpy(&sum, &this->part(), sizeof sum);
    }
    fold_into(begin_, sum);
  }
  /// A call, so that the compiler neither fuses a product with the total nor regroups additions. Inlined, it
  /// left less known about windows, and views asked the runtime for elements: `mlp` took 1.3 of the time.
  [[__gnu__::__noinline__]] static void fold_into(std::byte* into, T_& sum) {
    T_ total;
    std::memcpy(&total, into, sizeof total);
    Each_{}(total, sum, [](auto op, auto& member, auto& other) { op.combine(member, other); });
    std::memcpy(into, &total, sizeof total);
  }
  static void fold(T_& into, const T_& more) { operator_of_whole<Each_>::type::combine(into, more); }
  /// A pure function publishes no address.
  [[__gnu__::__noinline__, __gnu__::__pure__]] static auto sum_of(const auto* folds) {
    T_ sum = operator_of_whole<Each_>::type::template identity<T_>();
    for (std::uint64_t i_ = 0; i_ < straight_stretch; ++i_) fold(sum, folds[i_]);
    return sum;
  }
  void make_neutral() {
    Each_{}(this->part(), this->part(),
            [](auto op, auto& member, auto&) { member = op.template identity<decltype(member)>(); });
  }
  // Through variables of the type: g++ takes a number that is only copied as bytes for a whole number, and
  // vectorises no sum of fractions in it.
  void load() {
    if constexpr (std::is_arithmetic_v<T_>) {
      T_ loaded;
      std::memcpy(&loaded, begin_ + now_ * stride_, sizeof loaded);
      this->part() = loaded;
    } else {
      std::memcpy(&this->part(), begin_ + now_ * stride_, sizeof(T_));
    }
  }
  void store() {
    if constexpr (std::is_arithmetic_v<T_>) {
      const T_ stored = this->part();
      std::memcpy(begin_ + now_ * stride_, &stored, sizeof stored);
    } else {
      std::memcpy(begin_ + now_ * stride_, &this->part(), sizeof(T_));
    }
  }

  struct no_part {};
  std::conditional_t<has_own_folds || adds_apart, T_, no_part>
      before_{};                // the part without the latest folds
  std::byte* begin_ = nullptr;  // of the parts, if the block has several
  std::size_t stride_ = 0;
  std::size_t now_ = 0;
};

/// A captured variable that the body only folds into: each block has a part, and parts are joined in the
/// order of blocks.
/// Each(to, part, visit) calls visit(operator, member of to, the same member of part) for every folded
/// member.
template <class Each_, name_text Name_, class T_> struct reduction_capture {
  static_assert(
      std::is_trivially_copyable_v<T_> && std::is_default_constructible_v<T_>,
      "a loop folds into a stradsap::running that is a part of an array or struct: fold into one alone");
  using local = reduction_local<Each_, T_>;
  template <class Derived_> using placed = reduction_local<Each_, T_, placed_part<T_, Derived_>>;
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
  static constexpr bool is_of_small_elements = true;
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
