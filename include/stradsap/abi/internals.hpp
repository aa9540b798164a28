// The one friend of the containers and of random_stream: members that only generated code, the runtime and
// its tests use are private, and reached through it. Not for users.
// Thread rule: that of the object.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <stradsap/abi/abi.hpp>
#include <stradsap/abi/build.hpp>

namespace stradsap::abi {

struct internals {
  // ---- a view in a loop body; it owns nothing ----

  /// A view of the elements in `w`.
  template <class C_> static C_ view(const window& w_) { return C_(w_); }
  template <class C_> static void look_at(C_& view, const window& w_) { view.look_at(w_); }
  /// Of a dvector: the view of one iteration of an aligned loop. Element i is at `element` if it is
  /// `in_reach`; the window holds no other element.
  template <class C_> static void rebase(C_& view, std::uint64_t i_, std::byte* element, bool in_reach) {
    view.rebase(i_, element, in_reach);
  }
  /// Whether views follow iterations, by the next two functions.
  template <class C_> static constexpr bool follows = C_::is_follower;
  /// Begins a block; `touched` has the elements of its iterations.
  template <class C_> static void follow(C_& view, const element_column& touched) { view.follow(touched); }
  /// Begins the block's iteration number k, with loop index j.
  template <class C_> static void begin_iteration(C_& view, std::uint64_t k_, std::int64_t j_) {
    view.begin_iteration(k_, j_);
  }

  /// Whether an inner loop's accesses to the view can be checked before the loop, by the next function.
  template <class C_>
  static constexpr bool hoists = this_build != build::checked && requires(C_& one) { one.held(0u, 0u); };
  /// The address of element `first` if the view has the n elements from there on without a call, else null.
  /// Throws if one of them does not exist, where the view knows.
  template <class C_> static auto* held(C_& view, std::uint64_t first, std::uint64_t n_) {
    return view.held(first, n_);
  }
  /// The same for n elements of which each is `step` behind the one before it; n is at least 1.
  template <class C_>
  static auto* held_in_steps(C_& view, std::uint64_t first, std::uint64_t n_, std::int64_t step) {
    return view.held_in_steps(first, n_, step);
  }

  /// Whether the driver opens handles of this type before loops over elements.
  template <class C_>
  static constexpr bool opens = requires(const C_& one) { one.open_handle(access::read); };
  /// Opens a handle, if it is one of the driver and small enough to be fetched whole.
  template <class C_> [[__gnu__::__always_inline__]] static void open_handle(const C_& one, access how) {
    one.open_handle(how);
  }

  /// Whether it is a view, not a handle of the driver.
  template <class C_> static bool is_view(const C_& one) { return one.window_.open == opening::view; }

  /// Whether the view has these elements without a call. Never throws.
  template <class C_> static bool holds(C_& view, std::uint64_t first, std::uint64_t n_) {
    return view.window_.has_rounds(held_by(view), first, n_);
  }
  template <class C_>
  static bool holds_in_steps(C_& view, std::uint64_t first, std::uint64_t n_, std::int64_t step) {
    return view.window_.has_steps(held_by(view), first, n_, step);
  }
  template <class C_> static std::uint64_t held_by(C_& view) {
    return std::is_const_v<C_> ? view.window_.readable : view.window_.count;
  }

  /// The address of element 0 if the values of `from` are subscripts of elements that `view` has at their own
  /// places, else null. Never throws.
  template <class C_, class From_> static auto* spanned(C_& view, const From_& from) {
    return view.spanned(from.values());
  }

  // ---- a container ----

  template <class C_> using element = typename C_::element_type;
  template <class C_> static handle_target* state(const C_& one) { return one.state(); }
  /// The state, to tell containers apart; null in a program that stradsap-cc did not compile.
  template <class C_> static const handle_target* identity(const C_& one) {
    if constexpr (this_build == build::seq) {
      return nullptr;
    } else {
      return one.state();
    }
  }
  template <class C_> static constexpr const element_ops& ops() { return C_::ops(); }
  /// Whether it is a map. No comparison with null: that of a function is no constant to the undefined
  /// behaviour sanitizer of g++.
  template <class C_> static constexpr bool has_keys = std::is_function_v<decltype(C_::make_keys)>;
  /// Makes the index of a map; null for a dvector.
  template <class C_> static constexpr std::unique_ptr<key_index> (*make_keys())() { return C_::make_keys; }
  /// The fold of elements that a body only adds into, by Op; null if there is none.
  template <class C_, class Op_> static constexpr const accumulation* added_by() {
    return C_::template added_by<Op_>();
  }

  // ---- a dmap, as the dmultimap over it uses it ----

  /// The value of key, made if the key is new.
  template <class C_, class K_> static auto& reach(C_& map, const K_& key) { return map.reach(key); }
  /// The value of key; null if there is none.
  template <class C_, class K_> static const auto* seek(const C_& map, const K_& key) {
    return map.seek(key);
  }
  /// Whether a reconnaissance uses the view: then writes are dropped.
  template <class C_> static bool only_records(const C_& map) { return map.window_.only_records; }

  // ---- random numbers ----

  /// The stream `index` of a launch.
  template <class Stream_> static constexpr Stream_ stream(const launch_key& launch, std::uint64_t index) {
    return Stream_(launch, index);
  }
};

}  // namespace stradsap::abi
