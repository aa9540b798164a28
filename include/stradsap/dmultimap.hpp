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
/// In a loop body only insert, equal_range, count and contains are accepted (SAP050).
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
    friend class dmultimap;
    const_iterator(typename map::const_iterator key, typename map::const_iterator end)
        : key_(key), end_(end) {
      find_pair();
    }
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

  /// No pairs, or those given.
  /// @code
  /// dmultimap<int, std::string> none, two{{1, "a"}, {1, "b"}};
  /// @endcode
  dmultimap() = default;
  dmultimap(std::initializer_list<value_type> values) {
    for (const value_type& value : values) insert(value);
  }

  /// Adds the pair behind those of its key. In loops too. Costs a lookup, and a copy of the key's list if a
  /// copy of it exists.
  /// @code
  /// dmultimap<int, int64_t> members;
  /// async_for(n, [&id, &members](int64_t j) { members.insert({id[j], j}); });
  /// @endcode
  void insert(value_type value) {
    abi::forget_place();
    list& values = abi::internals::reach(lists_, value.first);
    if (!abi::internals::only_records(lists_))
      values.insert(std::move(value), abi::current_launch.number, iteration_);
  }
  /// The pairs of key, in order; an empty range if there are none. In loops too, as count() and contains().
  /// Costs a lookup; on the driver it fetches the key's group.
  /// @code
  /// const dmultimap<int, float> rates{{7, 0.5f}, {7, 0.25f}};
  /// async_for(n, [&rates, &X](int64_t j) {
  ///   const auto [first, last] = rates.equal_range(7);
  ///   for (auto at = first; at != last; ++at) X[j] += at->second;
  /// });
  /// if (rates.contains(7)) std::printf("%zu\n", rates.count(7));
  /// @endcode
  [[nodiscard]] std::pair<const_local_iterator, const_local_iterator> equal_range(abi::asked<K_> key) const {
    const list* found = list_of(key);
    if (found == nullptr) return {};
    return {found->begin(), found->end()};
  }
  [[nodiscard]] std::size_t count(abi::asked<K_> key) const {
    const list* found = list_of(key);
    return found == nullptr ? 0 : found->size();
  }
  [[nodiscard]] bool contains(abi::asked<K_> key) const {
    const list* found = list_of(key);
    return found != nullptr && found->size() != 0;
  }

  /// Removes all pairs of key; returns their number. This and all following members work on the driver only.
  /// clear() removes the pairs of all keys.
  /// @code
  /// dmultimap<int, float> rates{{7, 0.5f}, {7, 0.25f}, {8, 1.0f}};
  /// if (rates.erase(7) == 2) rates.clear();
  /// @endcode
  std::size_t erase(const K_& key) {
    const std::size_t num_pairs = count(key);
    lists_.erase(key);
    return num_pairs;
  }
  void clear() { lists_.clear(); }
  /// The number of pairs. Brings every pair to the driver, and takes time linear in the number of keys.
  /// @code
  /// const dmultimap<int, float> rates{{7, 0.5f}, {7, 0.25f}};
  /// if (!rates.empty()) std::printf("%zu\n", rates.size());
  /// @endcode
  [[nodiscard]] std::size_t size() const {
    std::size_t num_pairs = 0;
    for (const auto& [key, values] : lists_) num_pairs += values.size();
    return num_pairs;
  }
  [[nodiscard]] bool empty() const { return begin() == end(); }
  /// Iterates over keys in the order of their first use, and over the pairs of each in their order. Brings
  /// every pair to the driver.
  /// @code
  /// const dmultimap<int, float> rates{{7, 0.5f}, {7, 0.25f}};
  /// for (const auto& [id, rate] : rates) std::printf("%d %g\n", id, rate);
  /// @endcode
  [[nodiscard]] const_iterator begin() const { return {lists_.begin(), lists_.end()}; }
  [[nodiscard]] const_iterator end() const { return {lists_.end(), lists_.end()}; }
  /// Exchanges two containers in constant time. References and iterators follow their pairs.
  /// @code
  /// dmultimap<int, float> one{{7, 0.5f}}, other;
  /// one.swap(other);
  /// @endcode
  void swap(dmultimap& other) noexcept { lists_.swap(other.lists_); }

 private:
  friend struct abi::internals;
  using element_type = abi::internals::element<map>;
  static constexpr bool is_follower = true;
  static constexpr const abi::element_ops& ops() { return abi::internals::ops<map>(); }
  static std::unique_ptr<abi::key_index> make_keys() { return abi::internals::make_keys<map>()(); }
  template <class> static constexpr const abi::accumulation* added_by() { return nullptr; }
  explicit dmultimap(const abi::window& w_) : lists_(abi::internals::view<map>(w_)) {}
  void look_at(const abi::window& w_) { abi::internals::look_at(lists_, w_); }
  void follow(const abi::element_column& touched) { abi::internals::follow(lists_, touched); }
  void begin_iteration(std::uint64_t k_, std::int64_t j_) {
    abi::internals::begin_iteration(lists_, k_, j_);
    iteration_ = j_;
  }
  [[nodiscard]] abi::handle_target* state() const { return abi::internals::state(lists_); }
  [[nodiscard]] const list* list_of(abi::asked<K_> key) const {
    return abi::internals::seek(lists_, abi::noted<K_>(key));
  }

  map lists_;
  std::int64_t iteration_ = 0;  // of a view: the running one
};

}  // namespace STRADSAP_BUILD

template <class K_, class V_> inline constexpr bool abi::is_container<dmultimap<K_, V_>> = true;

}  // namespace stradsap
