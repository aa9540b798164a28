// Containers as JSON lines, for values that are no arrays of numbers. Thread rule: the driver's thread,
// outside loop bodies.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <stradsap/abi/files.hpp>
#include <stradsap/dmap.hpp>
#include <stradsap/dvector.hpp>

namespace stradsap {
namespace abi {

/// Whether JSON has a value for every T.
template <class T_> consteval bool has_json() {
  if constexpr (is_vector<T_> || is_array<T_>) {
    return has_json<std::remove_cvref_t<decltype(*std::begin(std::declval<const T_&>()))>>();
  } else if constexpr (is_tuple<T_>) {
    return []<class... Part_>(std::type_identity<std::tuple<Part_...>>) {
      return (has_json<Part_>() && ...);
    }(std::type_identity<decltype(std::tuple_cat(std::declval<T_>()))>{});
  } else {
    return std::is_arithmetic_v<T_> || std::is_same_v<T_, std::string>;
  }
}

template <class T_> void append_json_value(std::string& to, const T_& value) {
  if constexpr (std::is_same_v<T_, std::string>) {
    append_json(to, std::string_view(value));
  } else if constexpr (std::is_same_v<T_, bool>) {
    to += value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T_>) {
    to += std::to_string(value);
  } else if constexpr (std::is_floating_point_v<T_>) {
    append_json(to, static_cast<std::conditional_t<std::is_same_v<T_, float>, float, double>>(value));
  } else {
    const auto add = [&](const auto& part) {
      if (to.back() != '[') to += ", ";
      append_json_value(to, part);
    };
    to += '[';
    if constexpr (is_tuple<T_>) {
      std::apply([&](const auto&... part) { (add(part), ...); }, value);
    } else {
      for (const auto& part : value) add(part);
    }
    to += ']';
  }
}

template <class Elements_>
void save_lines(const std::string& folder, const std::string& name, const Elements_& elements) {
  static_assert(has_json<typename Elements_::value_type>(),
                "save_jsonl: elements are numbers, strings, and lists of such");
  auto file = new_lines(folder, name);
  for (const auto& element : elements) {
    append_json_value(file.line(), element);
    file.add();
  }
  file.complete();
}

}  // namespace abi

inline namespace STRADSAP_BUILD {

/// Saves a container as FOLDER/NAME.jsonl, one line of JSON for each element: its value, or for a dmap
/// {"key": ..., "value": ...}. T, K and V are numbers, strings, and vectors, arrays, pairs and tuples of
/// such, which become lists. NaN and infinities are written as Python's json reads them. Brings all elements
/// to the driver.
/// The file is written aside, and gets its name when all bytes are on the disk; an entry in
/// FOLDER/manifest.json follows.
/// Throws error(errc::output): "FOLDER/NAME.jsonl: cannot be written: ...". Then the files of before are
/// unchanged.
/// @code
/// const dvector<std::string> words{"plain", "words"};
/// dmap<std::string, long> counts;
/// counts["plain"] = 2;
/// save_jsonl("model", "vocabulary", words);
/// save_jsonl("model", "counts", counts);
/// @endcode
template <class T_>
void save_jsonl(const std::string& folder, const std::string& name, const dvector<T_>& elements) {
  abi::save_lines(folder, name, elements);
}
/// The same for data of main, such as corpus::words.
template <class T_>
void save_jsonl(const std::string& folder, const std::string& name, const std::vector<T_>& elements) {
  abi::save_lines(folder, name, elements);
}
template <class K_, class V_>
void save_jsonl(const std::string& folder, const std::string& name, const dmap<K_, V_>& entries) {
  static_assert(abi::has_json<K_>() && abi::has_json<V_>(),
                "save_jsonl: keys and values are numbers, strings, and lists of such");
  auto file = abi::new_lines(folder, name);
  for (const auto& [key, value] : entries) {
    file.line() += "{\"key\": ";
    abi::append_json_value(file.line(), key);
    file.line() += ", \"value\": ";
    abi::append_json_value(file.line(), value);
    file.line() += '}';
    file.add();
  }
  file.complete();
}

}  // namespace STRADSAP_BUILD
}  // namespace stradsap
