// Values of a running program: `--metrics` writes them to a file, the progress line shows the last one,
// and a bad one causes a warning. Thread rule: called on the driver, outside loop bodies.
#pragma once

#include <concepts>
#include <iterator>
#include <source_location>
#include <string_view>
#include <type_traits>

#include <stradsap/abi/abi.hpp>
#include <stradsap/running.hpp>

namespace stradsap {
namespace abi {

template <class T_>
concept reportable = std::is_arithmetic_v<T_> || is_running<T_>;

/// The first name of a report, and the place of the report.
struct report_name {
  template <std::convertible_to<std::string_view> Text_>
  report_name(const Text_& name, const std::source_location& at = std::source_location::current())
      : text(name), where(at) {}
  std::string_view text;
  std::source_location where;
};

template <reportable Value_, class... More_>
void fill_report(reported_value* at_, std::string_view name, Value_ value, const More_&... more) {
  *at_ = {name, static_cast<double>(value)};
  if constexpr (sizeof...(More_) > 0) fill_report(at_ + 1, more...);
}

}  // namespace abi

/// Reports values by name, as one row of the file of `--metrics`. Warns on stderr with the line, once for
/// each name, if a value is NaN or infinite, and if `objective` or `loss` rises three reports running.
/// Without `--metrics` a call takes less than a microsecond. Throws error(errc::unsupported) in a loop body,
/// and for the name of a column that the runtime fills.
/// @code
/// double loss = 0;
/// async_for(n, [&X, &loss](int64_t j) { loss += X[j] * X[j]; });
/// report("loss", loss, "rate", 0.1);
/// @endcode
template <abi::reportable Value_, class... More_>
  requires(sizeof...(More_) % 2 == 0)
void report(abi::report_name name, Value_ value, const More_&... more) {
  abi::reported_value all_[1 + sizeof...(More_) / 2];
  abi::fill_report(all_, name.text, value, more...);
  abi::report(all_, std::size(all_), name.where);
}

}  // namespace stradsap
