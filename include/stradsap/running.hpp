// Numbers that loops fold into, and that the program reads when it needs them. Thread rule: the driver's
// thread; in a loop body, each executor has a part of its own.
#pragma once

#include <type_traits>

#include <stradsap/abi/loops.hpp>

namespace stradsap {
namespace abi {

/// Whether it is a stradsap::running.
template <class T_> inline constexpr bool is_running = false;

}  // namespace abi

#ifdef STRADSAP_ANALYSIS

// stradsap-cc reads the number itself, so the rules for a body are those for a number.
template <class Number_> using running = Number_;

#else

namespace abi {
struct running_access;
}  // namespace abi

/// A reduction that no call waits for. Captured by reference, a body folds into it by the operators of
/// numbers, as into any reduction. If the loop is `consistency::stale`, its calls return while other ranks
/// still run them. A read in the program waits for all calls so far, and adds their sums: a conversion to
/// the number, a copy, a step as `loss += 1`. The calls go on from there, unlike after a read of a container.
/// After other loops the sum is there at once. The bits are those of a number that every call waits for.
///
/// A value that is overwritten, by `loss = 0`, or that ends waits for nothing: the calls add nothing to it
/// any more. A move is a copy.
///
/// A read throws the loop_error of a call that it waits for, as a read of the loop's containers does. The sum
/// then has the calls before that one. A program reads on the thread that starts its loops.
/// @code
/// dvector<double> w(8, 0.5);
/// running<double> loss;
/// for (int epoch = 1; epoch <= 20; ++epoch) {
///   parallel_for(n, [&loss, &X, &w](int64_t j) {
///     loss += X[j] * w[j % 8];
///     w[j % 8] -= 0.1 * X[j];
///   }, consistency::stale(2));
///   if (epoch % 5 != 0) continue;
///   report("loss", loss);
///   loss = 0;
/// }
/// @endcode
template <class Number_> class running {
  static_assert(std::is_arithmetic_v<Number_> && !std::is_const_v<Number_> && !std::is_volatile_v<Number_>,
                "a stradsap::running is a number");

 public:
  constexpr running() noexcept = default;
  constexpr running(Number_ start) noexcept : value_(start) {}
  running(const running& other) : value_(other) {}
  running& operator=(const running& other) { return *this = static_cast<Number_>(other); }
  running& operator=(Number_ value) noexcept {
    let_go();
    value_ = value;
    return *this;
  }
  ~running() { let_go(); }

  operator Number_() const {
    catch_up();
    return value_;
  }

  template <class Other_> running& operator+=(const Other_& more) {
    catch_up();
    value_ += more;
    return *this;
  }
  template <class Other_> running& operator-=(const Other_& less) {
    catch_up();
    value_ -= less;
    return *this;
  }
  template <class Other_> running& operator*=(const Other_& factor) {
    catch_up();
    value_ *= factor;
    return *this;
  }
  template <class Other_> running& operator/=(const Other_& divisor) {
    catch_up();
    value_ /= divisor;
    return *this;
  }
  template <class Other_> running& operator&=(const Other_& bits) {
    catch_up();
    value_ &= bits;
    return *this;
  }
  template <class Other_> running& operator|=(const Other_& bits) {
    catch_up();
    value_ |= bits;
    return *this;
  }
  template <class Other_> running& operator^=(const Other_& bits) {
    catch_up();
    value_ ^= bits;
    return *this;
  }
  running& operator++() {
    catch_up();
    ++value_;
    return *this;
  }
  running& operator--() {
    catch_up();
    --value_;
    return *this;
  }
  Number_ operator++(int) {
    catch_up();
    return value_++;
  }
  Number_ operator--(int) {
    catch_up();
    return value_--;
  }

 private:
  friend struct abi::running_access;

  void catch_up() const {
    if (open_calls_ != nullptr) [[unlikely]]
      abi::catch_up(*open_calls_);
  }
  void let_go() noexcept {
    if (open_calls_ != nullptr) [[unlikely]]
      abi::let_go(*open_calls_);
  }

  // The runtime knows the number by the address of its first member. No function here passes that address on:
  // so the optimiser keeps the number of a body in a register, and knows that it has no open calls.
  Number_ value_{};
  abi::open_calls* open_calls_ = nullptr;  // the runtime's, while some call will fold into it
};

namespace abi {

template <class Number_> inline constexpr bool is_running<running<Number_> > = true;

struct running_access {
  template <class Number_> static Number_& value_of(running<Number_>& of) { return of.value_; }
  /// `value`: that of a running number.
  template <class Number_> static open_calls*& open_calls_of(void* value) {
    return static_cast<running<Number_>*>(value)->open_calls_;
  }
};

}  // namespace abi

#endif

}  // namespace stradsap
