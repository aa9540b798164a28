// A loop without the types of its captures, for the loop operators. A debugger prints the template arguments
// of each function on the stack; these types would fill the screen.
// Thread rule: the driver's thread.
#pragma once

#include <type_traits>

#include <stradsap/abi/abi.hpp>

namespace stradsap::abi {

class any_loop {
 public:
  void launch(const char* label, std::int64_t n_, const ConsistencyModel& model) const {
    check_count_(n_);
    abi::launch({entry_, site_, label, n_, model, captured_(*this)});
  }

 protected:
  /// `captured` returns the addresses of the captured variables.
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

/// A body that a loop operator takes by its own type: not an any_loop.
template <class Body_>
concept typed_body = !std::is_base_of_v<any_loop, Body_>;

/// False for every body, in the overloads of parallel_for that take no model.
template <class Body_> inline constexpr bool names_model = false;

}  // namespace stradsap::abi
