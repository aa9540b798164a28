// What a dmap keeps for a key, and how that travels. Thread rule: static data.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include <stradsap/accumulation.hpp>
#include <stradsap/operations.hpp>

namespace stradsap::abi {
inline namespace STRADSAP_BUILD {

/// What a dmap keeps for a key it has met: an erased or merely looked-up key has an entry that does not
/// exist.
template <class K, class V> struct map_entry {
  explicit map_entry(const K& key) : item(key, V()) {}
  std::pair<const K, V> item;
  bool exists = false;
};

/// An entry travels as its value and whether it exists; its key is known wherever it goes.
template <class K, class V> struct entry_operations {
  using entry = map_entry<K, V>;
  /// All entries are written at once then, to the same bytes.
  static constexpr bool travels_as_bytes = std::is_trivially_copyable_v<V> && this_build != build::seq;
  static constexpr std::size_t travelling_size = 1 + sizeof(V);

  static void construct(void*, std::size_t) {}  // entries are made by the key index, which knows their keys
  static void destroy(void* first, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) (static_cast<entry*>(first) + i)->~entry();
  }
  static void write(const void* first, std::size_t n, writer& out) {
    const auto* from = static_cast<const entry*>(first);
    if constexpr (travels_as_bytes) {
      std::byte* to = out.extend(n * travelling_size);
      for (std::size_t i = 0; i < n; ++i, to += travelling_size) {
        *to = std::byte{from[i].exists};
        std::memcpy(to + 1, &from[i].item.second, sizeof(V));
      }
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        out(from[i].exists);
        operations<V>::write(&from[i].item.second, 1, out);
      }
    }
  }
  static void read(void* first, std::size_t n, reader& in) {
    auto* to = static_cast<entry*>(first);
    if constexpr (travels_as_bytes) {
      const std::byte* from = in.take(n * travelling_size);
      for (std::size_t i = 0; i < n; ++i, from += travelling_size) {
        to[i].exists = *from != std::byte{0};
        std::memcpy(static_cast<void*>(&to[i].item.second), from + 1, sizeof(V));
      }
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        in(to[i].exists);
        operations<V>::read(&to[i].item.second, 1, in);
      }
    }
  }
  static void copy(void* to, const void* from) { new (to) entry(*static_cast<const entry*>(from)); }
  static void assign(void* to, const void* from) {
    static_cast<entry*>(to)->item.second = static_cast<const entry*>(from)->item.second;
    static_cast<entry*>(to)->exists = static_cast<const entry*>(from)->exists;
  }
  static void merge(void* sum, const void* start, const void* end) {
    auto& total = *static_cast<entry*>(sum);
    const auto& before = *static_cast<const entry*>(start);
    const auto& changed = *static_cast<const entry*>(end);
    const bool erased = before.exists && !(total.exists && changed.exists);  // here or in an earlier shard
    total.exists = !erased && (total.exists || changed.exists);
    if (!erased) return operations<V>::merge(&total.item.second, &before.item.second, &changed.item.second);
    total.item.second = V();
  }
  static bool same(const void* a, const void* b) {
    const auto& one = *static_cast<const entry*>(a);
    const auto& other = *static_cast<const entry*>(b);
    if (one.exists != other.exists) return false;
    if constexpr (operations<V>::is_compared)
      return operations<V>::same(&one.item.second, &other.item.second);
    return false;
  }
  static constexpr element_ops table{sizeof(entry),
                                     alignof(entry),
                                     false,
                                     operations<V>::is_compared,
                                     {&construct, &destroy, &write, &read, &copy, &assign, &merge, &same}};
};

/// What the runtime knows of entries whose values are only added into, by Op.
template <class Op, class K, class V> struct accumulation_of_entries {
  using entry = map_entry<K, V>;
  using values = accumulation_of<Op, V>;
  /// Of entries that are there, with values as V() makes them.
  static void begin(void* first, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      V& value = (static_cast<entry*>(first) + i)->item.second;
      if constexpr (values::is_zero) {
        std::memset(static_cast<void*>(&value), 0, sizeof value);
      } else {
        values::begin(&value, 1);
      }
    }
  }
  static void combine(void* into, const void* parts, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      entry& to = static_cast<entry*>(into)[i];
      const entry& part = static_cast<const entry*>(parts)[i];
      element_fold<Op, V>::combine(to.item.second, part.item.second);
      to.exists = to.exists || part.exists;
    }
  }
  static constexpr accumulation table{values::table.is_exact, &begin, &combine};
};

}  // namespace STRADSAP_BUILD
}  // namespace stradsap::abi
