// Reconnaissance by an inspector that names elements without reading them: views append element numbers to a
// log. For generated code and the headers of this folder; not for users.
// Thread rule: one thread, the recorder's.
#pragma once

#include <cstdint>

namespace stradsap::abi {

/// The touches of an inspector, iteration by iteration. Views append without a call, because planning runs
/// through all iterations of a loop.
struct touch_log {
  /// The owner of the log. make_room() and take() empty it or extend it.
  class keeper {
   public:
    virtual void make_room() = 0;
    virtual void take() = 0;
    /// Elements were requested that are not whole units of a listing; makes its unit smaller.
    virtual void divide(std::uint64_t tag, std::uint64_t first, std::uint64_t n_) = 0;
    /// The iteration ends: names the open runs of all listings.
    virtual void close_runs() = 0;

   protected:
    ~keeper() = default;
  };

  std::uint64_t* next = nullptr;  // next touch
  std::uint64_t* end = nullptr;
  const std::uint64_t* first = nullptr;
  std::uint32_t* next_iteration = nullptr;  // end of the touches of each iteration
  std::uint32_t* last_iteration = nullptr;
  keeper* owner = nullptr;

  void add(std::uint64_t touch) {
    if (next == end) owner->make_room();
    *next++ = touch;
  }
  void end_iteration() {
    owner->close_runs();
    *next_iteration++ = static_cast<std::uint32_t>(next - first);
    if (next_iteration == last_iteration) owner->take();
  }
};

/// One container with elements that are only named. Elements that an iteration names one after the other, as
/// w[i * k], w[i * k + 1], ..., become one range: a row. A few ranges stay open at a time, since a body often
/// walks along several rows at once.
struct listing {
  touch_log* log = nullptr;
  std::uint64_t size = 0;   // of the container; a slice may name elements beyond it
  std::uint64_t tag = 0;    // added to an element's number, makes it a touch
  void* element = nullptr;  // element 0, which nobody reads
  /// Contiguous elements that are named by their first one, as long as every request asks for whole units; 0
  /// before the first request.
  std::uint64_t unit = 1;
  /// Bytes from one element to the next, for inspectors that compare addresses; 0 if one address stands for
  /// all.
  std::uint64_t step = 0;
  struct run {
    std::uint64_t first;
    std::uint64_t size;
  };
  static constexpr unsigned most_runs = 8;
  run runs[most_runs] = {};
  unsigned num_runs = 0;  // open ones
  unsigned oldest = 0;
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint64_t last = none;  // named by this iteration, in units of 1

  /// The address of an element, or of a place beyond the last one. Not by a pointer's sum: a slice may name
  /// any place.
  [[nodiscard]] void* address(std::uint64_t i_) const {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(element) + i_ * step);
  }
  void* name(std::uint64_t i_) {
    if (i_ >= size) return address(i_);
    if (unit == 1) {
      if (i_ != last) log->add(tag | i_);
      last = i_;
    } else {
      name_in_run(i_);
    }
    return address(i_);
  }
  void* name(std::uint64_t first, std::uint64_t n_) {
    if (n_ == 0 || first >= size) return address(first);
    if (n_ == unit && n_ <= size - first && first % unit == 0) {  // a row; nearly always
      log->add(tag | first);
      return address(first);
    }
    const std::uint64_t end = first + (n_ < size - first ? n_ : size - first);
    if (unit == 0 || first % unit != 0 || (end - first) % unit != 0)
      log->owner->divide(tag, first, end - first);
    for (std::uint64_t i_ = first; i_ < end; i_ += unit) log->add(tag | i_);
    return address(first);
  }
  /// Forgets the running iteration.
  void drop_runs() {
    num_runs = oldest = 0;
    last = none;
  }
  void close_runs() {
    const unsigned closed = num_runs;
    drop_runs();  // first, because naming may throw
    for (unsigned r_ = 0; r_ < closed; ++r_) (void)name(runs[r_].first, runs[r_].size);
  }

 private:
  void name_in_run(std::uint64_t i_) {
    for (unsigned r_ = 0; r_ < num_runs; ++r_) {
      const std::uint64_t at = i_ - runs[r_].first;
      if (at > runs[r_].size) continue;
      runs[r_].size += at == runs[r_].size;
      return;
    }
    if (num_runs < most_runs) {
      runs[num_runs++] = {i_, 1};
      return;
    }
    const run closed = runs[oldest];
    runs[oldest] = {i_, 1};
    oldest = (oldest + 1) % most_runs;
    (void)name(closed.first, closed.size);
  }
};

}  // namespace stradsap::abi
