// Captured containers: in the body, each is a view of the elements that the block may touch. Named in code
// that stradsap-cc emits; see closure.hpp. Thread rule: captures belong to the driver's thread; a local part
// to the executor that made it.
#pragma once

#include <cstring>
#include <new>
#include <type_traits>

#include <stradsap/abi/abi.hpp>
#include <stradsap/abi/accumulation.hpp>
#include <stradsap/abi/build.hpp>
#include <stradsap/abi/capture.hpp>
#include <stradsap/abi/internals.hpp>
#include <stradsap/abi/owned_rows.hpp>

namespace stradsap::abi {

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
template <class C_> class own_view {
 public:
  explicit own_view(const void*) : view_(internals::view<C_>(window{})) {}
  ~own_view() {}
  own_view(const own_view&) = delete;
  own_view& operator=(const own_view&) = delete;

 protected:
  C_& view() { return view_; }

 private:
  union {
    C_ view_;
  };
};
/// The same at the place that the derived class knows; see captured_struct.hpp.
template <class C_, class Derived_> class placed_view {
 public:
  explicit placed_view(const void*) { new (&view()) C_(internals::view<C_>(window{})); }

 protected:
  C_& view() { return static_cast<Derived_&>(*this).place(); }
};

template <class C_, unsigned Mode_, class Held_ = own_view<C_>>
class container_local : public capture_local, public Held_ {
  static constexpr std::size_t size = sizeof(internals::element<C_>);
  static constexpr bool scattered = (Mode_ & writes) != 0 && (Mode_ & aligned) == 0;

 public:
  static constexpr bool has_rows = (Mode_ & ranges) != 0;
  /// Whether prefetches go on to the rows that elements own. Check builds may poison the elements.
  static constexpr bool owns = scattered && !has_rows && !internals::has_keys<C_> &&
                               owns_rows<internals::element<C_>>() && this_build != build::checked;
  static constexpr bool follows = scattered && internals::follows<C_>;
  static constexpr bool expects = scattered && (has_rows || size >= least_prefetched || owns);

