// Lambdas with captures of their own that loop bodies capture. stradsap-cc writes such a lambda as a loop
// body is written, beside what it captures; then every process can make it again, and the loop has captures
// for all.
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

#include <stradsap/closure.hpp>

namespace stradsap::abi {

/// A lambda that carries what it was made from.
template <class Factory, class... Capture>
class closure : public decltype(Factory{}(std::declval<Capture>().original()...)) {
  using lambda = decltype(Factory{}(std::declval<Capture>().original()...));

 public:
  static constexpr bool is_made_again = true;
  template <template <std::size_t, class...> class List, std::size_t First>
  using with_captures = List<First, Capture...>;

  closure(Factory factory, Capture... captures)
      : lambda(factory(captures.original()...)), captures_(captures...) {}
  static closure again(Capture... captures) { return {Factory{}, captures...}; }
  template <class Function> decltype(auto) pass_captures(const Function& function) const {
    return std::apply(function, captures_);
  }

 private:
  std::tuple<Capture...> captures_;
};

template <class Factory, class... Capture>
closure<Factory, Capture...> stradsap_closure(Factory factory, Capture... captures) {
  return {factory, captures...};
}

template <class T>
concept made_again = requires { T::is_made_again; };

/// A captured lambda that carries its captures.
template <class T, class From> struct closure_capture {
  From from;

  T& original() const { return const_cast<T&>(from.value); }
};

/// A captured object that may be such a lambda, or else is a value.
template <unsigned Mode, class T> auto stradsap_callable(const T& from) {
  if constexpr (made_again<T>) {
    return closure_capture<T, named_value<T>>{{from}};
  } else {
    return stradsap_value<Mode>(from);
  }
}
template <unsigned Mode, class T> auto stradsap_kept_callable(const T& from) {
  if constexpr (made_again<T>) {
    return closure_capture<T, kept_value<T>>{kept_value<T>(from)};
  } else {
    return stradsap_kept<Mode>(from);
  }
}

// ---- one list of plain captures -----------------------------------------------------------------------

template <class Capture> auto spread(const Capture& capture) { return std::tuple<Capture>(capture); }
template <class T, class From> auto spread(const closure_capture<T, From>& capture) {
  return capture.from.value.pass_captures([](const auto&... one) { return std::tuple_cat(spread(one)...); });
}

/// Whether two captures may be of one container: its type and its name are the same.
template <class A, class B> inline constexpr bool may_be_one = false;
template <unsigned M, unsigned N, name_text A, name_text B, std::uint64_t V, std::uint64_t W, std::uint64_t S,
          std::uint64_t T, class C>
inline constexpr bool may_be_one<container_capture<M, A, V, S, C>, container_capture<N, B, W, T, C>> =
    same_text(A, B);

/// Bits that promise something hold for both; the others, if for one.
constexpr unsigned joined_modes(unsigned a, unsigned b) {
  constexpr unsigned promises = aligned | steady | listed | accumulates;
  const auto touched = [](unsigned mode) { return (mode & (reads | writes)) != 0; };
  if (!touched(a)) return b;
  if (!touched(b)) return a;
  return ((a | b) & ~promises) | (a & b & promises);
}
template <class A, class B> struct joined_capture;
template <unsigned M, unsigned N, name_text A, name_text B, std::uint64_t V, std::uint64_t W, std::uint64_t S,
          std::uint64_t T, class C>
struct joined_capture<container_capture<M, A, V, S, C>, container_capture<N, B, W, T, C>> {
  using type = container_capture<joined_modes(M, N), A, V | W, S | T, C>;
};

// ---- made again in the process that runs the loop
// ----------------------------------------------------------

/// A list of captures, of which the first is number First among the plain ones.
template <std::size_t First, class... Capture> struct remade {
  static constexpr std::size_t end = First;
  template <class Parts> explicit remade(const Parts&) {}
  template <class Function, class... Before>
  decltype(auto) pass(const Function& function, const Before&... before) const {
    return function(before...);
  }
};

template <class Capture, std::size_t First> struct remade_one {
  using part = std::remove_reference_t<decltype(std::declval<Capture>().original())>;
  static constexpr std::size_t end = First + 1;
  part& made;

  template <class Parts> explicit remade_one(const Parts& parts) : made(std::get<First>(parts)) {}
  part& get() const { return made; }
  Capture capture() const { return Capture::again(made); }
};
template <class T, class From, std::size_t First> struct remade_one<closure_capture<T, From>, First> {
  using inner = typename T::template with_captures<remade, First>;
  static constexpr std::size_t end = inner::end;
  inner parts;
  T made;

  template <class Parts>
  explicit remade_one(const Parts& all)
      : parts(all), made(parts.pass([](const auto&... one) { return T::again(one.capture()...); })) {}
  T& get() const { return const_cast<T&>(made); }
  closure_capture<T, From> capture() const { return {From{made}}; }
};

template <std::size_t First, class Capture, class... More> struct remade<First, Capture, More...> {
  using head = remade_one<Capture, First>;
  using tail = remade<head::end, More...>;
  static constexpr std::size_t end = tail::end;
  head first;
  tail others;

  template <class Parts> explicit remade(const Parts& parts) : first(parts), others(parts) {}
  template <class Function, class... Before>
  decltype(auto) pass(const Function& function, const Before&... before) const {
    return others.pass(function, before..., first);
  }
};

/// A loop body beside the lambdas that it captures.
template <class Factory, class... Capture> class calling_body {
  using captured = remade<0, Capture...>;
  static auto make(const captured& all) {
    return all.pass([](const auto&... one) { return Factory{}(one.get()...); });
  }

 public:
  using body = decltype(make(std::declval<const captured&>()));

  template <class Parts>
  explicit calling_body(const Parts& parts) : captured_(parts), body_(make(captured_)) {}
  calling_body(const calling_body&) = delete;
  calling_body& operator=(const calling_body&) = delete;
  template <class Index> void operator()(Index j) const { body_(j); }

 private:
  captured captured_;
  body body_;
};

template <class Factory, class... Capture>
struct index_of<calling_body<Factory, Capture...>>
    : index_of<typename calling_body<Factory, Capture...>::body> {};

/// Makes a body of the plain captures, of which number I is part Slot of what it gets.
template <class Slots, class Factory, class... Capture> struct calling_factory;
template <std::size_t... Slot, class Factory, class... Capture>
struct calling_factory<std::index_sequence<Slot...>, Factory, Capture...> {
  template <class... Part> auto operator()(Part&... part) const {
    const std::tuple<Part&...> all(part...);
    return calling_body<Factory, Capture...>(
        std::tuple<decltype(std::get<Slot>(all))...>(std::get<Slot>(all)...));
  }
};

template <class Slots, class Given, class... Capture> struct calling {
  using type = calling_factory<Slots, Given, Capture...>;
};
template <class Slots, class Factory, class Inspector, class... Capture>
struct calling<Slots, sliced_body<Factory, Inspector>, Capture...> {
  using type =
      sliced_body<calling_factory<Slots, Factory, Capture...>, calling_factory<Slots, Inspector, Capture...>>;
};

// ---- the loop -------------------------------------------------------------------------------------------

/// Of a list of captures: which of them may be one container with an earlier one.
template <class... Capture> struct slots_of {
  static constexpr std::size_t count = sizeof...(Capture);
  using all = std::tuple<Capture...>;

  template <std::size_t I, std::size_t K>
  static constexpr bool same = may_be_one<std::tuple_element_t<K, all>, std::tuple_element_t<I, all>>;
  template <std::size_t I, std::size_t... K>
  static constexpr std::size_t first_of(std::index_sequence<K...>) {
    std::size_t first = I;
    ((first == I && same<I, K> ? void(first = K) : void()), ...);
    return first;
  }
  template <std::size_t... I> static constexpr auto firsts_of(std::index_sequence<I...>) {
    return std::array<std::size_t, count>{first_of<I>(std::make_index_sequence<I>())...};
  }
  /// The first one that may be the same, by number.
  static constexpr std::array<std::size_t, count> firsts = firsts_of(std::make_index_sequence<count>());
  static constexpr bool any_same = [] {
    for (std::size_t i = 0; i < count; ++i) {
      if (firsts[i] != i) return true;
    }
    return false;
  }();
};

template <std::uint64_t Id, unsigned Flags, class Globals, class Given, class... Capture> class calling_loop {
 public:
  static constexpr bool is_made_again = true;
  template <template <std::size_t, class...> class List, std::size_t First>
  using with_captures = List<First, Capture...>;

  calling_loop(const char* site, Given, Capture... captures) : site_(site), captures_(captures...) {}
  static calling_loop again(Capture... captures) { return {"", Given{}, captures...}; }
  template <class Function> decltype(auto) pass_captures(const Function& function) const {
    return std::apply(function, captures_);
  }

  /// The body, called as the plain program would.
  template <class Index> auto operator()(Index j) const {
    return std::apply(
        [j](const auto&... one) { return typename factories<Given>::body{}(one.original()...)(j); },
        captures_);
  }

  void launch(const char* label, std::int64_t n, const ConsistencyModel& model) const {
    std::apply([&](const auto&... one) { launch(label, n, model, std::tuple_cat(spread(one)...)); },
               captures_);
  }

 private:
  template <class... Plain>
  void launch(const char* label, std::int64_t n, const ConsistencyModel& model,
              const std::tuple<Plain...>& all) const {
    using slots = slots_of<Plain...>;
    constexpr auto each = std::index_sequence_for<Plain...>();
    if constexpr (slots::any_same) {
      if (are_same<slots>(all, each)) return launch_joined<slots>(label, n, model, all, each);
    }
    launch_each(label, n, model, all, each);
  }
  template <class Slots, class All, std::size_t... I>
  static bool are_same(const All& all, std::index_sequence<I...>) {
    return ((std::get<I>(all).address() == std::get<Slots::firsts[I]>(all).address()) && ...);
  }
  template <class All, std::size_t... I>
  void launch_each(const char* label, std::int64_t n, const ConsistencyModel& model, const All& all,
                   std::index_sequence<I...> each) const {
    using given = typename calling<decltype(each), Given, Capture...>::type;
    loop_body<Id, Flags, Globals, given, std::tuple_element_t<I, All>...>(site_, given{}, std::get<I>(all)...)
        .launch(label, n, model);
  }
  /// Containers that come in more than once, once.
  template <class Slots, class All, std::size_t... I>
  void launch_joined(const char* label, std::int64_t n, const ConsistencyModel& model, const All& all,
                     std::index_sequence<I...>) const {
    constexpr auto numbers = [] {
      std::array<std::size_t, sizeof...(I)> found{};
      std::size_t next = 0;
      for (std::size_t i = 0; i < sizeof...(I); ++i)
        found[i] = Slots::firsts[i] == i ? next++ : found[Slots::firsts[i]];
      return found;
    }();
    using given = typename calling<std::index_sequence<numbers[I]...>, Given, Capture...>::type;
    const auto unique = std::tuple_cat(joined<Slots, I>(all, std::index_sequence<I...>())...);
    std::apply(
        [&](const auto&... one) {
          loop_body<Id, Flags, Globals, given, std::remove_cvref_t<decltype(one)>...>(site_, given{}, one...)
              .launch(label, n, model);
        },
        unique);
  }
  /// Capture number I joined with those that are the same; nothing if it is not the first of them.
  template <class Slots, std::size_t I, class All, std::size_t... K>
  static auto joined(const All& all, std::index_sequence<K...>) {
    if constexpr (Slots::firsts[I] != I) {
      return std::tuple<>();
    } else {
      using first = std::tuple_element_t<I, All>;
      using type = typename decltype((joining<first>{} + ... + join_if < Slots::firsts[K] == I && K != I,
                                      std::tuple_element_t < K, All >> {}))::type;
      if constexpr (std::is_same_v<type, first>) {
        return std::tuple<first>(std::get<I>(all));
      } else {
        return std::tuple<type>(type::again(std::get<I>(all).original()));
      }
    }
  }
  template <bool Same, class Capture_> struct join_if {};
  template <class T> struct joining {
    using type = T;
    template <class Other> joining operator+(join_if<false, Other>) const { return {}; }
    template <class Other>
    joining<typename joined_capture<T, Other>::type> operator+(join_if<true, Other>) const {
      return {};
    }
  };

  const char* site_;
  std::tuple<Capture...> captures_;
};

template <std::uint64_t Id, unsigned Flags, class Globals = globals<>, class Given, class... Capture>
calling_loop<Id, Flags, Globals, Given, Capture...> stradsap_loop_calling(const char* site, Given given,
                                                                          Capture... captures) {
  return {site, given, captures...};
}

template <std::uint64_t Id, unsigned Flags, class Globals, class Given, class... Capture>
inline constexpr bool is_loop<calling_loop<Id, Flags, Globals, Given, Capture...>> = true;

}  // namespace stradsap::abi
