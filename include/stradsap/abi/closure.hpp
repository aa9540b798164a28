// Closures as stradsap-cc emits them: a factory that makes the user's closure from captures, so that every
// process can make it again. Such closures are loop bodies and the lambdas that they capture.
//
//   user:    parallel_for(n, [rate, &P, &loss](int64_t j) { ... }, async)
//   emitted: parallel_for(n, stradsap_loop<ID, FLAGS>("mf.cpp:9", [](decltype(rate)& rate, decltype(P)& P,
//                decltype(loss)& loss) { return [rate, &P, &loss](int64_t j) { ... }; },
//                stradsap_value<0>(rate), stradsap_container<3, "P">(P),
//                stradsap_reduction<stradsap_sum, "loss">(loss)), async)
//
// Thread rule: the thread that makes the closure; for loops, the driver's.
#pragma once

#include <type_traits>
#include <utility>

#include <stradsap/abi/any_loop.hpp>
#include <stradsap/abi/capture.hpp>
#include <stradsap/abi/compiled_loop.hpp>
#include <stradsap/abi/value_capture.hpp>

namespace stradsap::abi {

template <class... Capture_> struct capture_list {};

/// The base of all closures. Beside it, a closure has a function `again(captures)`, which reconstructs it.
template <class Each_, class... Capture_> class captures;
template <std::size_t... I_, class... Capture_> class captures<std::index_sequence<I_...>, Capture_...> {
 public:
  using reconstructed_from = capture_list<Capture_...>;

  explicit captures(const Capture_&... captured) : all_{{captured}...} {}
  /// Puts the addresses of the captured variables at `to`, and moves `to` behind them.
  void put_addresses([[__maybe_unused__]] const void**& to) const { (at<I_>(all_).put_addresses(to), ...); }

 protected:
  template <class Factory_> auto made_by() const { return Factory_{}(at<I_>(all_).original()...); }

 private:
  parts<std::index_sequence<I_...>, Capture_...> all_;
};
template <class... Capture_> using captures_of = captures<std::index_sequence_for<Capture_...>, Capture_...>;

template <class T_>
concept reconstructible = requires { typename T_::reconstructed_from; };

/// The closure that a factory makes from the originals of captures.
template <class Factory_, class... Capture_>
using made_closure = decltype(Factory_{}(std::declval<Capture_>().original()...));

/// A lambda that a loop body captures; see captured_lambda.hpp.
template <class Factory_, class... Capture_>
class closure : public made_closure<Factory_, Capture_...>, public captures_of<Capture_...> {
 public:
  closure(Factory_ factory, const Capture_&... captured)
      : made_closure<Factory_, Capture_...>(factory(taken(captured)...)),
        captures_of<Capture_...>(captured...) {}
  static closure again(const Capture_&... captured) { return {Factory_{}, captured...}; }
};

template <class Factory_, class... Capture_>
closure<Factory_, Capture_...> stradsap_closure(Factory_ factory, const Capture_&... captured) {
  return {factory, captured...};
}

/// A loop body. Compiled is a compiled_loop, or a calling_loop if captured lambdas have captures.
template <class Compiled_> class loop_body;
template <template <std::uint64_t, unsigned, class, class, class...> class Compiled_, std::uint64_t Id_,
          unsigned Flags_, class Globals_, class Given_, class... Capture_>
class loop_body<Compiled_<Id_, Flags_, Globals_, Given_, Capture_...>> final
    : public any_loop,
      public captures_of<Capture_...> {
  using compiled = Compiled_<Id_, Flags_, Globals_, Given_, Capture_...>;
  using factory = typename factories<Given_>::body;

 public:
  loop_body(const char* site, Given_, const Capture_&... captured)
      : any_loop(site, &check_index_of_loop<made_closure<factory, Capture_...>, Flags_>,
                 compiled::num_captures, &resolve),
        captures_of<Capture_...>(captured...) {}
  static loop_body again(const Capture_&... captured) { return {"", Given_{}, captured...}; }

  /// Calls the body, as the plain program does.
  template <class Index_> auto operator()(Index_ j_) const { return this->template made_by<factory>()(j_); }

 private:
  static const loop_entry& resolve(const any_loop& one, const void** captured_at) {
    const void** end = captured_at;
    static_cast<const loop_body&>(one).put_addresses(end);
    return compiled::entry(captured_at);
  }
};

template <std::uint64_t Id_, unsigned Flags_, class Globals_ = globals<>, class Given_, class... Capture_>
loop_body<compiled_loop<Id_, Flags_, Globals_, Given_, Capture_...>> stradsap_loop(
    const char* site, Given_ given, const Capture_&... captured) {
  take(typename factories<Given_>::body{}, captured...);
  return {site, given, captured...};
}

/// Marks the constructor that makes a functor from its members in other processes.
struct rebuilt {};

/// The loop body for an object of a functor's class, made by the member that stradsap-cc inserted into the
/// class. A loop body is returned as it is.
template <class Body_> auto stradsap_functor(const Body_& body, const char* site) {
  if constexpr (requires { Body_::stradsap_loop_(body, site); }) {
    return Body_::stradsap_loop_(body, site);
  } else {
    return body;
  }
}

}  // namespace stradsap::abi
