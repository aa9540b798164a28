// A program's merge function without its types. Thread rule: values.
#pragma once

#include <type_traits>
#include <typeinfo>

namespace stradsap::abi {

/// The type of a merge function, as data.
struct merge_signature {
  const std::type_info* type;  // of the values that it folds
  /// Replaces the value at `into` by code(into, start, end).
  void (*call)(void (*code)(), void* into, const void* start, const void* end);
  friend constexpr bool operator==(const merge_signature&, const merge_signature&) noexcept = default;
};

struct merge_function {
  const merge_signature* signature = nullptr;  // static data
  void (*code)() = nullptr;
  friend constexpr bool operator==(const merge_function&, const merge_function&) noexcept = default;

  /// Whether it folds values of the type.
  [[nodiscard]] bool folds(const std::type_info& type) const {
    return signature != nullptr && *signature->type == type;
  }
  void operator()(void* into, const void* start, const void* end) const {
    signature->call(code, into, start, end);
  }
};

template <class Value_, class... Argument_> struct typed_merge {
  static constexpr bool is_one = sizeof...(Argument_) == 3 && !std::is_void_v<Value_> &&
                                 (std::is_same_v<std::remove_cvref_t<Argument_>, Value_> && ...);
  static void call(void (*code)(), void* into, const void* start, const void* end) {
    auto& folded = *static_cast<Value_*>(into);
    folded = reinterpret_cast<Value_ (*)(Argument_...)>(code)(folded, *static_cast<const Value_*>(start),
                                                              *static_cast<const Value_*>(end));
  }
  static constexpr merge_signature signature{&typeid(Value_), &call};
};
template <class Value_, class... Argument_>
typed_merge<Value_, Argument_...> typed_merge_of(Value_ (*)(Argument_...));

/// A function, or a lambda without captures, that folds values: value(value, value, value), or by const
/// references.
template <class Function_>
concept merges_values = requires(Function_ f_) { requires decltype(typed_merge_of(+f_))::is_one; };

template <class Value_, class... Argument_> merge_function as_merge_function(Value_ (*code)(Argument_...)) {
  return {&typed_merge<Value_, Argument_...>::signature, reinterpret_cast<void (*)()>(code)};
}

}  // namespace stradsap::abi
