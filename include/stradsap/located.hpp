// Check builds know where in the program each access stands: an index or key that is asked for brings the
// place of the question along. In other builds it is just the index or key. Thread rule: values.
#pragma once

#include <cstdint>
#include <source_location>
#include <utility>

#include <stradsap/build.hpp>

namespace stradsap::abi {

#ifdef STRADSAP_CHECKED

/// An index or key and the place in the program where it was given; made by conversion, at that place.
template <class Key> class located {
 public:
  template <class Given>
    requires requires(Given&& given) { static_cast<Key>(std::forward<Given>(given)); }
  located(Given&& given, std::source_location where = std::source_location::current())
      : key_(static_cast<Key>(std::forward<Given>(given))), where_(where) {}
  /// M[{1, 2}].
  template <class First, class Second>
    requires requires(First&& a, Second&& b) { Key{std::forward<First>(a), std::forward<Second>(b)}; }
  located(First&& a, Second&& b, std::source_location where = std::source_location::current())
      : key_{std::forward<First>(a), std::forward<Second>(b)}, where_(where) {}

  /// The key, after noting for this thread where it was given.
  [[nodiscard]] const Key& noted() const {
    current_access = {where_.file_name(), where_.line()};
    return key_;
  }

 private:
  Key key_;
  std::source_location where_;
};

template <class Key> using asked = located<Key>;
template <class Key> const Key& noted(const located<Key>& key) { return key.noted(); }
/// The next access stands at a place that nobody knows.
inline void forget_place() { current_access = {}; }

#else

template <class Key> using asked = const Key&;
template <class Key> const Key& noted(const Key& key) { return key; }
inline void forget_place() {}

#endif

}  // namespace stradsap::abi
