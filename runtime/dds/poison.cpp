#include "runtime/dds/poison.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "runtime/base/mutex.hpp"

// The sanitizer's interface: null if the program is linked without it, however this library was compiled.
extern "C" {
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* first, std::size_t size);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* first, std::size_t size);
[[gnu::weak]] void __asan_set_error_report_callback(void (*explain)(const char* report));
[[gnu::weak]] void* __asan_get_report_address();
}

namespace stradsap::rt::poison {

namespace {

/// Bytes [begin, end), in whole units of the shadow.
struct extent {
  static constexpr std::uintptr_t unit = 8;

  std::uintptr_t begin;
  std::uintptr_t end;

  static extent of(const void* first, std::size_t size) {
    const auto at = reinterpret_cast<std::uintptr_t>(first);
    return {at / unit * unit, (at + size + unit - 1) / unit * unit};
  }
  [[nodiscard]] bool meets(const extent& other) const { return begin < other.end && other.begin < end; }
  [[nodiscard]] const void* first() const { return reinterpret_cast<const void*>(begin); }
  [[nodiscard]] std::size_t size() const { return end - begin; }
  bool operator==(const extent&) const = default;
};

/// Only the beginning of an iteration poisons. Until then, the bytes that ended iterations and moves leave
/// open are holes. So no byte is poisoned while its iteration or its move goes on.
class shadow {
 public:
  void add(const extent& region) {
    const lock_guard hold(mutex_);
    regions_[region.begin] = region.end;
    if (users_ > 0) holes_.push_back(region);
  }
  void remove(const extent& region) {
    const lock_guard hold(mutex_);
    regions_.erase(region.begin);
    std::erase_if(holes_, [&](const extent& hole) { return hole.meets(region); });
    __asan_unpoison_memory_region(region.first(), region.size());
  }

  void enter() {
    const lock_guard hold(mutex_);
    if (users_++ > 0) return;
    for (const auto& [begin, end] : regions_) holes_.push_back({begin, end});
  }
  void leave() {
    const lock_guard hold(mutex_);
    if (--users_ > 0) return;
    holes_.clear();
    for (const auto& [begin, end] : regions_) {
      const extent region{begin, end};
      __asan_unpoison_memory_region(region.first(), region.size());
    }
  }

  void begin_move(const extent& bytes) {
    const lock_guard hold(mutex_);
    moves_.push_back(bytes);
    if (users_ > 0 && is_in_region(bytes)) __asan_unpoison_memory_region(bytes.first(), bytes.size());
  }
  void end_move(const extent& bytes) {
    const lock_guard hold(mutex_);
    moves_.erase(std::find(moves_.begin(), moves_.end(), bytes));
    note_hole(bytes);
  }

  void close_holes() {
    const lock_guard hold(mutex_);
    const auto stays = [&](const extent& hole) REQUIRES(mutex_) {
      return std::any_of(moves_.begin(), moves_.end(), [&](const extent& one) { return one.meets(hole); });
    };
    const auto kept = std::partition(holes_.begin(), holes_.end(), stays);
    std::for_each(kept, holes_.end(),
                  [](const extent& hole) { __asan_poison_memory_region(hole.first(), hole.size()); });
    holes_.erase(kept, holes_.end());
  }
  void open_hole(const void* first, std::size_t size) {
    const lock_guard hold(mutex_);
    if (!note_hole(extent::of(first, size))) return;
    __asan_unpoison_memory_region(first, size);
  }

 private:
  /// Other bytes are never poisoned: copies that an executor has on the heap.
  [[nodiscard]] bool is_in_region(const extent& bytes) REQUIRES(mutex_) {
    const auto next = regions_.upper_bound(bytes.begin);
    return next != regions_.begin() && std::prev(next)->second >= bytes.end;
  }
  bool note_hole(const extent& hole) REQUIRES(mutex_) {
    if (users_ == 0 || !is_in_region(hole)) return false;
    holes_.push_back(hole);
    return true;
  }

  mutex mutex_;
  int users_ GUARDED_BY(mutex_) = 0;
  std::map<std::uintptr_t, std::uintptr_t> regions_ GUARDED_BY(mutex_);  // begin and end
  std::vector<extent> holes_ GUARDED_BY(mutex_);
  std::vector<extent> moves_ GUARDED_BY(mutex_);  // in progress
};

/// Never destroyed: containers may outlive all other objects of the program.
shadow& of_process() {
  static auto& one = *new shadow;
  return one;
}

std::mutex& turns() {
  static auto& one = *new std::mutex;
  return one;
}

}  // namespace

bool is_possible() { return __asan_poison_memory_region != nullptr; }

void region::cover(const std::byte* first, std::size_t size) {
  if (!is_possible() || (first == first_ && size == size_)) return;
  if (size_ != 0) of_process().remove(extent::of(first_, size_));
  first_ = first;
  size_ = size;
  if (size_ != 0) of_process().add(extent::of(first_, size_));
}

opened::opened(const std::byte* first, std::size_t size) : first_(first), size_(size) {
  if (is_possible()) of_process().begin_move(extent::of(first_, size_));
}

opened::~opened() {
  if (is_possible()) of_process().end_move(extent::of(first_, size_));
}

running_bodies::running_bodies(bool checked) : counts_(checked && is_possible()) {
  if (counts_) of_process().enter();
}

running_bodies::~running_bodies() {
  if (counts_) of_process().leave();
}

void iteration::begin() {
  if (!is_possible()) return;
  end();
  turn_ = std::unique_lock(turns());
  of_process().close_holes();
}

void iteration::allow(const void* first, std::size_t size) {
  if (is_possible()) of_process().open_hole(first, size);
}

void iteration::end() {
  if (turn_.owns_lock()) turn_.unlock();
}

void explain_by(void (*explain)(const char* report)) {
  if (__asan_set_error_report_callback != nullptr) __asan_set_error_report_callback(explain);
}

const std::byte* stray_address() { return static_cast<const std::byte*>(__asan_get_report_address()); }

}  // namespace stradsap::rt::poison
