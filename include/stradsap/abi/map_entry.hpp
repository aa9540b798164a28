// The entry of a dmap for one key, and its encoding. Thread rule: static data.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/abi/accumulation.hpp>
#include <stradsap/abi/operations.hpp>

namespace stradsap::abi {
inline namespace STRADSAP_BUILD {

/// The entry of a key that the dmap has met. The entry of an erased key, or of one that was only looked up,
/// does not exist for the program.
template <class K_, class V_> struct map_entry {
  explicit map_entry(const K_& key) : item(key, V_()) {}
  std::pair<const K_, V_> item;
  bool exists = false;
};

/// The operations on entries. Only the value and `exists` are sent; every rank has the key.
template <class K_, class V_> struct entry_operations {
  using entry = map_entry<K_, V_>;
  /// Whether all entries are encoded in one pass. The bytes are the same as one by one.
  static constexpr bool travels_as_bytes = is_copied_bytewise<V_>() && this_build != build::seq;
  static constexpr std::size_t travelling_size = 1 + sizeof(V_);

  static void construct(void*, std::size_t) {}  // the key index makes entries, with their keys
  static void destroy(void* first, std::size_t n_) {
    for (std::size_t i_ = 0; i_ < n_; ++i_) (static_cast<entry*>(first) + i_)->~entry();
  }
  static void write(const void* first, std::size_t n_, writer& out) {
    const auto* from = static_cast<const entry*>(first);
    if constexpr (travels_as_bytes) {
      std::byte* to = out.extend(n_ * travelling_size);
      for (std::size_t i_ = 0; i_ < n_; ++i_, to += travelling_size) {
        *to = std::byte{from[i_].exists};
        std::memcpy(to + 1, &from[i_].item.second, sizeof(V_));
      }
    } else {
      for (std::size_t i_ = 0; i_ < n_; ++i_) {
        out(from[i_].exists);
        operations<V_>::write(&from[i_].item.second, 1, out);
      }
    }
  }
  static void read(void* first, std::size_t n_, reader& in) {
    auto* to = static_cast<entry*>(first);
    if constexpr (travels_as_bytes) {
      const std::byte* from = in.take(n_ * travelling_size);
      for (std::size_t i_ = 0; i_ < n_; ++i_, from += travelling_size) {
        to[i_].exists = *from != std::byte{0};
        std::memcpy(static_cast<void*>(&to[i_].item.second), from + 1, sizeof(V_));
      }
    } else {
      for (std::size_t i_ = 0; i_ < n_; ++i_) {
        in(to[i_].exists);
        operations<V_>::read(&to[i_].item.second, 1, in);
      }
    }
  }
  static void copy(void* to, const void* from) { new (to) entry(*static_cast<const entry*>(from)); }
  static void assign(void* to, const void* from) {
    static_cast<entry*>(to)->item.second = static_cast<const entry*>(from)->item.second;
    static_cast<entry*>(to)->exists = static_cast<const entry*>(from)->exists;
  }
  static void merge(void* into, const void* start, const void* end, std::size_t n_) {
    for (std::size_t i_ = 0; i_ < n_; ++i_) {
      merge_one(static_cast<entry*>(into) + i_, static_cast<const entry*>(start) + i_,
                static_cast<const entry*>(end) + i_);
    }
  }
  static void merge_one(void* into, const void* start, const void* end) {
    auto& total = *static_cast<entry*>(into);
    const auto& before = *static_cast<const entry*>(start);
    const auto& changed = *static_cast<const entry*>(end);
    const bool erased = before.exists && !(total.exists && changed.exists);  // here or in an earlier shard
    total.exists = !erased && (total.exists || changed.exists);
    if (!erased)
      return operations<V_>::merge(&total.item.second, &before.item.second, &changed.item.second, 1);
    total.item.second = V_();
  }
  /// An entry that some copy erased does not exist.
  static bool has_part_of(const std::type_info& type) { return operations<V_>::has_part_of(type); }
  static void merge_by(const stradsap::merge::rule& how, void* into, const void* start,
                       const std::byte* const* ends, std::size_t num_ends) {
    auto& total = *static_cast<entry*>(into);
    const auto& before = *static_cast<const entry*>(start);
    std::vector<const std::byte*> values;
    bool all = true, any = before.exists;
    for (std::size_t i_ = 0; i_ < num_ends; ++i_) {
      const auto* end = reinterpret_cast<const entry*>(ends[i_]);
      all = all && end->exists;
      any = any || end->exists;
      values.push_back(reinterpret_cast<const std::byte*>(&end->item.second));
    }
    total.exists = before.exists ? all : any;
    if (before.exists && !all) {
      total.item.second = V_();
    } else {
      operations<V_>::merge_by(how, &total.item.second, &before.item.second, values.data(), num_ends);
    }
  }
  static bool same(const void* a_, const void* b_) {
    const auto& one = *static_cast<const entry*>(a_);
    const auto& other = *static_cast<const entry*>(b_);
    if (one.exists != other.exists) return false;
    if constexpr (operations<V_>::is_compared)
      return operations<V_>::same(&one.item.second, &other.item.second);
    return false;
  }
  static constexpr element_ops table{
      sizeof(entry),
      alignof(entry),
      false,
      operations<V_>::is_compared,
      has_numbers<V_>(),
      {&construct, &destroy, &write, &read, &copy, &assign, &merge, &merge_by, &has_part_of, &same, nullptr,
       nullptr, nullptr, nullptr, nullptr},  // no loop index is a key
      &typeid(entry)};
};

/// The fold of entries with values that a body only adds into, by Op.
template <class Op_, class K_, class V_> struct accumulation_of_entries {
  using entry = map_entry<K_, V_>;
  using values = accumulation_of<Op_, V_>;
  /// Makes the values of entries neutral; the entries are live, with value-initialised values.
  static void begin(void* first, std::size_t n_) {
    for (std::size_t i_ = 0; i_ < n_; ++i_) {
      V_& value = (static_cast<entry*>(first) + i_)->item.second;
      if constexpr (values::is_zero) {
        std::memset(static_cast<void*>(&value), 0, sizeof value);
      } else {
        values::begin(&value, 1);
      }
    }
  }
  static void combine(void* into, const void* parts, std::size_t n_) {
    for (std::size_t i_ = 0; i_ < n_; ++i_) {
      entry& to = static_cast<entry*>(into)[i_];
      const entry& part = static_cast<const entry*>(parts)[i_];
      element_fold<Op_, V_>::combine(to.item.second, part.item.second);
      to.exists = to.exists || part.exists;
    }
  }
  static constexpr accumulation table{values::table.is_exact, values::is_zero, &begin, &combine,
                                      /*subtract=*/nullptr};
};

}  // namespace STRADSAP_BUILD
}  // namespace stradsap::abi
