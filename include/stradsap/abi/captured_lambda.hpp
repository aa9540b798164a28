// Loops that capture lambdas with captures of their own. Every process reconstructs such a lambda, so its
// captures become captures of the loop.
//
//   user:    auto loss = [&w](int i) { ... };
//            parallel_for(n, [&](int64_t j) { out[j] = loss(j); }, async);
//   emitted: auto loss = stradsap_closure([](decltype(w)& w) { return [&w](int i) { ... }; },
//                stradsap_container<1, "w">(w));
//            parallel_for(n, stradsap_loop_calling<ID, FLAGS>("f.cpp:9",
//                [](decltype(out)& out, decltype(loss)& loss) { return [&](int64_t j) { ... }; },
//                stradsap_container<6, "out">(out), stradsap_callable<0>(loss)), async);
//
// Thread rule: that of loop bodies.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stradsap/abi/closure.hpp>
#include <stradsap/abi/container_capture.hpp>
#include <stradsap/abi/value_capture.hpp>

namespace stradsap::abi {

/// The capture of a closure, which stands for the captures that the closure was made from.
template <class T_, class From_> struct closure_capture {
  static constexpr bool is_moved = std::is_same_v<From_, moved_value<T_>>;
  From_ from;
  mutable std::conditional_t<is_moved, std::optional<T_>, no_copy> copy = {};

  /// The argument of a factory, which may move from it.
  T_& original() const {
    if constexpr (is_moved) {
      return copy.emplace(from.value);
    } else {
      return const_cast<T_&>(from.value);
    }
  }
  /// The driver's variable; see value_capture.
  T_& taken() const {
    if constexpr (is_moved) {
      if (from.variable != nullptr) return *from.variable;
    }
    return original();
  }
  void put_addresses(const void**& to) const { from.value.put_addresses(to); }
};

/// The capture of an object that is either a closure or a value.
template <unsigned Mode_, name_text Name_ = "", class T_> auto stradsap_callable(const T_& from) {
  if constexpr (reconstructible<T_>) {
    return closure_capture<T_, named_value<T_>>{{from}, {}};
  } else {
    return stradsap_value<Mode_, Name_>(from);
  }
}
template <unsigned Mode_, name_text Name_ = "", class T_> auto stradsap_kept_callable(const T_& from) {
  if constexpr (reconstructible<T_> && (Mode_ & moved) != 0) {
    return closure_capture<T_, moved_value<T_>>{{from, const_cast<T_*>(std::addressof(from))}, {}};
  } else if constexpr (reconstructible<T_>) {
    return closure_capture<T_, kept_value<T_>>{kept_value<T_>(from), {}};
  } else {
    return stradsap_kept<Mode_, Name_>(from);
  }
}

// ---- plain captures -----------------------------------------------------------------------------------

/// Appends the captures in Left to those in Done; in place of a closure, the captures it was made from.
template <class Done_, class Left_> struct flattened;
template <class... Done_> struct flattened<capture_list<Done_...>, capture_list<>> {
  using type = capture_list<Done_...>;
};
template <class... Done_, class Capture_, class... Left_>
struct flattened<capture_list<Done_...>, capture_list<Capture_, Left_...>>
    : flattened<capture_list<Done_..., Capture_>, capture_list<Left_...>> {};
template <class... Done_, class T_, class From_, class... Left_>
struct flattened<capture_list<Done_...>, capture_list<closure_capture<T_, From_>, Left_...>>
    : flattened<typename flattened<capture_list<Done_...>, typename T_::reconstructed_from>::type,
                capture_list<Left_...>> {};

/// Whether two captures may be of one container: both have the same type and name.
constexpr bool may_be_one(const capture_info& a_, const capture_info& b_) {
  return a_.kind == capture_kind::container && b_.kind == capture_kind::container && a_.ops == b_.ops &&
         a_.make_keys == b_.make_keys && std::string_view(a_.name) == b_.name;
}

/// The mode of a container that is captured twice. Bits that promise something must hold for both captures;
/// other bits for one.
constexpr unsigned joined_modes(unsigned a_, unsigned b_) {
  constexpr unsigned promises = aligned | steady | listed | accumulates | writes_own;
  const auto touched = [](unsigned mode) { return (mode & (reads | writes)) != 0; };
  if (!touched(a_)) return b_;
  if (!touched(b_)) return a_;
  return ((a_ | b_) & ~promises) | (a_ & b_ & promises);
}
template <class Capture_, unsigned Mode_, std::uint64_t Written_, std::uint64_t Steering_>
struct joined_capture {
  using type = Capture_;
};
template <unsigned M_, name_text Name_, std::uint64_t W_, std::uint64_t S_, class C_, unsigned Mode_,
          std::uint64_t Written_, std::uint64_t Steering_>
struct joined_capture<container_capture<M_, Name_, W_, S_, C_>, Mode_, Written_, Steering_> {
  using type = container_capture<Mode_, Name_, Written_, Steering_, C_>;
};

/// Slots of N captures. Captures that may be of one container share a slot.
template <std::size_t N_> struct capture_slots {
  std::size_t count = 0;
  capture_info joined[N_ + 1] = {};  // by slot
  std::size_t first[N_ + 1] = {};    // by slot: the number of the first capture in it
  std::size_t slot[N_ + 1] = {};     // by capture

  constexpr explicit capture_slots(const std::array<capture_info, N_>& infos) {
    for (std::size_t i_ = 0; i_ < N_; ++i_) {
      std::size_t at = 0;
      while (at < count && !may_be_one(joined[at], infos[i_])) ++at;
      slot[i_] = at;
      if (at == count) {
        first[count] = i_;
        joined[count++] = infos[i_];
      } else {
        joined[at].mode = joined_modes(joined[at].mode, infos[i_].mode);
        joined[at].written |= infos[i_].written;
        joined[at].steering |= infos[i_].steering;
      }
    }
  }
};
template <class... Capture_>
inline constexpr capture_slots<sizeof...(Capture_)> slots_of{
    std::array<capture_info, sizeof...(Capture_)>{Capture_::info...}};

/// Plain captures, and the list with one capture for each slot.
template <class List_> class joined_captures;
template <class... Capture_> class joined_captures<capture_list<Capture_...>> {
  static constexpr std::size_t count_ = sizeof...(Capture_);

  template <std::size_t At_>
  using joined_at =
      typename joined_capture<std::tuple_element_t<slots_of<Capture_...>.first[At_], std::tuple<Capture_...>>,
                              slots_of<Capture_...>.joined[At_].mode,
                              slots_of<Capture_...>.joined[At_].written,
                              slots_of<Capture_...>.joined[At_].steering>::type;
  template <std::size_t... At_> static capture_list<joined_at<At_>...> listed(std::index_sequence<At_...>);
  template <std::size_t... I_>
  static std::index_sequence<slots_of<Capture_...>.slot[I_]...> numbered(std::index_sequence<I_...>);

 public:
  using own_slots = std::make_index_sequence<count_>;
  using slots = decltype(numbered(own_slots()));
  using list = decltype(listed(std::make_index_sequence<slots_of<Capture_...>.count>()));
  static constexpr bool are_fewer = slots_of<Capture_...>.count != count_;

  /// Whether captures that may be of one container are of one. Then the addresses move to the slots.
  static bool join(const void** addresses) {
    const auto& all = slots_of<Capture_...>;
    for (std::size_t i_ = 0; i_ < count_; ++i_) {
      if (addresses[i_] != addresses[all.first[all.slot[i_]]]) return false;
    }
    for (std::size_t at = 0; at < all.count; ++at) addresses[at] = addresses[all.first[at]];
    return true;
  }
};

// ---- reconstructed in the process that runs the loop ---------------------------------------------------

/// Captures reconstructed from plain ones; the first takes plain capture number First.
template <std::size_t First_, class List_> struct remade_list {
  static constexpr std::size_t end = First_;
  template <class Parts_> explicit remade_list(const Parts_&) {}
  template <class Function_, class... Before_>
  decltype(auto) pass(const Function_& function, const Before_&... before) const {
    return function(before...);
  }
};

template <std::size_t First_, class Capture_> struct remade {
  using part = std::remove_reference_t<decltype(std::declval<Capture_>().original())>;
  static constexpr std::size_t end = First_ + 1;
  part& made;

  template <class Parts_> explicit remade(const Parts_& plain) : made(at<First_>(plain)) {}
  part& get() const { return made; }
  Capture_ capture() const { return Capture_::again(made); }
};
template <std::size_t First_, class T_, class From_> struct remade<First_, closure_capture<T_, From_>> {
  using captured = remade_list<First_, typename T_::reconstructed_from>;
  static constexpr std::size_t end = captured::end;
  captured from;
  T_ made;

  template <class Parts_>
  explicit remade(const Parts_& plain)
      : from(plain), made(from.pass([](const auto&... one) { return T_::again(one.capture()...); })) {}
  T_& get() const { return const_cast<T_&>(made); }
  closure_capture<T_, From_> capture() const { return {From_{made}, {}}; }
};

template <std::size_t First_, class Capture_, class... More_>
struct remade_list<First_, capture_list<Capture_, More_...>> {
  using head = remade<First_, Capture_>;
  using tail = remade_list<head::end, capture_list<More_...>>;
  static constexpr std::size_t end = tail::end;
  head first;
  tail others;

