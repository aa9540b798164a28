// Source locations of accesses, for check builds: an index or key carries the place of its access. In other
// builds it is just the index or key. Thread rule: values; the noted place is that of its thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <utility>

#include <stradsap/abi/build.hpp>
#include <stradsap/abi/reach.hpp>

namespace stradsap::abi {

#ifdef STRADSAP_CHECKED

template <class Key_> inline constexpr bool is_plain_key = std::is_arithmetic_v<Key_> || std::is_enum_v<Key_>;

/// An index or key with the source location of the access; a conversion at that place makes it.
template <class Key_> class located {
 public:
  /// A number is a copy, since no reference can refer to a bit-field. Not from a reach, although a reach
  /// converts to an index.
  template <class Given_>
    requires(is_plain_key<Key_> && !std::same_as<Given_, reach> &&
             requires(Given_ given) { static_cast<Key_>(given); })
  located(Given_ given, std::source_location where = std::source_location::current())
      : key_(static_cast<Key_>(given)), where_(where) {}
  template <class Given_>
    requires(!is_plain_key<Key_> && !std::same_as<std::remove_cvref_t<Given_>, reach> &&
             requires(Given_&& given) { static_cast<Key_>(std::forward<Given_>(given)); })
  located(Given_&& given, std::source_location where = std::source_location::current())
      : key_(static_cast<Key_>(std::forward<Given_>(given))), where_(where) {}
  /// For keys in braces: M[{1, 2}].
  template <class First_, class Second_>
    requires requires(First_&& a_, Second_&& b_) {
      Key_{std::forward<First_>(a_), std::forward<Second_>(b_)};
    }
  located(First_&& a_, Second_&& b_, std::source_location where = std::source_location::current())
      : key_{std::forward<First_>(a_), std::forward<Second_>(b_)}, where_(where) {}

  /// The key; notes the place for this thread.
  [[nodiscard]] const Key_& noted() const {
    current_access = {where_.file_name(), where_.line()};
    return key_;
  }

 private:
  Key_ key_;
  std::source_location where_;
};

/// Not a template: in a generic lambda, clang++ 19 would take constants in the expression before a default
/// argument for captured ones.
template <> class located<reach> {
 public:
  located(const reach& given, std::source_location where = std::source_location::current())
      : reach_(given), where_(where) {}
  [[nodiscard]] const reach& noted() const {
    current_access = {where_.file_name(), where_.line()};
    return reach_;
  }

 private:
  reach reach_;
  std::source_location where_;
};

template <class Key_> using asked = located<Key_>;
template <class Key_> const Key_& noted(const located<Key_>& key) { return key.noted(); }
/// Marks the place of the next access as unknown.
inline void forget_place() { current_access = {}; }

#else

template <class Key_> using asked = const Key_&;
template <class Key_> const Key_& noted(const Key_& key) { return key; }
inline void forget_place() {}

#endif

}  // namespace stradsap::abi
