// Structs and classes with containers among their members, and `this`. Each member that the body uses is a
// capture of its own. An executor has an object of the class for the body, in memory of its own: views are at
// the places of containers, values at those of other members. No constructor of the class runs, and members
// that the body does not use have no value.
//
//   user:    parallel_for(n, [&](int64_t i) { s += X.value[i] * X.scale; }, async)
//   emitted: parallel_for(n, stradsap_loop<ID, FLAGS>("f.cpp:9", [](decltype(s)& s, decltype(X)& X,
//                stradsap_further) { return [&](int64_t i) { ... }; },
//                stradsap_reduction<stradsap_sum, "s">(s),
//                stradsap_part<0, 1>(X, stradsap_container<1, "X.value">(X.value),
//                    [](auto& stradsap_object) -> auto& { return stradsap_object.value; }),
//                stradsap_part<0, 0>(X, stradsap_value<0>(X.scale), ...)), async)
//
// Thread rule: captures belong to the driver's thread; an object to the executor that made it.
#pragma once

#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <stradsap/abi/capture.hpp>

namespace stradsap::abi {

/// The factory's argument for the second and further members of an object: the first brings the object.
struct further_member {};
using stradsap_further = const further_member&;
inline further_member further_member_;

/// Memory for an executor's object number N.
template <std::size_t N_, class Object_> struct object_memory {
  object_memory() {}  // the bytes have no values
  alignas(Object_) std::byte bytes[sizeof(Object_)];
};

/// An executor's part for one member: that of its capture, at the member's place in the object. Both lie in
/// the locals of the loop; a reference to the object would keep the optimiser from seeing that.
template <class Copies_, std::size_t I_, class Capture_>
class member_local : public Capture_::captured::template placed<member_local<Copies_, I_, Capture_>> {
  using base = typename Capture_::captured::template placed<member_local>;
  using object = typename Capture_::object_type;

 public:
  using base::base;
  auto& get() {
    if constexpr (Capture_::is_first) {
      return static_cast<object&>(memory());
    } else {
      return further_member_;
    }
  }
  auto& place() { return without_const(typename Capture_::place_type{}(memory())); }

 private:
  std::remove_const_t<object>& memory() {
    auto& own = reinterpret_cast<part<I_, member_local>&>(*this);  // the only member of a part
    auto& all = static_cast<typename Copies_::locals&>(own);
    object_memory<Capture_::number, object>& found = all;
    return reinterpret_cast<std::remove_const_t<object>&>(found.bytes);
  }
  template <class Member_> static Member_& without_const(const Member_& member) {
    return const_cast<Member_&>(member);
  }
};

/// A member of a captured object.
template <std::size_t N_, unsigned First_, class Object_, class Captured_, class Place_>
struct member_capture {
  using captured = Captured_;
  using object_type = Object_;
  using place_type = Place_;
  static constexpr std::size_t number = N_;
  static constexpr bool is_first = First_ != 0;
  template <class Copies_, std::size_t I_> using local_in = member_local<Copies_, I_, member_capture>;
  using memory = std::conditional_t<First_ != 0, object_memory<N_, Object_>, no_memory>;
  static constexpr capture_info info = Captured_::info;
  static constexpr bool is_scattered = Captured_::is_scattered;
  static constexpr bool has_long_elements = Captured_::has_long_elements;
  static constexpr bool has_long_sums = Captured_::has_long_sums;
  static constexpr bool is_of_small_elements = Captured_::is_of_small_elements;
  Object_& object;
  Captured_ member;

  auto& original() const {
    if constexpr (is_first) {
      return object;
    } else {
      return further_member_;
    }
  }
  void put_addresses(const void**& to) const { member.put_addresses(to); }
};

template <std::size_t N_, unsigned First_, class Object_, class Capture_, class Place_>
member_capture<N_, First_, Object_, Capture_, Place_> stradsap_part(Object_& object, const Capture_& member,
                                                                    Place_) {
  return {object, member};
}

/// A factory that itself captures `this`. Its only content is that pointer, so it is made from the address of
/// the object of the executor.
template <class Factory_> struct factory_of_this {
  template <class Object_, class... Argument_>
  auto operator()(Object_& object, Argument_&... arguments) const {
    return std::bit_cast<Factory_>(&object)(arguments...);
  }
};
template <class Factory_> factory_of_this<Factory_> stradsap_of_this(const Factory_&) { return {}; }

}  // namespace stradsap::abi
