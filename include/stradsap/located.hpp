// Check builds know where in the program each access stands: an index or key that is asked for brings the
// place of the question along. In other builds it is just the index or key. Thread rule: values.
#pragma once

#include <concepts>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <utility>

#include <stradsap/build.hpp>
#include <stradsap/reach.hpp>

namespace stradsap::abi {

#ifdef STRADSAP_CHECKED

/// An index or key and the place in the program where it was given; made by conversion, at that place.
template <class Key_> class located {
 public:
  /// A reach is no index, although it may be used as one.
  template <class Given_>
    requires(!std::same_as<std::remove_cvref_t<Given_>, reach> &&
             requires(Given_&& given) { static_cast<Key_>(std::forward<Given_>(given)); })
  located(Given_&& given, std::source_location where = std::source_location::current())
      : key_(static_cast<Key_>(std::forward<Given_>(given))), where_(where) {}
  /// M[{1, 2}].
  template <class First_, class Second_>
    requires requires(First_&& a_, Second_&& b_) {
      Key_{std::forward<First_>(a_), std::forward<Second_>(b_)};
    }
  located(First_&& a_, Second_&& b_, std::source_location where = std::source_location::current())
      : key_{std::forward<First_>(a_), std::forward<Second_>(b_)}, where_(where) {}

  /// The key, after noting for this thread where it was given.
  [[nodiscard]] const Key_& noted() const {
    current_access = {where_.file_name(), where_.line()};
    return key_;
  }

 private:
  Key_ key_;
  std::source_location where_;
};

/// No template: where clang++ 19 instantiates a default argument in a generic lambda, it takes constants of
/// the expression before it for captured.
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
/// The next access stands at a place that nobody knows.
inline void forget_place() { current_access = {}; }

#else

template <class Key_> using asked = const Key_&;
template <class Key_> const Key_& noted(const Key_& key) { return key; }
inline void forget_place() {}

#endif

}  // namespace stradsap::abi