  template <class Parts_> explicit remade_list(const Parts_& plain) : first(plain), others(plain) {}
  template <class Function_, class... Before_>
  decltype(auto) pass(const Function_& function, const Before_&... before) const {
    return others.pass(function, before..., first);
  }
};

/// A loop body beside the lambdas that it captures.
template <class Factory_, class... Capture_> class calling_body {
  using captured = remade_list<0, capture_list<Capture_...>>;
  static auto make(const captured& all) {
    return all.pass([](const auto&... one) { return Factory_{}(one.get()...); });
  }

 public:
  using body = decltype(make(std::declval<const captured&>()));

  template <class Parts_>
  explicit calling_body(const Parts_& plain) : captured_(plain), body_(make(captured_)) {}
  calling_body(const calling_body&) = delete;
  calling_body& operator=(const calling_body&) = delete;
  template <class Index_> void operator()(Index_ j_) const { body_(j_); }

 private:
  captured captured_;
  body body_;
};

template <class Factory_, class... Capture_>
struct index_of<calling_body<Factory_, Capture_...>>
    : index_of<typename calling_body<Factory_, Capture_...>::body> {};

/// Makes a body from joined captures: plain capture I is argument Slot[I] of the factory.
template <class Slots_, class Factory_, class... Capture_> struct calling_factory;
template <std::size_t... Slot_, class Factory_, class... Capture_>
struct calling_factory<std::index_sequence<Slot_...>, Factory_, Capture_...> {
  template <class... Part_> auto operator()(Part_&... part) const {
    [[__maybe_unused__]] const parts<std::index_sequence_for<Part_...>, Part_&...> given{{part}...};
    return calling_body<Factory_, Capture_...>(
        parts<std::make_index_sequence<sizeof...(Slot_)>, decltype(at<Slot_>(given))...>{
            {at<Slot_>(given)}...});
  }
};

template <class Slots_, class Given_, class... Capture_> struct calling {
  using type = calling_factory<Slots_, Given_, Capture_...>;
};
template <class Slots_, class Factory_, class Inspector_, class... Capture_>
struct calling<Slots_, sliced_body<Factory_, Inspector_>, Capture_...> {
  using type = sliced_body<calling_factory<Slots_, Factory_, Capture_...>,
                           calling_factory<Slots_, Inspector_, Capture_...>>;
};

// ---- the loop -------------------------------------------------------------------------------------------

/// A loop over plain captures, compiled twice if several of them may be of one container.
template <std::uint64_t Id_, unsigned Flags_, class Globals_, class Given_, class... Capture_>
class calling_loop {
  using plain = typename flattened<capture_list<>, capture_list<Capture_...>>::type;
  using joined = joined_captures<plain>;

  template <class Slots_, class... Plain_>
  static compiled_loop<Id_, Flags_, Globals_, typename calling<Slots_, Given_, Capture_...>::type, Plain_...>
      over(Slots_, capture_list<Plain_...>);
  using each = decltype(over(typename joined::own_slots(), plain()));

 public:
  static constexpr std::size_t num_captures = each::num_captures;

  /// The loop's entry for captured variables with these addresses; joins the addresses as that entry does.
  static const loop_entry& entry(const void** addresses) {
    if constexpr (joined::are_fewer) {
      using once = decltype(over(typename joined::slots(), typename joined::list()));
      if (joined::join(addresses)) return once::entry(addresses);
    }
    return each::entry(addresses);
  }
};

template <std::uint64_t Id_, unsigned Flags_, class Globals_ = globals<>, class Given_, class... Capture_>
loop_body<calling_loop<Id_, Flags_, Globals_, Given_, Capture_...>> stradsap_loop_calling(
    const char* site, Given_ given, const Capture_&... captured) {
  take(typename factories<Given_>::body{}, captured...);
  return {site, given, captured...};
}

}  // namespace stradsap::abi