  using Held_::Held_;
  C_& get() { return this->view(); }
  void look_at(const window& w_) { internals::look_at(this->view(), w_); }
  template <bool Whole_> void enter(const block& b_, std::size_t i_) {
    window reach = b_.windows[i_];
    base_ = reach.base = assume_noalias(reach.base);
    // constants for the optimiser
    reach.listed = nullptr;
    constexpr bool is_read = (Mode_ & (writes | aligned)) == 0 && this_build != build::checked;
    constexpr bool is_whole = Whole_ && !internals::has_keys<C_>;
    if (is_read || (is_whole && is_only_added(Mode_))) reach.lo = 0;
    reach.complete = is_read || is_whole;
    internals::look_at(this->view(), reach);
    if constexpr (scattered) touched_ = touched_in(b_, i_);
    if constexpr (owns) count_ = has_long_rows(b_) ? b_.count : 0;
    if constexpr (follows) internals::follow(this->view(), touched_);
    if constexpr (streamed) stream(b_, i_);
  }
  // Always inlined: g++ treats a call that only prefetches as a call without effect, and drops it.
  template <std::uint64_t N_>
  [[__gnu__::__always_inline__]] void expect([[__maybe_unused__]] std::uint64_t from) {
    if constexpr (expects) {
      if (touched_.first == nullptr || !asks()) return;
      ask_for<N_>(touched_.first, from);
      if (touched_.second != nullptr) ask_for<N_>(touched_.second, from);
    }
  }
  void align([[__maybe_unused__]] std::uint64_t k_, [[__maybe_unused__]] std::int64_t j_,
             [[__maybe_unused__]] std::uint64_t own) {
    if constexpr (streamed)
      internals::rebase(this->view(), static_cast<std::uint64_t>(j_), stream_ + own * size, own < in_reach_);
    if constexpr (follows) internals::begin_iteration(this->view(), k_, j_);
  }
  std::uint64_t num_within(std::uint64_t n_) const { return streamed && in_reach_ < n_ ? in_reach_ : n_; }
  void align_within([[maybe_unused]] std::uint64_t k_, [[maybe_unused]] std::int64_t j_) {
    if constexpr (streamed)
      internals::rebase(this->view(), static_cast<std::uint64_t>(j_), stream_ + shift_ + k_ * size, true);
  }
  void set_apart([[maybe_unused]] std::byte* to, [[maybe_unused]] std::uint64_t k_,
                 [[maybe_unused]] std::uint64_t n_, std::int64_t) {
    if constexpr (streamed) {
      const std::byte* const own = stream_ + k_ * size;
      auto* const copy = made_from<std::byte>(stream_, to);
      std::byte last[size];
      std::memcpy(last, own + (n_ - 1) * size, size);
      for (std::uint64_t i_ = 0; i_ < straight_stretch; ++i_) std::memcpy(copy + i_ * size, last, size);
      std::memcpy(copy, own, n_ * size);
      shift_ = copy - own;
    }
  }
  void bring_back([[maybe_unused]] std::byte* from, [[maybe_unused]] std::uint64_t k_,
                  [[maybe_unused]] std::uint64_t n_) {
    if constexpr (streamed) {
      if constexpr ((Mode_ & writes) != 0)
        std::memcpy(stream_ + k_ * size, made_from<std::byte>(stream_, from), n_ * size);
      shift_ = 0;
    }
  }
  bool asks() const {
    if constexpr (owns && size < least_prefetched) return count_ != 0;
    return expects && (!has_rows || size * touched_.unit >= least_prefetched);
  }
  /// As in capture_local.
  static bool knows_touched(const block& b_, std::size_t i_) { return touched_in(b_, i_).is_whole; }
  static bool is_long_row(const block& b_, std::size_t i_) {
    return has_rows && size * touched_in(b_, i_).unit >= least_long;
  }
  [[__gnu__::__always_inline__]] std::uint64_t num_apart(std::uint64_t k_, std::uint64_t n_) const {
    if (touched_.second == nullptr && all_differ(touched_.first + k_)) [[__likely__]]
      return n_;
    return first_apart(touched_, k_, n_);
  }
  template <bool Alone_> void leave(const block&, std::size_t) {
    end<Alone_>(base_);
    if constexpr (streamed) end<Alone_>(stream_);
  }
  template <bool Alone_> void abandon(const block& b_, std::size_t i_) { leave<Alone_>(b_, i_); }

