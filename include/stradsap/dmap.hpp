// dmap<K, V>: a map whose values live on many processes and whose keys are known to all. In a loop body it is
// a view of what the running block may touch, and M[key] may insert; on the driver it is used as a
// std::unordered_map is, but iterates in the order in which keys were first met, the same at any ranks.
// Thread rule: as dvector.
#pragma once

#include <deque>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <stradsap/located.hpp>
#include <stradsap/operations.hpp>

namespace stradsap {
namespace abi {
inline namespace STRADSAP_BUILD {

/// What a dmap keeps for a key it has met: an erased or merely looked-up key has an entry that does not
/// exist.
template <class K, class V> struct map_entry {
  explicit map_entry(const K& key) : item(key, V()) {}
  std::pair<const K, V> item;
  bool exists = false;
};

/// Mixes std::hash, which is the identity for integers, so that linear probing stays short.
template <class K> std::uint64_t spread_hash(const K& key) {
  std::uint64_t h = std::hash<K>{}(key);
  h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

/// Open addressing with linear probing over slot numbers; keys are only ever added.
template <class K, class V> class flat_key_index final : public key_index {
 public:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  [[nodiscard]] std::uint64_t find(const K& key) const {
    if (cells_.empty()) return none;
    for (std::uint64_t at = spread_hash(key) & mask_;; at = (at + 1) & mask_) {
      const std::uint32_t slot = cells_[at];
      if (slot == vacant) return none;
      if (keys_[slot] == key) return slot;
    }
  }
  /// The slot of key, which is added if it is new.
  std::uint64_t add(const K& key) {
    if (const std::uint64_t slot = find(key); slot != none) return slot;
    if (keys_.size() >= vacant) throw error(errc::out_of_range, "a dmap holds at most 2^32 - 1 keys");
    if (2 * (keys_.size() + 1) > cells_.size()) grow();
    keys_.push_back(key);
    place(static_cast<std::uint32_t>(keys_.size() - 1));
    return keys_.size() - 1;
  }
  [[nodiscard]] std::uint64_t size() const override { return keys_.size(); }
  void write_keys(std::uint64_t first, writer& out) const override {
    out(keys_.size() - first);
    for (std::uint64_t slot = first; slot < keys_.size(); ++slot) operations<K>::write(&keys_[slot], 1, out);
  }
  std::vector<std::uint64_t> add_keys(reader& in) override {
    std::vector<std::uint64_t> slots;
    for (std::size_t n = in.count(1); n > 0; --n) {
      K key{};
      operations<K>::read(&key, 1, in);
      slots.push_back(add(key));
    }
    return slots;
  }
  [[nodiscard]] std::unique_ptr<key_index> fresh() const override {
    return std::make_unique<flat_key_index>();
  }
  void construct_entry(std::uint64_t slot, void* to) const override { new (to) map_entry<K, V>(keys_[slot]); }

 private:
  static constexpr std::uint32_t vacant = ~std::uint32_t{0};
  void place(std::uint32_t slot) {
    std::uint64_t at = spread_hash(keys_[slot]) & mask_;
    while (cells_[at] != vacant) at = (at + 1) & mask_;
    cells_[at] = slot;
  }
  void grow() {
    cells_.assign(cells_.empty() ? 16 : 2 * cells_.size(), vacant);
    mask_ = cells_.size() - 1;
    for (std::size_t slot = 0; slot < keys_.size(); ++slot) place(static_cast<std::uint32_t>(slot));
  }

  std::vector<std::uint32_t> cells_;
  // a vector of bool has no elements to refer to
  std::conditional_t<std::is_same_v<K, bool>, std::deque<K>, std::vector<K>> keys_;
  std::uint64_t mask_ = 0;
};

/// An entry travels as its value and whether it exists; its key is known wherever it goes.
template <class K, class V> struct entry_operations {
  using entry = map_entry<K, V>;
  static void construct(void*, std::size_t) {}  // entries are made by the key index, which knows their keys
  static void destroy(void* first, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) (static_cast<entry*>(first) + i)->~entry();
  }
  static void write(const void* first, std::size_t n, writer& out) {
    const auto* from = static_cast<const entry*>(first);
    for (std::size_t i = 0; i < n; ++i) {
      out(from[i].exists);
      operations<V>::write(&from[i].item.second, 1, out);
    }
  }
  static void read(void* first, std::size_t n, reader& in) {
    auto* to = static_cast<entry*>(first);
    for (std::size_t i = 0; i < n; ++i) {
      in(to[i].exists);
      operations<V>::read(&to[i].item.second, 1, in);
    }
  }
  static void copy(void* to, const void* from) { new (to) entry(*static_cast<const entry*>(from)); }
  static void assign(void* to, const void* from) {
    static_cast<entry*>(to)->item.second = static_cast<const entry*>(from)->item.second;
    static_cast<entry*>(to)->exists = static_cast<const entry*>(from)->exists;
  }
  static void merge(void* sum, const void* start, const void* end) {
    auto& total = *static_cast<entry*>(sum);
    const auto& changed = *static_cast<const entry*>(end);
    operations<V>::merge(&total.item.second, &static_cast<const entry*>(start)->item.second,
                         &changed.item.second);
    total.exists = total.exists || changed.exists;
  }
  static constexpr element_ops table{sizeof(entry), alignof(entry), false, &construct, &destroy,
                                     &write,        &read,          &copy, &assign,    &merge};
};

}  // namespace STRADSAP_BUILD
}  // namespace abi

inline namespace STRADSAP_BUILD {

/// A distributed map. K needs std::hash and ==; K and V must be serialisable.
/// References and iterators live until the next loop that uses the container.
template <class K, class V> class dmap {
  using entry = abi::map_entry<K, V>;
  using index = abi::flat_key_index<K, V>;

 public:
  using key_type = K;
  using mapped_type = V;
  using value_type = std::pair<const K, V>;

  template <class Entry, class Item> class basic_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::pair<const K, V>;
    using difference_type = std::ptrdiff_t;
    using pointer = Item*;
    using reference = Item&;
    basic_iterator() = default;
    basic_iterator(Entry* at, Entry* end) : at_(at), end_(end) { skip(); }
    Item& operator*() const { return at_->item; }
    Item* operator->() const { return &at_->item; }
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
    void skip() {
      while (at_ != end_ && !at_->exists) ++at_;
    }
    Entry* at_ = nullptr;
    Entry* end_ = nullptr;
  };
  using iterator = basic_iterator<entry, value_type>;
  using const_iterator = basic_iterator<const entry, const value_type>;

  dmap() { adopt(abi::create(ops(), make_keys())); }
  dmap(std::initializer_list<value_type> values) : dmap() {
    for (const value_type& value : values) insert(value);
  }
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

  /// The value of key, made and value-initialised if there is none; in loops too.
  V& operator[](abi::asked<K> key) {
    entry& found = make(abi::noted<K>(key));
    found.exists = true;
    return found.item.second;
  }
  /// The value of key. Throws error(errc::out_of_range) where there is none.
  V& at(abi::asked<K> key) { return require(lookup(abi::noted<K>(key), abi::access::write)).item.second; }
  const V& at(abi::asked<K> key) const {
    return require(lookup(abi::noted<K>(key), abi::access::read)).item.second;
  }
  [[nodiscard]] bool contains(abi::asked<K> key) const {
    const entry* found = lookup(abi::noted<K>(key), abi::access::read);
    return found != nullptr && found->exists;
  }
  [[nodiscard]] std::size_t count(abi::asked<K> key) const { return contains(key) ? 1 : 0; }
  iterator find(abi::asked<K> key) { return found<iterator>(lookup(abi::noted<K>(key), abi::access::write)); }
  const_iterator find(abi::asked<K> key) const {
    return found<const_iterator>(const_cast<const entry*>(lookup(abi::noted<K>(key), abi::access::read)));
  }
  /// Inserts the pair unless its key exists; true if it did not.
  std::pair<iterator, bool> insert(const value_type& value) {
    abi::forget_place();
    entry& place = make(value.first);
    const bool inserted = !place.exists;
    if (inserted) place.item.second = value.second;
    place.exists = true;
    return {found<iterator>(&place), inserted};
  }
  /// Takes the key out; the number of pairs taken. Driver only.
  std::size_t erase(abi::asked<K> key) {
    entry* gone = lookup(abi::noted<K>(key), abi::access::write);
    if (gone == nullptr || !gone->exists) return 0;
    gone->exists = false;
    gone->item.second = V();
    return 1;
  }
  void clear() {
    for (entry* at = first(abi::access::write); at != first(abi::access::write) + window_.size; ++at) {
      at->exists = false;
      at->item.second = V();
    }
  }

  /// Pairs that exist. On the driver; brings every entry there.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(std::distance(begin(), end())); }
  [[nodiscard]] bool empty() const { return begin() == end(); }
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

  void swap(dmap& other) noexcept {
    std::swap(window_, other.window_);
    std::swap(state_, other.state_);
    std::swap(keys_, other.keys_);
    if (state_ != nullptr) state_->attach(&window_);
    if (other.state_ != nullptr) other.state_->attach(&other.window_);
  }

  // ---- for generated code ----
  using element_type = entry;
  /// A view: reaches what `w` says and owns nothing.
  explicit dmap(const abi::window& w) { look_at(w); }
  void look_at(const abi::window& w) {
    window_ = w;
    keys_ = static_cast<index*>(w.keys);
    pending_ = static_cast<index*>(w.pending);
  }
  [[nodiscard]] abi::handle_target* state() const { return state_; }
  static constexpr const abi::element_ops& ops() { return abi::entry_operations<K, V>::table; }
  static std::unique_ptr<abi::key_index> make_keys() { return std::make_unique<index>(); }

 private:
  /// Slots of keys that are only pending are told apart by their top bit.
  static constexpr std::uint64_t pending_bit = std::uint64_t{1} << 63;

  entry& slot(std::uint64_t i, abi::access how) const {
    const std::uint64_t reach = how == abi::access::write ? window_.count : window_.readable;
    if (i - window_.lo < reach) [[likely]]
      return static_cast<entry*>(window_.base)[i];
    return *abi::made_from<entry>(window_.base, window_.source->element(i, how));
  }
  /// The entry of key; null where the key was never met. A reconnaissance notes even that.
  entry* lookup(const K& key, abi::access how) const {
    if (const std::uint64_t i = keys_->find(key); i != index::none) return &slot(i, how);
    if (pending_ == nullptr) return nullptr;
    return abi::made_from<entry>(window_.base, window_.source->element(pending_->add(key) | pending_bit, how));
  }
  entry& make(const K& key) {
    if (entry* old = lookup(key, abi::access::write)) return *old;
    if (!window_.may_insert) throw error(errc::access, "a dmap key that reconnaissance did not see");
    keys_->add(key);
    return *abi::made_from<entry>(window_.base, window_.source->add_entry());
  }
  static entry& require(entry* found) {
    if (found == nullptr || !found->exists) throw error(errc::out_of_range, "dmap::at: no such key");
    return *found;
  }
  template <class Iterator, class Entry> Iterator found(Entry* at) const {
    const bool hit = at != nullptr && at->exists;
    if (state_ == nullptr)
      return hit ? Iterator{at, at + 1} : Iterator{};  // in a body: to compare with end()
    entry* to = first(abi::access::read) + window_.size;
    return hit ? Iterator{at, to} : Iterator{to, to};
  }
  entry* first(abi::access how) const {
    if (state_ == nullptr) throw error(errc::unsupported, "a dmap cannot be iterated inside a loop body");
    return static_cast<entry*>(state_->all(how));
  }
  void adopt(abi::handle_target* made) {
    state_ = made;
    state_->attach(&window_);
    keys_ = static_cast<index*>(window_.keys);
  }

  abi::window window_;
  index* keys_ = nullptr;
  index* pending_ = nullptr;
  abi::handle_target* state_ = nullptr;
};

}  // namespace STRADSAP_BUILD
}  // namespace stradsap
