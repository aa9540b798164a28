// Finds the slot of a key, in a table if keys are integers that lie close together, else in a hash table. All
// ranks have the same slots; the kind of table may differ.
// Thread rule: several threads may find keys while none adds one.
#pragma once

#include <bit>
#include <concepts>
#include <memory>
#include <type_traits>
#include <vector>

#include <stradsap/abi/map_entry.hpp>

namespace stradsap::abi {
inline namespace STRADSAP_BUILD {

/// A table of slots over integers that lie close together. Integers are mapped in order to unsigned 64-bit
/// numbers. Their differences are taken modulo 2^64, so the limits of a type need no special case.
class direct_table {
 public:
  static constexpr std::uint32_t vacant = ~std::uint32_t{0};

  [[nodiscard]] bool in_use() const { return !cells_.empty(); }
  [[nodiscard]] std::uint32_t find(std::uint64_t key) const {
    const std::uint64_t at = key - low_;
    return at < cells_.size() ? cells_[at] : vacant;
  }
  [[nodiscard]] bool covers(std::uint64_t key) const { return key - low_ < cells_.size(); }
  /// Sets the slot of a key that is covered.
  void set(std::uint64_t key, std::uint32_t slot) { cells_[key - low_] = slot; }
  /// Empties the table; then it covers first to last, with room for a quarter more on either side.
  void cover(std::uint64_t first, std::uint64_t last) {
    const std::uint64_t room = (last - first) / 4 + 8;
    low_ = first - room;
    cells_.assign(last - first + 1 + 2 * room, vacant);
  }
  void drop() { cells_ = {}; }
  /// Whether n keys from first to last are so dense that the table takes no more memory than a hash table
  /// may.
  static bool suits(std::uint64_t first, std::uint64_t last, std::uint64_t n_) {
    return last - first < 4 * (n_ < 16 ? 16 : n_);
  }

 private:
  std::vector<std::uint32_t> cells_;
  std::uint64_t low_ = 0;  // key of the first cell
};

/// Keys that a direct_table can take.
template <class K_>
concept countable_key = std::integral<K_> && sizeof(K_) <= sizeof(std::uint64_t);

/// Maps integers to unsigned numbers in the same order.
template <countable_key K_> std::uint64_t ordinal(K_ key) {
  constexpr std::uint64_t zero = std::is_signed_v<K_> ? std::uint64_t{1} << 63 : 0;
  return static_cast<std::uint64_t>(key) + zero;
}

/// Mixes std::hash, the identity for integers, so that linear probing stays short.
template <class K_> std::uint64_t spread_hash(const K_& key) {
  std::uint64_t h_ = std::hash<K_>{}(key);
  h_ = (h_ ^ (h_ >> 32)) * 0x9e3779b97f4a7c15u;
  return h_ ^ (h_ >> 29);
}

/// Open addressing with linear probing over slot numbers, or a direct_table. Keys are added and never
/// removed.
template <class K_, class V_> class flat_key_index final : public key_index {
 public:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  [[nodiscard]] std::uint64_t find(const K_& key) const {
    if constexpr (countable_key<K_>) {
      if (direct_.in_use()) return widened(direct_.find(ordinal(key)));
    }
    if (cells_.empty()) return none;
    for (std::uint64_t at = spread_hash(key) & mask_;; at = (at + 1) & mask_) {
      const std::uint32_t slot = cells_[at];
      if (slot == vacant) return none;
      if (keys_[slot].value == key) return slot;
    }
  }
  /// Whether find() can find the key after it is added: not so for a NaN.
  static bool can_find(const K_& key) {
    const K_& same = key;
    return key == same;
  }
  /// The slot of key; adds a new key.
  std::uint64_t add(const K_& key) {
    const std::uint64_t slot = find(key);
    return slot != none ? slot : append(key);
  }
  /// Adds a key that is not here yet; returns its slot. Throws error(errc::out_of_range) at 2^32 - 1 keys.
  std::uint64_t append(const K_& key) {
    if (keys_.size() >= vacant) throw error(errc::out_of_range, "a dmap holds at most 2^32 - 1 keys");
    keys_.push_back({key});
    if constexpr (countable_key<K_>) {
      if (ordinal(key) < first_) first_ = ordinal(key);
      if (ordinal(key) > last_) last_ = ordinal(key);
    }
    const auto slot = static_cast<std::uint32_t>(keys_.size() - 1);
    if (is_full(key)) {
      rebuild();
    } else {
      place(slot);
    }
    return slot;
  }
  /// Whether find() needs no hash.
  [[nodiscard]] bool is_direct() const { return direct_.in_use(); }
  [[nodiscard]] std::uint64_t size() const override { return keys_.size(); }
  void write_keys(std::uint64_t first, writer& out) const override {
    out(keys_.size() - first);
    for (std::uint64_t slot = first; slot < keys_.size(); ++slot)
      operations<K_>::write(&keys_[slot].value, 1, out);
  }
  std::vector<std::uint64_t> add_keys(reader& in) override {
    std::vector<std::uint64_t> slots;
    for (std::size_t n_ = in.count(1); n_ > 0; --n_) {
      K_ key{};
      operations<K_>::read(&key, 1, in);
      slots.push_back(add(key));
    }
    return slots;
  }
  void find_all(const key_index& part, key_index& unknown, std::vector<std::uint64_t>& slots) const override {
    slots.reserve(slots.size() + part.size());
    for (const held& key : static_cast<const flat_key_index&>(part).keys_) {
      const std::uint64_t slot = find(key.value);
      slots.push_back(slot != none ? slot
                                   : static_cast<flat_key_index&>(unknown).add(key.value) | pending_bit);
    }
  }
  [[nodiscard]] std::unique_ptr<key_index> fresh() const override {
    return std::make_unique<flat_key_index>();
  }
  void construct_entry(std::uint64_t slot, void* to) const override {
    new (to) map_entry<K_, V_>(keys_[slot].value);
  }

 private:
  static constexpr std::uint32_t vacant = direct_table::vacant;
  static std::uint64_t widened(std::uint32_t slot) { return slot == vacant ? none : slot; }

  /// Whether the current table has no place for the newest key.
  [[nodiscard]] bool is_full(const K_& newest) const {
    if constexpr (countable_key<K_>) {
      if (direct_.in_use()) return !direct_.covers(ordinal(newest));
    }
    return 2 * keys_.size() > cells_.size();
  }
  void place(std::uint32_t slot) {
    if constexpr (countable_key<K_>) {
      if (direct_.in_use()) return direct_.set(ordinal(keys_[slot].value), slot);
    }
    std::uint64_t at = spread_hash(keys_[slot].value) & mask_;
    while (cells_[at] != vacant) at = (at + 1) & mask_;
    cells_[at] = slot;
  }
  /// Makes a larger table of the kind that suits the keys. Keys may come in any order, so this checks anew at
  /// each growth whether they have become dense.
  void rebuild() {
    cells_.clear();
    direct_.drop();
    if (is_dense()) {
      direct_.cover(first_, last_);
    } else {
      cells_.assign(std::bit_ceil(keys_.size() < 8 ? 16 : 2 * keys_.size()), vacant);
      mask_ = cells_.size() - 1;
    }
    for (std::size_t slot = 0; slot < keys_.size(); ++slot) place(static_cast<std::uint32_t>(slot));
  }
  [[nodiscard]] bool is_dense() const {
    return countable_key<K_> && direct_table::suits(first_, last_, keys_.size());
  }

  struct held {  // std::vector<bool> has no elements to refer to
    K_ value;
  };

  std::vector<std::uint32_t> cells_;
  direct_table direct_;
  std::vector<held> keys_;
  std::uint64_t mask_ = 0;
  std::uint64_t first_ = ~std::uint64_t{0};  // least and greatest key, if countable
  std::uint64_t last_ = 0;
};

}  // namespace STRADSAP_BUILD
}  // namespace stradsap::abi
