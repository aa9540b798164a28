// dmultimap<K, V>: a map with any number of values under a key, as a dmap from keys to lists of values. Loop
// bodies look up and insert; on the driver the program also iterates and erases.
// The values of a key are ordered by loop, then by iteration, then as the iteration inserted them; this is
// the same for any number of ranks.
// Thread rule: as dvector.
#pragma once

#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>

#include <stradsap/abi/value_list.hpp>
#include <stradsap/dmap.hpp>

namespace stradsap {
inline namespace STRADSAP_BUILD {

/// A distributed multimap. K needs std::hash and ==; K and V must be serialisable. Pairs are inserted and
/// erased, but never changed.
/// References and iterators are valid until the next loop that uses the container, and until an insertion
/// under their key.
template <class K_, class V_> class dmultimap {
  using list = abi::value_list<K_, V_>;
  using map = dmap<K_, list>;

 public:
  using key_type = K_;
  using mapped_type = V_;
  using value_type = std::pair<K_, V_>;
  /// Iterates over the pairs of one key.
  using const_local_iterator = const value_type*;

  /// Iterates over all pairs; on the driver only.
  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::pair<K_, V_>;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = const value_type&;
    const_iterator() = default;
    const_iterator(typename map::const_iterator key, typename map::const_iterator end)
        : key_(key), end_(end) {
      find_pair();
    }
    reference operator*() const { return *pair_; }
    pointer operator->() const { return pair_; }
    const_iterator& operator++() {
      if (++pair_ != key_->second.end()) return *this;
      ++key_;
      find_pair();
      return *this;
    }
    const_iterator operator++(int) {
      const_iterator old = *this;
      ++*this;
      return old;
    }
    bool operator==(const const_iterator& other) const { return pair_ == other.pair_; }

   private:
    /// Moves on to the first pair of this key or a later one; null at the end.
    void find_pair() {
      while (key_ != end_ && key_->second.size() == 0) ++key_;
      pair_ = key_ == end_ ? nullptr : key_->second.begin();
    }
    typename map::const_iterator key_;
    typename map::const_iterator end_;
    pointer pair_ = nullptr;
  };
  using iterator = const_iterator;

  dmultimap() = default;
  dmultimap(std::initializer_list<value_type> values) {
    for (const value_type& value : values) insert(value);
  }

  /// Adds the pair behind those of its key. In loops too. Costs a lookup, and a copy of the key's list if a
  /// copy of it exists.
  void insert(value_type value) {
    abi::forget_place();
    list& values = lists_.reach(value.first);
    if (!lists_.only_records()) values.insert(std::move(value), abi::current_launch.number, iteration_);
  }
  /// The pairs of key, in order; an empty range if there are none. In loops too, as count() and contains().
  /// Costs a lookup; on the driver it fetches the key's group.
  [[nodiscard]] std::pair<const_local_iterator, const_local_iterator> equal_range(abi::asked<K_> key) const {
    const list* found = lists_.seek(abi::noted<K_>(key));
    if (found == nullptr) return {};
    return {found->begin(), found->end()};
  }
  [[nodiscard]] std::size_t count(abi::asked<K_> key) const {
    const list* found = lists_.seek(abi::noted<K_>(key));
    return found == nullptr ? 0 : found->size();
  }
  [[nodiscard]] bool contains(abi::asked<K_> key) const {
    const list* found = lists_.seek(abi::noted<K_>(key));
    return found != nullptr && found->size() != 0;
  }

  /// Removes all pairs of key; returns their number. This and all following members work on the driver only.
  std::size_t erase(const K_& key) {
    const std::size_t num_pairs = count(key);
    lists_.erase(key);
    return num_pairs;
  }
  void clear() { lists_.clear(); }
  /// The number of pairs. Brings every pair to the driver, and takes time linear in the number of keys.
  [[nodiscard]] std::size_t size() const {
    std::size_t num_pairs = 0;
    for (const auto& [key, values] : lists_) num_pairs += values.size();
    return num_pairs;
  }
  [[nodiscard]] bool empty() const { return begin() == end(); }
  /// Iterates over keys in the order of their first use, and over the pairs of each in their order. Brings
  /// every pair to the driver.
  [[nodiscard]] const_iterator begin() const { return {lists_.begin(), lists_.end()}; }
  [[nodiscard]] const_iterator end() const { return {lists_.end(), lists_.end()}; }
  void swap(dmultimap& other) noexcept { lists_.swap(other.lists_); }

  // ---- for generated code ----
  using element_type = typename map::element_type;
  /// A view of the entries in `w`; it owns nothing.
  explicit dmultimap(const abi::window& w_) : lists_(w_) {}
  void look_at(const abi::window& w_) { lists_.look_at(w_); }
  void follow(const abi::element_column& touched) { lists_.follow(touched); }
  void begin_iteration(std::uint64_t k_, std::int64_t j_) {
    lists_.begin_iteration(k_, j_);
    iteration_ = j_;
  }
  [[nodiscard]] abi::handle_target* state() const { return lists_.state(); }
  static constexpr const abi::element_ops& ops() { return map::ops(); }
  static std::unique_ptr<abi::key_index> make_keys() { return map::make_keys(); }

 private:
  map lists_;
  std::int64_t iteration_ = 0;  // of a view: the running one
};

}  // namespace STRADSAP_BUILD
}  // namespace stradsap
