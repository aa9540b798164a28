// Reconnaissance where an inspector names elements and never looks at them: views write down their numbers.
// For generated code and the headers of this folder; not for users. Thread rule: one thread, a recorder's.
#pragma once

#include <cstdint>

namespace stradsap::abi {

/// What an inspector names, iteration by iteration, where nobody looks at the elements: without a call for
/// each, since planning runs through all iterations of a loop.
struct touch_log {
  /// Empties the log, or makes room in it.
  class keeper {
   public:
    virtual void make_room() = 0;
    virtual void take() = 0;
    /// A question for elements that are no whole units of a listing's: those become smaller.
    virtual void divide(std::uint64_t tag, std::uint64_t first, std::uint64_t n_) = 0;

   protected:
    ~keeper() = default;
  };

  std::uint64_t* next = nullptr;  // of the touches
  std::uint64_t* end = nullptr;
  const std::uint64_t* first = nullptr;
  std::uint32_t* next_iteration = nullptr;  // where its touches end
  std::uint32_t* last_iteration = nullptr;
  keeper* owner = nullptr;

  void add(std::uint64_t touch) {
    if (next == end) owner->make_room();
    *next++ = touch;
  }
  void end_iteration() {
    *next_iteration++ = static_cast<std::uint32_t>(next - first);
    if (next_iteration == last_iteration) owner->take();
  }
};

/// One container whose elements are only named.
struct listing {
  touch_log* log = nullptr;
  std::uint64_t size = 0;   // of the container: a slice may name what the body would not touch
  std::uint64_t tag = 0;    // what makes an element's number a touch
  void* element = nullptr;  // stands for all of them
  /// So many elements side by side are named by the first of them, as long as all are asked for together; 0
  /// before any are.
  std::uint64_t unit = 1;

  void* name(std::uint64_t i_) const {
    if (i_ >= size) return element;
    if (unit != 1) log->owner->divide(tag, i_, 1);
    log->add(tag | i_);
    return element;
  }
  void* name(std::uint64_t first, std::uint64_t n_) const {
    if (n_ == 0 || first >= size) return element;
    if (n_ == unit && n_ <= size - first && first % unit == 0) {  // a row, as nearly always
      log->add(tag | first);
      return element;
    }
    const std::uint64_t end = first + (n_ < size - first ? n_ : size - first);
    if (unit == 0 || first % unit != 0 || (end - first) % unit != 0)
      log->owner->divide(tag, first, end - first);
    for (std::uint64_t i_ = first; i_ < end; i_ += unit) log->add(tag | i_);
    return element;
  }
};

}  // namespace stradsap::abi
