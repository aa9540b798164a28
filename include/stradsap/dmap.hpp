// dmap<K, V>: a map with its values distributed over ranks; every rank has all keys. Outside loops it is used
// as a std::unordered_map, on the driver. In a loop body it is a view of the entries that the running block
// may touch, and M[key] may insert.
// Iteration visits keys in the order of their first use, which is the same for any number of ranks.
// Thread rule: as dvector.
#pragma once

#include <initializer_list>
#include <iterator>
#include <utility>

#include <stradsap/abi/internals.hpp>
#include <stradsap/abi/key_index.hpp>
#include <stradsap/abi/located.hpp>
#include <stradsap/abi/map_entry.hpp>
#include <stradsap/abi/slot_cursor.hpp>
#include <stradsap/access.hpp>

namespace stradsap {
inline namespace STRADSAP_BUILD {

/// A distributed map. K needs std::hash and ==; K and V must be serialisable.
/// References and iterators are valid until the next loop that uses the container. An insertion keeps
/// references.
/// A lookup hashes the key, or indexes a table if keys are integers that lie close together. In a body that
/// touches the same few entries in each iteration, the plan has looked the keys up. Keys stay on every rank
/// when they are erased.
/// In a loop body only [], at, find, end, contains, count, insert and erase are accepted (SAP050).
template <class K_, class V_> class dmap {
  using entry = abi::map_entry<K_, V_>;
  using index = abi::flat_key_index<K_, V_>;

 public:
  using key_type = K_;
  using mapped_type = V_;
  using value_type = std::pair<const K_, V_>;

  /// Visits the pairs that exist, in the order of the first use of their keys; on the driver only.
  template <class Entry_, class Item_> class basic_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::pair<const K_, V_>;
    using difference_type = std::ptrdiff_t;
    using pointer = Item_*;
    using reference = Item_&;
    basic_iterator() = default;
    Item_& operator*() const { return at_->item; }
    Item_* operator->() const { return &at_->item; }
    basic_iterator& operator++() {
      ++at_;
      skip();
      return *this;
    }
    basic_iterator operator++(int) {
      basic_iterator old = *this;
      ++*this;
      return old;
    }
    bool operator==(const basic_iterator& other) const { return at_ == other.at_; }

   private:
    friend class dmap;
    basic_iterator(Entry_* at, Entry_* end) : at_(at), end_(end) { skip(); }
    void skip() {
      while (at_ != end_ && !at_->exists) ++at_;
    }
    Entry_* at_ = nullptr;
    Entry_* end_ = nullptr;
  };
  using iterator = basic_iterator<entry, value_type>;
  using const_iterator = basic_iterator<const entry, const value_type>;

  /// No pairs, or those given; of pairs with one key the first counts.
  /// @code
  /// dmap<std::string, long> none, two{{"one", 1}, {"two", 2}};
  /// @endcode
  dmap() { adopt(abi::create(ops(), make_keys())); }
  dmap(std::initializer_list<value_type> values) : dmap() {
    for (const value_type& value : values) insert(value);
  }
  /// A deep copy: brings every entry of `other` to the driver. A move takes constant time and leaves `other`
  /// empty.
  /// @code
  /// dmap<int, float> one{{1, 0.5f}};
  /// dmap<int, float> copy = one;
  /// one = std::move(copy);
  /// @endcode
  dmap(const dmap& other) : dmap() {
    for (const value_type& value : other) insert(value);
  }
  dmap(dmap&& other) noexcept : dmap() { swap(other); }
  dmap& operator=(dmap other) noexcept {
    swap(other);
    return *this;
  }
  ~dmap() {
    if (state_ != nullptr) abi::destroy(state_);
  }

  /// The value of key; a new key gets a value-initialised one, in loops too. On the driver it fetches the
  /// entry's group, and counts as a write. Throws error(errc::access) for a key that is not equal to itself,
  /// as a NaN, in a loop.
  /// @code
  /// dmap<int, long> count;
  /// async_for(n, [&count, &id](int64_t j) { ++count[id[j]]; });
  /// @endcode
  V_& operator[](abi::asked<K_> key) { return reach(abi::noted<K_>(key)); }
  /// The value of key, in loops too. Throws error(errc::out_of_range) if there is none. The non-const form
  /// counts as a write.
  /// @code
  /// dmap<int, float> rate{{7, 0.5f}};
  /// async_for(n, [&rate, &X](int64_t j) { X[j] *= std::as_const(rate).at(7); });
  /// @endcode
  V_& at(abi::asked<K_> key) { return require(lookup(abi::noted<K_>(key), abi::access::write)).item.second; }
  const V_& at(abi::asked<K_> key) const {
    return require(lookup(abi::noted<K_>(key), abi::access::read)).item.second;
  }
  /// Whether the key exists; count() returns 0 or 1, and find() an iterator. All work in loops too; there an
  /// iterator can be compared with end() and dereferenced, but not advanced. Cost: a lookup; on the driver,
  /// the first one in a group fetches it. There the non-const find() counts as a write; in a loop the use of
  /// its iterator counts.
  /// @code
  /// const dmap<int, float> rate{{7, 0.5f}};
  /// async_for(n, [&rate, &X](int64_t j) {
  ///   if (const auto found = rate.find(7); found != rate.end()) X[j] *= found->second;
  /// });
  /// if (rate.contains(8) || rate.count(9) == 1) std::puts("found");
  /// @endcode
  [[nodiscard]] bool contains(abi::asked<K_> key) const {
    const entry* found = lookup(abi::noted<K_>(key), abi::access::read);
    return found != nullptr && found->exists;
  }
  [[nodiscard]] std::size_t count(abi::asked<K_> key) const { return contains(key) ? 1 : 0; }
  iterator find(abi::asked<K_> key) {
    return found<iterator>(lookup(abi::noted<K_>(key), abi::access::write));
  }
  const_iterator find(abi::asked<K_> key) const {
    return found<const_iterator>(const_cast<const entry*>(lookup(abi::noted<K_>(key), abi::access::read)));
  }
  /// Inserts the pair unless its key exists; returns its place, and true if it was inserted. In loops too.
  /// @code
  /// dmap<int, float> rate;
  /// if (rate.insert({7, 0.5f}).second) std::puts("new");
  /// @endcode
  std::pair<iterator, bool> insert(const value_type& value) {
    abi::forget_place();
    entry& place = make(value.first);
    const bool inserted = !place.exists;
    if (inserted) place.item.second = value.second;
    place.exists = true;
    return {found<iterator>(&place), inserted};
  }
  /// Removes the key; returns the number of removed pairs. In loops too.
  /// @code
  /// dmap<int, float> rate{{7, 0.5f}};
  /// async_for(n, [&rate, &id](int64_t j) { rate.erase(id[j]); });
  /// @endcode
  std::size_t erase(abi::asked<K_> key) {
    entry* gone = lookup(abi::noted<K_>(key), abi::access::write);
    if (gone == nullptr || !gone->exists) return 0;
    gone->exists = false;
    gone->item.second = V_();
    return 1;
  }
  /// Removes all pairs. On the driver; brings every entry there. Memory is kept.
  void clear() {
    entry* from = first(abi::access::write);
    for (entry* at = from; at != from + window_.size; ++at) {
      at->exists = false;
      at->item.second = V_();
    }
  }

  /// The number of pairs. On the driver; brings every entry there, and takes linear time. empty() takes as
  /// long.
  /// @code
  /// dmap<int, float> rate{{7, 0.5f}};
  /// rate.clear();
  /// std::printf("%zu pairs, %d\n", rate.size(), rate.empty());
  /// @endcode
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(std::distance(begin(), end())); }
  [[nodiscard]] bool empty() const { return begin() == end(); }
  /// Iterators over all pairs. On the driver; bring every entry there. The non-const forms count as a write
  /// of all entries. In a body end() only says that find() found nothing.
  /// @code
  /// const dmap<std::string, long> count{{"one", 1}, {"two", 2}};
  /// for (const auto& [word, times] : count) std::printf("%s %ld\n", word.c_str(), times);
  /// @endcode
  iterator begin() {
    entry* from = first(abi::access::write);
    return {from, from + window_.size};
  }
  iterator end() {
    if (state_ == nullptr) return {};
    entry* to = first(abi::access::write) + window_.size;
    return {to, to};
  }
  const_iterator begin() const {
    const entry* from = first(abi::access::read);
    return {from, from + window_.size};
  }
  const_iterator end() const {
    if (state_ == nullptr) return {};
    const entry* to = first(abi::access::read) + window_.size;
    return {to, to};
  }

