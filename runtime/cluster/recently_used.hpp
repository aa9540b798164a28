// A store of limited size for values that later calls need, found by a hash. Thread rule: one thread at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <unordered_map>
#include <utility>

namespace stradsap::rt {

/// If it is full, a new value takes the place of those with the oldest last use. But values that find() has
/// given lately stay: if more loops than fit take turns, they would drop each other before the next turn.
template <class Value> class recently_used {
 public:
  recently_used(std::size_t values, std::size_t size_bytes) : most_values_(values), most_bytes_(size_bytes) {}

  /// The value, or null. Valid until it is erased, or another one is added.
  [[nodiscard]] Value* find(std::uint64_t key) {
    ++finds_;
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    found->second->last_find = finds_;
    kept_.splice(kept_.begin(), kept_, found->second);
    return &found->second->value;
  }
  /// Keeps a value instead of the one that the key had. Returns its place. If there is no room, returns null
  /// and leaves `value` as it was.
  Value* add(std::uint64_t key, Value&& value, std::size_t size_bytes) {
    erase(key);
    is_full_ = !make_room(size_bytes);
    if (is_full_) return nullptr;
    kept_.push_front({key, std::move(value), size_bytes, finds_});
    by_key_.emplace(key, kept_.begin());
    bytes_ += size_bytes;
    return &kept_.front().value;
  }
  /// Whether it pays to make a new value: not if there is surely no room.
  [[nodiscard]] bool may_have_room() const {
    return kept_.empty() || is_old(kept_.back()) || (!is_full_ && kept_.size() < most_values_);
  }
  void erase(std::uint64_t key) {
    const auto found = by_key_.find(key);
    if (found != by_key_.end()) drop(found->second);
  }
  [[nodiscard]] std::size_t size() const { return kept_.size(); }
  [[nodiscard]] std::size_t size_bytes() const { return bytes_; }

 private:
  struct kept {
    std::uint64_t key;
    Value value;
    std::size_t bytes;
    std::uint64_t last_find;
  };

  [[nodiscard]] bool is_old(const kept& one) const {
    const std::uint64_t lately = 4 * most_values_;  // calls of find()
    return finds_ - one.last_find > lately;
  }
  [[nodiscard]] bool make_room(std::size_t size_bytes) {
    if (size_bytes > most_bytes_) return false;
    while (kept_.size() >= most_values_ || size_bytes > most_bytes_ - bytes_) {
      if (!is_old(kept_.back())) return false;
      drop(std::prev(kept_.end()));
    }
    return true;
  }
  void drop(typename std::list<kept>::iterator which) {
    is_full_ = false;
    bytes_ -= which->bytes;
    by_key_.erase(which->key);
    kept_.erase(which);
  }

  const std::size_t most_values_;
  const std::size_t most_bytes_;
  std::uint64_t finds_ = 0;
  std::size_t bytes_ = 0;
  bool is_full_ = false;  // the last new value found no room
  std::list<kept> kept_;  // the latest use first
  std::unordered_map<std::uint64_t, typename std::list<kept>::iterator> by_key_;
};

}  // namespace stradsap::rt
