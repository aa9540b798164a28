// Lambdas with captures of their own, captured by loop bodies. stradsap-cc emits such a lambda like a loop
// body, with its captures beside it. So every process can make the lambda again, and its captures become
// captures of the loop.
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
#include <tuple>
#include <type_traits>
#include <utility>

#include <stradsap/abi/closure.hpp>

namespace stradsap::abi {

/// A lambda together with the captures that it was made from.
template <class Factory_, class... Capture_>
class closure : public decltype(Factory_{}(std::declval<Capture_>().original()...)) {
  using lambda = decltype(Factory_{}(std::declval<Capture_>().original()...));

 public:
  static constexpr bool is_reconstructible = true;
  template <template <std::size_t, class...> class List_, std::size_t First_>
  using with_captures = List_<First_, Capture_...>;

  closure(Factory_ factory, Capture_... captures)
      : lambda(factory(taken(captures)...)), captures_(captures...) {}
  static closure again(Capture_... captures) { return {Factory_{}, captures...}; }
  template <class Function_> decltype(auto) pass_captures(const Function_& function) const {
    return std::apply(function, captures_);
  }

 private:
  std::tuple<Capture_...> captures_;
};

template <class Factory_, class... Capture_>
closure<Factory_, Capture_...> stradsap_closure(Factory_ factory, Capture_... captures) {
  return {factory, captures...};
}

template <class T_>
concept reconstructible = requires { T_::is_reconstructible; };

/// A captured lambda that carries its captures.
template <class T_, class From_> struct closure_capture {
  From_ from;

  T_& original() const { return const_cast<T_&>(from.value); }
};

/// The capture of an object that is either such a lambda or a value.
template <unsigned Mode_, class T_> auto stradsap_callable(const T_& from) {
  if constexpr (reconstructible<T_>) {
    return closure_capture<T_, named_value<T_>>{{from}};
  } else {
    return stradsap_value<Mode_>(from);
  }
}
template <unsigned Mode_, class T_> auto stradsap_kept_callable(const T_& from) {
  if constexpr (reconstructible<T_>) {
    return closure_capture<T_, kept_value<T_>>{kept_value<T_>(from)};
  } else {
    return stradsap_kept<Mode_>(from);
  }
}

// ---- one list of plain captures -----------------------------------------------------------------------

template <class Capture_> auto spread(const Capture_& capture) { return std::tuple<Capture_>(capture); }
template <class T_, class From_> auto spread(const closure_capture<T_, From_>& capture) {
  return capture.from.value.pass_captures([](const auto&... one) { return std::tuple_cat(spread(one)...); });
}

/// Whether two captures may be of one container: both have the same type and name.
template <class A_, class B_> inline constexpr bool may_be_one = false;
template <unsigned M_, unsigned N_, name_text A_, name_text B_, std::uint64_t V_, std::uint64_t W_,
          std::uint64_t S_, std::uint64_t T_, class C_>
inline constexpr bool
    may_be_one<container_capture<M_, A_, V_, S_, C_>, container_capture<N_, B_, W_, T_, C_>> =
        same_text(A_, B_);

/// The mode of a container that is captured twice. Bits that promise something must hold for both captures;
/// other bits for one.
constexpr unsigned joined_modes(unsigned a_, unsigned b_) {
  constexpr unsigned promises = aligned | steady | listed | accumulates;
  const auto touched = [](unsigned mode) { return (mode & (reads | writes)) != 0; };
  if (!touched(a_)) return b_;
  if (!touched(b_)) return a_;
  return ((a_ | b_) & ~promises) | (a_ & b_ & promises);
}
template <class A_, class B_> struct joined_capture;
template <unsigned M_, unsigned N_, name_text A_, name_text B_, std::uint64_t V_, std::uint64_t W_,
          std::uint64_t S_, std::uint64_t T_, class C_>
struct joined_capture<container_capture<M_, A_, V_, S_, C_>, container_capture<N_, B_, W_, T_, C_>> {
  using type = container_capture<joined_modes(M_, N_), A_, V_ | W_, S_ | T_, C_>;
};

// ---- reconstructed in the process that runs the loop ---------------------------------------------------

/// A list of captures reconstructed from plain ones; the first takes plain capture number First.
template <std::size_t First_, class... Capture_> struct remade {
  static constexpr std::size_t end = First_;
  template <class Parts_> explicit remade(const Parts_&) {}
  template <class Function_, class... Before_>
  decltype(auto) pass(const Function_& function, const Before_&... before) const {
    return function(before...);
  }
};

template <class Capture_, std::size_t First_> struct remade_one {
  using part = std::remove_reference_t<decltype(std::declval<Capture_>().original())>;
  static constexpr std::size_t end = First_ + 1;
  part& made;

  template <class Parts_> explicit remade_one(const Parts_& parts) : made(std::get<First_>(parts)) {}
  part& get() const { return made; }
  Capture_ capture() const { return Capture_::again(made); }
};
template <class T_, class From_, std::size_t First_> struct remade_one<closure_capture<T_, From_>, First_> {
  using inner = typename T_::template with_captures<remade, First_>;
  static constexpr std::size_t end = inner::end;
  inner parts;
  T_ made;

  template <class Parts_>
  explicit remade_one(const Parts_& all)
      : parts(all), made(parts.pass([](const auto&... one) { return T_::again(one.capture()...); })) {}
  T_& get() const { return const_cast<T_&>(made); }
  closure_capture<T_, From_> capture() const { return {From_{made}}; }
};

template <std::size_t First_, class Capture_, class... More_> struct remade<First_, Capture_, More_...> {
  using head = remade_one<Capture_, First_>;
  using tail = remade<head::end, More_...>;
  static constexpr std::size_t end = tail::end;
  head first;
  tail others;

  template <class Parts_> explicit remade(const Parts_& parts) : first(parts), others(parts) {}
  template <class Function_, class... Before_>
  decltype(auto) pass(const Function_& function, const Before_&... before) const {
    return others.pass(function, before..., first);
  }
};

/// A loop body beside the lambdas that it captures.
template <class Factory_, class... Capture_> class calling_body {
  using captured = remade<0, Capture_...>;
  static auto make(const captured& all) {
    return all.pass([](const auto&... one) { return Factory_{}(one.get()...); });
  }

 public:
  using body = decltype(make(std::declval<const captured&>()));

  template <class Parts_>
  explicit calling_body(const Parts_& parts) : captured_(parts), body_(make(captured_)) {}
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

/// Makes a body from plain captures: plain capture I is argument Slot[I] of the factory.
template <class Slots_, class Factory_, class... Capture_> struct calling_factory;
template <std::size_t... Slot_, class Factory_, class... Capture_>
struct calling_factory<std::index_sequence<Slot_...>, Factory_, Capture_...> {
  template <class... Part_> auto operator()(Part_&... part) const {
    const std::tuple<Part_&...> given{part...};
    return calling_body<Factory_, Capture_...>(
        std::tuple<decltype(std::get<Slot_>(given))...>(std::get<Slot_>(given)...));
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

/// For each capture of a list, an earlier capture that may be of the same container.
template <class... Capture_> struct slots_of {
  static constexpr std::size_t count = sizeof...(Capture_);
  using all = std::tuple<Capture_...>;

  template <std::size_t I_, std::size_t K_>
  static constexpr bool same = may_be_one<std::tuple_element_t<K_, all>, std::tuple_element_t<I_, all>>;
  template <std::size_t I_, std::size_t... K_>
  static constexpr std::size_t first_of(std::index_sequence<K_...>) {
    std::size_t first = I_;
    ((first == I_ && same<I_, K_> ? void(first = K_) : void()), ...);
    return first;
  }
  template <std::size_t... I_> static constexpr auto firsts_of(std::index_sequence<I_...>) {
    return std::array<std::size_t, count>{first_of<I_>(std::make_index_sequence<I_>())...};
  }
  /// The number of the first capture that may be of the same container; its own number if there is none.
  static constexpr std::array<std::size_t, count> firsts = firsts_of(std::make_index_sequence<count>());
  static constexpr bool any_same = [] {
    for (std::size_t i_ = 0; i_ < count; ++i_) {
      if (firsts[i_] != i_) return true;
    }
    return false;
  }();
};

template <std::uint64_t Id_, unsigned Flags_, class Globals_, class Given_, class... Capture_>
class calling_loop {
 public:
  static constexpr bool is_reconstructible = true;
  template <template <std::size_t, class...> class List_, std::size_t First_>
  using with_captures = List_<First_, Capture_...>;

  calling_loop(const char* site, Given_, Capture_... captures) : site_(site), captures_(captures...) {}
  static calling_loop again(Capture_... captures) { return {"", Given_{}, captures...}; }
  template <class Function_> decltype(auto) pass_captures(const Function_& function) const {
    return std::apply(function, captures_);
  }

  /// Calls the body, as the plain program does.
  template <class Index_> auto operator()(Index_ j_) const {
    return std::apply(
        [j_](const auto&... one) { return typename factories<Given_>::body{}(one.original()...)(j_); },
        captures_);
  }

  void launch(const char* label, std::int64_t n_, const ConsistencyModel& model) const {
    std::apply([&](const auto&... one) { launch(label, n_, model, std::tuple_cat(spread(one)...)); },
               captures_);
  }

 private:
  template <class... Plain_>
  void launch(const char* label, std::int64_t n_, const ConsistencyModel& model,
              const std::tuple<Plain_...>& all) const {
    using slots = slots_of<Plain_...>;
    constexpr auto each = std::index_sequence_for<Plain_...>();
    if constexpr (slots::any_same) {
      if (are_same<slots>(all, each)) return launch_joined<slots>(label, n_, model, all, each);
    }
    launch_each(label, n_, model, all, each);
  }
  template <class Slots_, class All_, std::size_t... I_>
  static bool are_same(const All_& all, std::index_sequence<I_...>) {
    return ((std::get<I_>(all).address() == std::get<Slots_::firsts[I_]>(all).address()) && ...);
  }
  template <class All_, std::size_t... I_>
  void launch_each(const char* label, std::int64_t n_, const ConsistencyModel& model, const All_& all,
                   std::index_sequence<I_...> each) const {
    using given = typename calling<decltype(each), Given_, Capture_...>::type;
    loop_body<Id_, Flags_, Globals_, given, std::tuple_element_t<I_, All_>...>(site_, given{},
                                                                               std::get<I_>(all)...)
        .launch(label, n_, model);
  }
  /// Launches with one capture for each container that is captured several times.
  template <class Slots_, class All_, std::size_t... I_>
  void launch_joined(const char* label, std::int64_t n_, const ConsistencyModel& model, const All_& all,
                     std::index_sequence<I_...>) const {
    constexpr auto numbers = [] {
      std::array<std::size_t, sizeof...(I_)> found{};
      std::size_t next = 0;
      for (std::size_t i_ = 0; i_ < sizeof...(I_); ++i_)
        found[i_] = Slots_::firsts[i_] == i_ ? next++ : found[Slots_::firsts[i_]];
      return found;
    }();
    using given = typename calling<std::index_sequence<numbers[I_]...>, Given_, Capture_...>::type;
    const auto unique = std::tuple_cat(joined<Slots_, I_>(all, std::index_sequence<I_...>())...);
    std::apply(
        [&](const auto&... one) {
          loop_body<Id_, Flags_, Globals_, given, std::remove_cvref_t<decltype(one)>...>(site_, given{},
                                                                                         one...)
              .launch(label, n_, model);
        },
        unique);
  }
  /// Capture number I, joined with the later ones of its container; an empty tuple if it is not the first of
  /// them.
  template <class Slots_, std::size_t I_, class All_, std::size_t... K_>
  static auto joined(const All_& all, std::index_sequence<K_...>) {
    if constexpr (Slots_::firsts[I_] != I_) {
      return std::tuple<>();
    } else {
      using first = std::tuple_element_t<I_, All_>;
      using type = typename decltype((joining<first>{} + ... + join_if < Slots_::firsts[K_] == I_ && K_ != I_,
                                      std::tuple_element_t < K_, All_ >> {}))::type;
      if constexpr (std::is_same_v<type, first>) {
        return std::tuple<first>(std::get<I_>(all));
      } else {
        return std::tuple<type>(type::again(std::get<I_>(all).original()));
      }
    }
  }
  template <bool Same_, class Joined_> struct join_if {};
  template <class T_> struct joining {
    using type = T_;
    template <class Other_> joining operator+(join_if<false, Other_>) const { return {}; }
    template <class Other_>
    joining<typename joined_capture<T_, Other_>::type> operator+(join_if<true, Other_>) const {
      return {};
    }
  };

  const char* site_;
  std::tuple<Capture_...> captures_;
};

template <std::uint64_t Id_, unsigned Flags_, class Globals_ = globals<>, class Given_, class... Capture_>
calling_loop<Id_, Flags_, Globals_, Given_, Capture_...> stradsap_loop_calling(const char* site, Given_ given,
                                                                               Capture_... captures) {
  take(typename factories<Given_>::body{}, captures...);
  return {site, given, captures...};
}

template <std::uint64_t Id_, unsigned Flags_, class Globals_, class Given_, class... Capture_>
inline constexpr bool is_loop<calling_loop<Id_, Flags_, Globals_, Given_, Capture_...>> = true;

}  // namespace stradsap::abi
