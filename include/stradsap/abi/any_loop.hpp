// A loop without the types of its captures, for the loop operators. A debugger prints the template arguments
// of each function on the stack; these types would fill the screen.
// Thread rule: the driver's thread.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include <stradsap/abi/abi.hpp>
#include <stradsap/abi/build.hpp>

namespace stradsap::abi {

class any_loop {
 public:
  /// `dynamic`: the scheduler, or null.
  void launch(const char* label, std::int64_t n_, const ConsistencyModel& model,
              const schedule::dynamic_schedule* dynamic = nullptr) const {
    check_count_(n_, site_);
    // of this launch: several threads may start one body
    const void* few_captures[most_few_ + 1];
    const bool has_few = num_captures_ <= most_few_;
    const std::unique_ptr<const void*[]> more_captures(has_few ? nullptr
                                                               : new const void*[num_captures_ + 1]);
    const void** const captured = has_few ? few_captures : more_captures.get();
    const loop_entry& entry = resolve_(*this, captured);
    abi::launch({entry, site_, label, n_, model, dynamic, captured});
  }

  /// FILE:LINE.
  [[nodiscard]] const char* site() const { return site_; }

 protected:
  /// The loop's entry. Stores the addresses of the captured variables.
  using resolver = const loop_entry& (*)(const any_loop&, const void** captured);

  any_loop(const char* site, void (*check_count)(std::int64_t n_, const char* site), std::size_t num_captures,
           resolver resolve)
      : site_(site), check_count_(check_count), num_captures_(num_captures), resolve_(resolve) {}
  ~any_loop() = default;
  any_loop(const any_loop&) = default;
  any_loop& operator=(const any_loop&) = delete;

 private:
  static constexpr std::size_t most_few_ = 31;  // captures without an allocation

  const char* site_;
  void (*check_count_)(std::int64_t n_, const char* site);
  std::size_t num_captures_;
  resolver resolve_;
};

/// A body that a loop operator takes by its own type: not an any_loop.
template <class Body_>
concept typed_body = !std::is_base_of_v<any_loop, Body_>;

/// Whether the loop operators run a body of its own type: in a plain build.
template <class Body_> inline constexpr bool runs_plainly = this_build == build::seq;

/// False for every body, in the overloads of parallel_for that take no model.
template <class Body_> inline constexpr bool names_model = false;

}  // namespace stradsap::abi
