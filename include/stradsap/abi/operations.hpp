// The runtime's operations on elements of one type: construct, destroy, copy, send, fold. A plain build never
// sends elements, so its types need no member list. Thread rule: static data.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/abi/abi.hpp>
#include <stradsap/abi/build.hpp>
#include <stradsap/abi/distance.hpp>
#include <stradsap/abi/merge.hpp>

namespace stradsap::abi {
inline namespace STRADSAP_BUILD {

/// Encodes, decodes and merges elements.
template <class T_, build = this_build> struct travel {
  static void write(const void* first, std::size_t n_, writer& out) {
    const T_* from = static_cast<const T_*>(first);
    if constexpr (is_copied_bytewise<T_>()) {
      out.bytes(from, n_ * sizeof(T_));
    } else {
      for (std::size_t i_ = 0; i_ < n_; ++i_) abi::write(out, from[i_]);
    }
  }
  static void read(void* first, std::size_t n_, reader& in) {
    T_* to = static_cast<T_*>(first);
    if constexpr (is_copied_bytewise<T_>()) {
      in.bytes(static_cast<void*>(to), n_ * sizeof(T_));
    } else {
      for (std::size_t i_ = 0; i_ < n_; ++i_) abi::read(in, to[i_]);
    }
  }
  static void merge(void* into, const void* start, const void* end, std::size_t n_) {
    merge_run(static_cast<T_*>(into), static_cast<const T_*>(start), static_cast<const T_*>(end), n_);
  }
  static void merge_by(const stradsap::merge::rule& how, void* into, const void* start,
                       const std::byte* const* ends, std::size_t num_ends) {
    fold_copies(copies_of_value{how, ends, num_ends}, *static_cast<T_*>(into),
                *static_cast<const T_*>(start));
  }
  static bool has_part_of(const std::type_info& type) { return abi::has_part_of<T_>(type); }
  static void add_distances(const void* some, const void* others, std::size_t n_, double* squared) {
    const T_* one = static_cast<const T_*>(some);
    const T_* other = static_cast<const T_*>(others);
    for (std::size_t i_ = 0; i_ < n_; ++i_) squared[i_] += distance2(one[i_], other[i_]);
  }
  static void visit_changes(void* now, const void* start, double scale, std::vector<double>* list) {
    abi::visit_changes(*static_cast<T_*>(now), *static_cast<const T_*>(start), scale, list);
  }
  static void take_change(const void* now, const void* start, float* before, double& norm2, double& along) {
    const T_& one = *static_cast<const T_*>(now);
    const T_& from = *static_cast<const T_*>(start);
    take_change_of_run(std::data(one), std::data(from), std::size(one), before, norm2, along);
  }
  static std::size_t first_infinite(const void* now, const void* start, std::size_t n_) {
    const T_* some = static_cast<const T_*>(now);
    const T_* before = static_cast<const T_*>(start);
    if constexpr (std::is_floating_point_v<T_>) {
      if (are_finite(some, n_)) return n_;
    }
    std::size_t i_ = 0;
    while (i_ < n_ && !has_become_infinite(some[i_], before[i_])) ++i_;
    return i_;
  }
};

/// Plain builds never call these; they throw error(errc::unsupported).
template <class T_> struct travel<T_, build::seq> {
  static void write(const void*, std::size_t, writer&) { refuse(); }
  static void read(void*, std::size_t, reader&) { refuse(); }
  static void merge(void*, const void*, const void*, std::size_t) { refuse(); }
  static void merge_by(const stradsap::merge::rule&, void*, const void*, const std::byte* const*,
                       std::size_t) {
    refuse();
  }
  static bool has_part_of(const std::type_info&) { refuse(); }
  static void add_distances(const void*, const void*, std::size_t, double*) { refuse(); }
  static void visit_changes(void*, const void*, double, std::vector<double>*) { refuse(); }
  static void take_change(const void*, const void*, float*, double&, double&) { refuse(); }
  static std::size_t first_infinite(const void*, const void*, std::size_t) { refuse(); }
  [[__noreturn__]] static void refuse() {
    throw error(errc::unsupported, "elements of a program that stradsap-cc did not compile cannot travel");
  }
};

/// Whether T has no padding.
template <class T_> constexpr bool has_only_value_bytes() {
  if constexpr (is_matrix_of_numbers<T_>()) {
    return has_only_value_bytes<typename T_::value_type>();
  } else if constexpr (is_array<T_>) {
    using entry = std::remove_cvref_t<decltype(std::declval<T_&>()[0])>;
    return sizeof(T_) % sizeof(entry) == 0 && has_only_value_bytes<entry>();
  } else {
    return std::has_unique_object_representations_v<T_> || std::is_same_v<T_, float> ||
           std::is_same_v<T_, double>;
  }
}

template <class T_> struct operations : travel<T_> {
  static void construct(void* first, std::size_t n_) {
    for (std::size_t i_ = 0; i_ < n_; ++i_) new (static_cast<T_*>(first) + i_) T_();
  }
  static void destroy(void* first, std::size_t n_) {
    for (std::size_t i_ = 0; i_ < n_; ++i_) (static_cast<T_*>(first) + i_)->~T_();
  }
  static void copy(void* to, const void* from) { new (to) T_(*static_cast<const T_*>(from)); }
  static void assign(void* to, const void* from) { *static_cast<T_*>(to) = *static_cast<const T_*>(from); }

  /// Whether all bytes of a T belong to its value. Otherwise same() clears the padding, up to a size of 64
  /// KiB; larger elements are not worth it.
  static constexpr bool is_plain = has_only_value_bytes<T_>();
#if defined(__has_builtin) && __has_builtin(__builtin_clear_padding)
  static constexpr bool is_compared = is_plain || (std::is_trivially_copyable_v<T_> && sizeof(T_) <= 65536);
  static void clear_padding(void* at) { __builtin_clear_padding(static_cast<T_*>(at)); }
#else
  static constexpr bool is_compared = is_plain;
  static void clear_padding(void*) {}
#endif
  static bool same(const void* a_, const void* b_) {
    alignas(T_) std::byte one[sizeof(T_)];
    alignas(T_) std::byte other[sizeof(T_)];
    std::memcpy(one, a_, sizeof(T_));
    std::memcpy(other, b_, sizeof(T_));
    clear_padding(one);
    clear_padding(other);
    return std::memcmp(one, other, sizeof(T_)) == 0;
  }

  /// Whether a vector has numbers, so that its bytes are its value.
  template <class V_> static constexpr bool has_plain_entries() {
    using entry = typename V_::value_type;
    return std::is_arithmetic_v<entry> && !std::is_same_v<entry, bool> && !std::is_same_v<entry, long double>;
  }
  static bool has_changed(const void* start, const void* end) {
    const T_& from = *static_cast<const T_*>(start);
    const T_& to = *static_cast<const T_*>(end);
    if (from.size() != to.size()) return true;
    return !from.empty() && std::memcmp(from.data(), to.data(), from.size() * sizeof *from.data()) != 0;
  }

  static constexpr bool born_zero =
      std::is_trivially_default_constructible_v<T_> && std::is_trivially_copyable_v<T_>;
  static constexpr element_functions own() {
    element_functions own{};
    if constexpr (!born_zero) own.construct = &construct;
    if constexpr (!is_its_bytes<T_>) {
      own.destroy = &destroy;
      own.copy = &copy;
      own.assign = &assign;
    }
    if constexpr (!is_copied_bytewise<T_>()) {
      own.write = &travel<T_>::write;
      own.read = &travel<T_>::read;
    }
    own.merge = &travel<T_>::merge;
    own.merge_by = &travel<T_>::merge_by;
    own.has_part_of = &travel<T_>::has_part_of;
    own.add_distances = &travel<T_>::add_distances;
    if constexpr (has_fractions<T_>()) {
      own.visit_changes = &travel<T_>::visit_changes;
      own.first_infinite = &travel<T_>::first_infinite;
    }
    if constexpr (num_fractions<T_>() != 0) own.take_change = &travel<T_>::take_change;
    if constexpr (is_compared && !is_plain) own.same = &same;
    if constexpr (is_vector<T_>) {
      if constexpr (has_plain_entries<T_>()) own.has_changed = &has_changed;
    }
    return own;
  }
  static constexpr element_ops table{sizeof(T_),        alignof(T_), born_zero,   is_compared,
                                     has_numbers<T_>(), own(),       &typeid(T_), num_fractions<T_>()};
};

}  // namespace STRADSAP_BUILD
}  // namespace stradsap::abi
