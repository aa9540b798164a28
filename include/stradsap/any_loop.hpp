// A loop as the loop operators pass it on: without the types of its captures, all of which a debugger would
// print for each function on the stack that has them as template arguments.
// Thread rule: the driver's thread.
#pragma once

#include <type_traits>

#include <stradsap/abi.hpp>

namespace stradsap::abi {

class any_loop {
 public:
  void launch(const char* label, std::int64_t n_, const ConsistencyModel& model) const {
    check_count_(n_);
    abi::launch({entry_, site_, label, n_, model, captured_(*this)});
  }

 protected:
  /// `captured` says where each captured variable is.
  any_loop(const char* site, const loop_entry& entry, void (*check_count)(std::int64_t n_),
           const void* const* (*captured)(const any_loop&))
      : site_(site), entry_(entry), check_count_(check_count), captured_(captured) {}
  ~any_loop() = default;
  any_loop(const any_loop&) = default;
  any_loop& operator=(const any_loop&) = delete;

 private:
  const char* site_;
  const loop_entry& entry_;
  void (*check_count_)(std::int64_t n_);
  const void* const* (*captured_)(const any_loop&);
};

#undef STRADSAP_FRAME

/// A body that a loop operator takes by its own type: it is none of any_loop's.
template <class Body_>
concept typed_body = !std::is_base_of_v<any_loop, Body_>;

}  // namespace stradsap::abi
