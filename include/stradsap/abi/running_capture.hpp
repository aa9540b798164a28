// Captured numbers of type stradsap::running: reductions that a call need not wait for. A part is a running
// number too, since the body names it by this type. Thread rule: as reduction_capture.hpp.
#pragma once

#include <new>

#include <stradsap/abi/capture.hpp>
#include <stradsap/abi/reduction_capture.hpp>
#include <stradsap/running.hpp>

#ifndef STRADSAP_ANALYSIS

namespace stradsap::abi {

/// The part itself, in the local part of the capture.
template <class Number_> class own_running {
 public:
  explicit own_running(const void*) {}

 protected:
  Number_& part() { return running_access::value_of(part_); }
  running<Number_>& named() { return part_; }

 private:
  running<Number_> part_;
};
/// The same at the place that the derived class knows; see captured_struct.hpp.
template <class Number_, class Derived_> class placed_running {
 public:
  explicit placed_running(const void*) { new (&named()) running<Number_>(); }

 protected:
  Number_& part() { return running_access::value_of(named()); }
  running<Number_>& named() { return static_cast<Derived_&>(*this).place(); }
};

/// See reduction_capture.
template <class Each_, name_text Name_, class Number_> struct running_capture {
  using plain = reduction_capture<Each_, Name_, Number_>;
  using local = reduction_local<Each_, Number_, own_running<Number_>>;
  template <class Derived_> using placed = reduction_local<Each_, Number_, placed_running<Number_, Derived_>>;
  running<Number_>& into;

  static abi::open_calls** calls_of(void* value) { return &running_access::open_calls_of<Number_>(value); }
  static constexpr capture_info info{.kind = capture_kind::reduction,
                                     .mode = plain::mode,
                                     .name = Name_.characters,
                                     .size = sizeof(Number_),
                                     .combine = &plain::combine,
                                     .calls_of = &calls_of};
  static constexpr bool is_scattered = false;
  static constexpr bool has_long_elements = false;
  static constexpr bool is_of_small_elements = true;
  static constexpr bool has_long_sums = false;
  running<Number_>& original() const { return into; }
  void put_addresses(const void**& to) const { *to++ = &running_access::value_of(into); }
  static running_capture again(running<Number_>& into) { return {into}; }
};

template <class Op_, name_text Name_ = "", class Number_>
running_capture<whole<Op_>, Name_, Number_> stradsap_reduction(running<Number_>& into) {
  return {into};
}

}  // namespace stradsap::abi

#endif
