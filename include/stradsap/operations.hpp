// What the runtime does with elements of one type: make, end, copy, send, fold. A plain build makes and
// copies only: nothing travels there, so that its types need no list of members. Thread rule: static data.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

#include <stradsap/abi.hpp>
#include <stradsap/build.hpp>

namespace stradsap::abi {
inline namespace STRADSAP_BUILD {

/// Elements on their way to other processes.
template <class T, build = this_build> struct travel {
  static void write(const void* first, std::size_t n, writer& out) {
    const T* from = static_cast<const T*>(first);
    if constexpr (std::is_trivially_copyable_v<T>) {
      out.bytes(from, n * sizeof(T));
    } else {
      for (std::size_t i = 0; i < n; ++i) abi::write(out, from[i]);
    }
  }
  static void read(void* first, std::size_t n, reader& in) {
    T* to = static_cast<T*>(first);
    if constexpr (std::is_trivially_copyable_v<T>) {
      in.bytes(static_cast<void*>(to), n * sizeof(T));
    } else {
      for (std::size_t i = 0; i < n; ++i) abi::read(in, to[i]);
    }
  }
  static void merge(void* sum, const void* start, const void* end) {
    abi::merge(*static_cast<T*>(sum), *static_cast<const T*>(start), *static_cast<const T*>(end));
  }
};

/// In a plain build there are none.
template <class T> struct travel<T, build::seq> {
  static void write(const void*, std::size_t, writer&) { refuse(); }
  static void read(void*, std::size_t, reader&) { refuse(); }
  static void merge(void*, const void*, const void*) { refuse(); }
  [[noreturn]] static void refuse() {
    throw error(errc::unsupported, "elements of a program that stradsap-cc did not compile cannot travel");
  }
};

template <class T> struct operations : travel<T> {
  static void construct(void* first, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) new (static_cast<T*>(first) + i) T();
  }
  static void destroy(void* first, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) (static_cast<T*>(first) + i)->~T();
  }
  static void copy(void* to, const void* from) { new (to) T(*static_cast<const T*>(from)); }
  static void assign(void* to, const void* from) { *static_cast<T*>(to) = *static_cast<const T*>(from); }

  /// All bytes of a T are its value's, or those that are not can be told. Larger ones are not worth it.
  static constexpr bool is_plain =
      std::has_unique_object_representations_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;
#if defined(__has_builtin) && __has_builtin(__builtin_clear_padding)
  static constexpr bool is_compared = is_plain || (std::is_trivially_copyable_v<T> && sizeof(T) <= 65536);
  static void clear_padding(void* at) { __builtin_clear_padding(static_cast<T*>(at)); }
#else
  static constexpr bool is_compared = is_plain;
  static void clear_padding(void*) {}
#endif
  static bool same(const void* a, const void* b) {
    alignas(T) std::byte one[sizeof(T)];
    alignas(T) std::byte other[sizeof(T)];
    std::memcpy(one, a, sizeof(T));
    std::memcpy(other, b, sizeof(T));
    clear_padding(one);
    clear_padding(other);
    return std::memcmp(one, other, sizeof(T)) == 0;
  }

  static constexpr bool born_zero =
      std::is_trivially_default_constructible_v<T> && std::is_trivially_copyable_v<T>;
  static constexpr element_functions own() {
    element_functions own{};
    if constexpr (!born_zero) own.construct = &construct;
    if constexpr (!std::is_trivially_copyable_v<T>) {
      own.destroy = &destroy;
      own.write = &travel<T>::write;
      own.read = &travel<T>::read;
      own.copy = &copy;
      own.assign = &assign;
    }
    own.merge = &travel<T>::merge;
    if constexpr (is_compared && !is_plain) own.same = &same;
    return own;
  }
  static constexpr element_ops table{sizeof(T), alignof(T), born_zero, is_compared, own()};
};

}  // namespace STRADSAP_BUILD
}  // namespace stradsap::abi
