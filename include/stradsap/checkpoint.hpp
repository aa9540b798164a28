// Checkpoints: the state of a program at a save point, on disk, and its explicit resumption by --resume.
// Thread rule: called on the driver, outside loop bodies.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>

#include <stradsap/abi/abi.hpp>
#include <stradsap/abi/build.hpp>
#include <stradsap/abi/checkpoints.hpp>
#include <stradsap/running.hpp>

namespace stradsap {

namespace abi {

/// The seconds of a std::ratio. <chrono> itself would not survive the macros of some programs.
template <class Ratio_> inline constexpr double seconds_of = 1;
template <template <std::intmax_t, std::intmax_t> class Ratio_, std::intmax_t Over_, std::intmax_t Under_>
inline constexpr double seconds_of<Ratio_<Over_, Under_>> = static_cast<double>(Over_) / Under_;

}  // namespace abi

/// A number of save points, or a time: a std::chrono::duration. By default 10 minutes.
/// @code
/// const checkpoint_period five = 5, hour = std::chrono::hours(1);
/// std::printf("%ld points, %g seconds\n", static_cast<long>(five.points()), hour.seconds());
/// @endcode
class checkpoint_period {
 public:
  constexpr checkpoint_period() : seconds_(600) {}
  constexpr checkpoint_period(std::int64_t points) : points_(points) {}
  template <class Time_>
    requires requires { typename Time_::period; }
  constexpr checkpoint_period(const Time_& time)
      : seconds_(static_cast<double>(time.count()) * abi::seconds_of<typename Time_::period>) {}
  [[nodiscard]] constexpr std::int64_t points() const noexcept { return points_; }
  [[nodiscard]] constexpr double seconds() const noexcept { return seconds_; }

 private:
  std::int64_t points_ = 0;
  double seconds_ = 0;
};

/// The arguments of checkpoint(). `dir`: the folder of the checkpoints, unless --checkpoint-dir names another
/// one. `every`: save points, or a time. `on_term`: after SIGTERM the next save point saves the program,
/// which then ends with status 143.
/// @code
/// const checkpoint_settings hourly{.dir = "saved", .every = std::chrono::hours(1)};
/// @endcode
struct checkpoint_settings {
  std::string dir = {};
  checkpoint_period every = {};
  bool on_term = false;
};

inline namespace STRADSAP_BUILD {

/// From now on save points save the program in a folder, which keeps the last two checkpoints. A process of
/// its own writes them while the program goes on. A checkpoint that cannot be written causes a warning.
/// Throws error(errc::output) if the folder cannot be written, is in use by another run, or has checkpoints
/// of an earlier run that this one does not resume; error(errc::unsupported) after resumable().
/// @code
/// checkpoint({.dir = "saved", .every = 5, .on_term = true});
/// @endcode
inline void checkpoint(const checkpoint_settings& how) {
  if constexpr (abi::this_build == abi::build::seq) {
    throw error(errc::unsupported, "checkpoints of a program that stradsap-cc did not compile");
  } else {
    abi::request_checkpoints({how.dir, how.every.points(), how.every.seconds(), how.on_term});
  }
}

/// The registered variables of a program, while it lives; see resumable().
class resumable_run {
 public:
  resumable_run(const resumable_run&) = delete;
  resumable_run& operator=(const resumable_run&) = delete;
  ~resumable_run() {
    if constexpr (abi::this_build != abi::build::seq) abi::forget_variables();
  }

  /// A place where all that the program goes on with is in containers and registered variables: the head of
  /// its loop over epochs. Here it is saved if this is due. A resumed run gets the saved elements at its
  /// first save point. Calls of `stale` loops are folded here, as by any access of their containers.
  /// Throws error(errc::unsupported) if a container has moved into another variable since the first one.
  /// @code
  /// int epoch = 0;
  /// const auto run = resumable(epoch);
  /// for (; epoch < 10; ++epoch) run.save_point();
  /// @endcode
  void save_point([[__maybe_unused__]] const char* file = __builtin_FILE(),
                  [[__maybe_unused__]] unsigned line = __builtin_LINE()) const {
    if constexpr (abi::this_build != abi::build::seq) abi::reach_save_point(file, line);
  }
  /// Whether the run goes on from a checkpoint.
  /// @code
  /// int epoch = 0;
  /// const auto run = resumable(epoch);
  /// if (run.resumed()) std::printf("epoch %d\n", epoch);
  /// @endcode
  [[nodiscard]] bool resumed() const { return resumed_; }

 private:
  template <class... Variable_> friend resumable_run resumable(Variable_&... variables);
  explicit resumable_run(bool resumed) : resumed_(resumed) {}
  bool resumed_;
};

/// Registers the variables that the program's loop goes on with, for as long as the result lives. In a
/// resumed run they have their saved values when it returns. One call at a time. Throws
/// error(errc::bad_input) if no checkpoint fits the program.
/// @code
/// int epoch = 0;
/// float rate = 0.1f;
/// const auto run = resumable(epoch, rate);
/// for (; epoch < 10; ++epoch, rate *= 0.9f) run.save_point();
/// @endcode
template <class... Variable_> [[nodiscard]] resumable_run resumable(Variable_&... variables) {
  static_assert(sizeof...(Variable_) > 0 && (!std::is_const_v<Variable_> && ...),
                "resumable() takes the variables that the loop changes");
  static_assert((!std::is_pointer_v<Variable_> && ...),
                "resumable() cannot save a pointer: save the index of what it points to");
  constexpr bool are_plain_ = (!abi::is_running<Variable_> && ...);
  static_assert(
      are_plain_,
      "resumable() cannot save a stradsap::running: register a number, such as `double sum`, assign "
      "`sum = loss` before each save point, and `loss = sum` after resumable()");
  if constexpr (abi::this_build == abi::build::seq || !are_plain_) {
    return resumable_run(false);
  } else {
    const abi::registered_variable all_[] = {abi::register_one(variables)...};
    return resumable_run(abi::register_variables(all_, std::size(all_)));
  }
}

}  // namespace STRADSAP_BUILD
}  // namespace stradsap