  /// Exchanges two containers in constant time. References and iterators follow their pairs.
  /// @code
  /// dmap<int, float> one{{7, 0.5f}}, other;
  /// one.swap(other);
  /// @endcode
  void swap(dmap& other) noexcept {
    std::swap(window_, other.window_);
    std::swap(state_, other.state_);
    std::swap(keys_, other.keys_);
    if (state_ != nullptr) state_->attach(&window_);
    if (other.state_ != nullptr) other.state_->attach(&other.window_);
  }

 private:
  friend struct abi::internals;
  using element_type = entry;
  static constexpr bool is_follower = true;
  static constexpr const abi::element_ops& ops() { return abi::entry_operations<K_, V_>::table; }
  static std::unique_ptr<abi::key_index> make_keys() { return std::make_unique<index>(); }
  /// Null if additions are only stated, by access(adds(M)): code out of sight may look keys up, and an
  /// accumulator lacks the keys of the container.
  template <class Op_> static constexpr const abi::accumulation* added_by() {
    if constexpr (abi::element_fold<Op_, V_>::is_possible() && !std::is_same_v<Op_, abi::stated_sum>) {
      return &abi::accumulation_of_entries<Op_, K_, V_>::table;
    } else {
      return nullptr;
    }
  }
  explicit dmap(const abi::window& w_) { look_at(w_); }
  void look_at(const abi::window& w_) {
    window_ = w_;
    keys_ = static_cast<index*>(w_.keys);
    pending_ = static_cast<index*>(w_.pending);
  }
  void follow(const abi::element_column& touched) { cursor_.enter(touched); }
  void begin_iteration(std::uint64_t k_, std::int64_t) { cursor_.move_to(k_); }
  [[nodiscard]] abi::handle_target* state() const { return state_; }