 private:
  template <bool Alone_> static void end(const void* elements) {
    if constexpr (Alone_) {
      end_noalias_alone(elements);
    } else {
      end_noalias(elements);
    }
  }
  static element_column touched_in(const block& b_, std::size_t i_) {
    return scattered && b_.columns != nullptr ? b_.columns[i_] : element_column{};
  }
  /// Finds the aligned elements of the block's iterations, which follow each other in plan order or in the
  /// container. In the container, the view may not reach all of them.
  void stream(const block& b_, std::size_t i_) {
    if (b_.streams != nullptr && b_.streams[i_] != nullptr) {
      stream_ = static_cast<std::byte*>(assume_noalias(b_.streams[i_]));
      in_reach_ = b_.count;
    } else if (b_.in_place) {
      stream_ = static_cast<std::byte*>(base_);
      in_reach_ = b_.windows[i_].count;
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
  [[__gnu__::__always_inline__]] void ask_for(const std::uint32_t* column, std::uint64_t from) const {
    const auto* const base = static_cast<const std::byte*>(base_);
    const std::uint32_t* const elements = column + from + (owns ? owner_lead : 0);
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
    if constexpr (owns) ask_for_rows<N_>(column, from);
  }
  /// Whether the rows are worth it, by those of the first element.
  bool has_long_rows(const block& b_) const {
    if (b_.count == 0 || touched_.first == nullptr) return false;
    const auto* const all = static_cast<const internals::element<C_>*>(base_);
    return bytes_of_rows(all[touched_.first[0]]) >= least_rows_prefetched;
  }
  /// Reads the elements, which are this executor's within the block only. The rows of an element come once
  /// for iterations that follow each other.
  template <std::uint64_t N_>
  [[__gnu__::__always_inline__]] void ask_for_rows(const std::uint32_t* column, std::uint64_t from) const {
    const auto* const all = static_cast<const internals::element<C_>*>(base_);
#pragma GCC unroll 1
    for (std::uint64_t k_ = from; k_ < from + N_ && k_ < count_; ++k_) {
      if (column[k_] != column[k_ - 1]) prefetch_rows(all[column[k_]]);
    }
  }

  static constexpr bool streamed = (Mode_ & aligned) != 0 && this_build != build::checked;
  void* base_ = nullptr;
  element_column touched_;   // elements of the block's iterations
  std::uint64_t count_ = 0;  // of these, if elements own long rows
  std::byte* stream_ = nullptr;
  std::ptrdiff_t shift_ = 0;    // from the elements of a stretch to their copies
  std::uint64_t in_reach_ = 0;  // iterations of the block with an element that the view reaches
};

template <class Op_, class Row_> constexpr const accumulation* table_of_rows() {
  if constexpr (accumulation_of_rows<Op_, Row_>::is_possible()) {
    return &accumulation_of_rows<Op_, Row_>::table;
  } else {
    return nullptr;
  }
}

/// The fold for elements of a container that the body only adds into; null if the body must reach the
/// elements.
template <class C_, unsigned Mode_> constexpr const accumulation* accumulation_in() {
  if constexpr ((Mode_ & accumulates) != 0 && (Mode_ & aligned) == 0) {
    using op = typename operator_of<((Mode_ & operator_bits) >> operator_shift)>::type;
    using Row_ = typename C_::value_type;
    if constexpr (is_row<Row_>::value && !internals::has_keys<C_>) {
      return table_of_rows<op, Row_>();
    } else {
      return internals::added_by<C_, op>();
    }
  } else {
    return nullptr;
  }
}

/// The values of n whole numbers, at least one. The native compiler packs the loop.
template <class T_> value_range values_of(const void* first, std::uint64_t n_) {
  const T_* const all = static_cast<const T_*>(first);
  T_ least = all[0], greatest = all[0];
  for (std::uint64_t i_ = 1; i_ < n_; ++i_) {
    least = all[i_] < least ? all[i_] : least;
    greatest = greatest < all[i_] ? all[i_] : greatest;
  }
  if (greatest > 0 && static_cast<std::uint64_t>(greatest) >> 63 != 0) return {};
  return {static_cast<std::int64_t>(least), static_cast<std::int64_t>(greatest)};
}

/// The function for elements that are subscripts of others; else null.
template <class C_, unsigned Mode_>
constexpr auto values_in() -> value_range (*)(const void*, std::uint64_t) {
  using element = internals::element<C_>;
  if constexpr ((Mode_ & (gives_places | writes)) == gives_places && std::is_integral_v<element> &&
                internals::hoists<C_>) {
    return &values_of<element>;
  } else {
    return nullptr;
  }
}

/// A captured container: a view in the body.
template <unsigned Mode_, name_text Name_, std::uint64_t Written_, std::uint64_t Steering_, class C_>
struct container_capture {
  using local = container_local<C_, Mode_>;
  template <class Derived_> using placed = container_local<C_, Mode_, placed_view<C_, Derived_>>;
  C_& from;

  static constexpr capture_info info{.kind = capture_kind::container,
                                     .mode = Mode_,
                                     .ops = &internals::ops<C_>(),
                                     .make_keys = internals::make_keys<C_>(),
                                     .name = Name_.characters,
                                     .written = Written_,
                                     .steering = Steering_,
                                     .added = accumulation_in<C_, Mode_>(),
                                     .values = values_in<C_, Mode_>()};
  /// Whether the loop writes it at computed places.
  static constexpr bool is_scattered = (Mode_ & writes) != 0 && (Mode_ & aligned) == 0;
  static constexpr bool has_long_elements = is_long<internals::element<C_>>;
  static constexpr bool is_of_small_elements =
      std::is_trivially_copyable_v<internals::element<C_>> && sizeof(internals::element<C_>) <= most_straight;
  /// Rows of a flat matrix may have any length.
  static constexpr bool has_long_sums = has_long_elements || (Mode_ & ranges) != 0;
  C_& original() const { return from; }
  void put_addresses(const void**& to) const { *to++ = internals::state(from); }
  static container_capture again(C_& from) { return {from}; }
};

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

}  // namespace stradsap::abi
