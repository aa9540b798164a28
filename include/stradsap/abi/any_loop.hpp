// A loop without the types of its captures, for the loop operators. A debugger prints the template arguments
// of each function on the stack; these types would fill the screen.
// Thread rule: the driver's thread.
#pragma once

#include <type_traits>

#include <stradsap/abi/abi.hpp>
#include <stradsap/abi/build.hpp>

namespace stradsap::abi {

/// A loop's entry, and the addresses of the captured variables.
struct resolved_loop {
  const loop_entry& entry;
  const void* const* captured;
};

class any_loop {
 public:
  void launch(const char* label, std::int64_t n_, const ConsistencyModel& model) const {
    check_count_(n_);
    const resolved_loop now = resolve_(*this);
    abi::launch({now.entry, site_, label, n_, model, now.captured});
  }

 protected:
  any_loop(const char* site, void (*check_count)(std::int64_t n_), resolved_loop (*resolve)(const any_loop&))
      : site_(site), check_count_(check_count), resolve_(resolve) {}
  ~any_loop() = default;
  any_loop(const any_loop&) = default;
  any_loop& operator=(const any_loop&) = delete;

 private:
  const char* site_;
  void (*check_count_)(std::int64_t n_);
  resolved_loop (*resolve_)(const any_loop&);
};

/// A body that a loop operator takes by its own type: not an any_loop.
template <class Body_>
concept typed_body = !std::is_base_of_v<any_loop, Body_>;

/// Whether the loop operators run a body of its own type: in a plain build.
template <class Body_> inline constexpr bool runs_plainly = this_build == build::seq;

/// False for every body, in the overloads of parallel_for that take no model.
template <class Body_> inline constexpr bool names_model = false;

}  // namespace stradsap::abi