  /// M[key] without a source location: the caller has noted it.
  V_& reach(const K_& key) {
    entry& found = make(key);
    found.exists = true;
    return found.item.second;
  }
  const V_* seek(const K_& key) const {
    const entry* found = lookup(key, abi::access::read);
    return found != nullptr && found->exists ? &found->item.second : nullptr;
  }
  entry& slot(std::uint64_t i_, abi::access how) const {
    const std::uint64_t reach = how == abi::access::write ? window_.count : window_.readable;
    if (i_ - window_.lo < reach) [[__likely__]]
      return static_cast<entry*>(window_.base)[i_];
    return *abi::made_from<entry>(window_.base, window_.beyond(i_, how));
  }
  /// The entry of key if the plan has it in the columns of this iteration. The block then holds it.
  entry* under_cursor(const K_& key) const {
    if constexpr (abi::this_build == abi::build::checked) return nullptr;  // its sources see each access
    for (std::size_t i_ = 0; i_ < cursor_.size(); ++i_) {
      entry* foreseen = static_cast<entry*>(window_.base) + cursor_[i_];
      if (foreseen->item.first == key) return foreseen;
    }
    return nullptr;
  }
  /// The entry of key; null if the key was never used. Under reconnaissance the key becomes pending, so that
  /// its slot is recorded.
  entry* lookup(const K_& key, abi::access how) const {
    if (entry* foreseen = under_cursor(key)) return foreseen;
    if (const std::uint64_t i_ = keys_->find(key); i_ != index::none) return &slot(i_, how);
    if (pending_ == nullptr) return nullptr;
    return abi::made_from<entry>(window_.base, window_.beyond(pending_->add(key) | abi::pending_bit, how));
  }
  /// The entry of key, appended if the key is new. Throws error(errc::access) in a body if reconnaissance has
  /// not seen the key.
  entry& make(const K_& key) {
    if (entry* old = lookup(key, abi::access::write)) return *old;
    if (!window_.may_insert) throw error(errc::access, "a dmap key that reconnaissance did not see");
    if (state_ == nullptr && !index::can_find(key))
      throw error(errc::access, "a dmap key that is not equal to itself, as a NaN is");
    keys_->append(key);
    return *abi::made_from<entry>(window_.base, window_.source->add_entry());
  }
  /// Throws if the entry does not exist. Under reconnaissance any entry passes: a slice may omit the
  /// condition around the access. The body itself then finds the key, or throws.
  entry& require(entry* found) const {
    const bool is_there = found != nullptr && (found->exists || window_.only_records);
    if (!is_there) throw error(errc::out_of_range, "dmap::at: no such key");
    return *found;
  }
  template <class Iterator_, class Entry_> Iterator_ found(Entry_* at) const {
    const bool hit = at != nullptr && at->exists;
    if (state_ == nullptr)
      return hit ? Iterator_{at, at + 1} : Iterator_{};  // in a body: an iterator to compare with end()
    entry* to = first(abi::access::read) + window_.size;
    return hit ? Iterator_{at, to} : Iterator_{to, to};
  }
  entry* first(abi::access how) const {
    if (state_ == nullptr) throw error(errc::unsupported, "a dmap cannot be iterated inside a loop body");
    return static_cast<entry*>((state_->all)(how));
  }
  void adopt(abi::handle_target* made) {
    state_ = made;
    state_->attach(&window_);
    keys_ = static_cast<index*>(window_.keys);
  }

  abi::window window_;
  index* keys_ = nullptr;
  index* pending_ = nullptr;
  abi::slot_cursor cursor_;  // of a view, in a listed loop that writes the container
  abi::handle_target* state_ = nullptr;
};

}  // namespace STRADSAP_BUILD

template <class K_, class V_> inline constexpr bool abi::is_container<dmap<K_, V_>> = true;

}  // namespace stradsap
