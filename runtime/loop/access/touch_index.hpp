// The touches of the running iteration, with the place of each. The next iteration empties the index without
// clearing its memory. Thread rule: one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stradsap::rt {

class touch_index {
 public:
  /// Forgets all keys.
  void empty() {
    ++stamp_;
    size_ = 0;
    if (stamp_ == 0) {
      std::fill(entries_.begin(), entries_.end(), entry{});
      stamp_ = 1;
    }
  }

  /// The place under which `key` is kept; `place` from now on if it is new.
  std::uint32_t add(std::uint64_t key, std::uint32_t place) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    entry& e = find(key);
    if (e.stamp == stamp_) return e.place;
    e = {key, place, stamp_};
    ++size_;
    return place;
  }
  [[nodiscard]] bool has(std::uint64_t key) const {
    return size_ != 0 && entries_[place_of(key)].stamp == stamp_;
  }

 private:
  struct entry {
    std::uint64_t key = 0;
    std::uint32_t place = 0;
    std::uint32_t stamp = 0;
  };

  entry& find(std::uint64_t key) { return entries_[place_of(key)]; }

  /// Where the key is, or would be.
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = (key * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (entries_[at].stamp == stamp_ && entries_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<entry> old(std::max<std::size_t>(64, 2 * entries_.size()));
    old.swap(entries_);
    for (const entry& e : old) {
      if (e.stamp == stamp_) find(e.key) = e;
    }
  }

  std::vector<entry> entries_;
  std::size_t size_ = 0;
  std::uint32_t stamp_ = 1;
};

}  // namespace stradsap::rt
