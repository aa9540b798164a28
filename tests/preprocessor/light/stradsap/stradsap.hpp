// Replaces the library's header in tests of the driver that run no program. It declares the names of
// generated text and compiles in a fiftieth of the time. A loop runs nothing; compilers only parse its text.
#pragma once

#include <cstddef>
#include <cstdint>

#include <stradsap/serialize.hpp>

namespace stradsap {

struct ConsistencyModel {};
namespace consistency {
inline constexpr ConsistencyModel async{};
}  // namespace consistency

template <class T> class dvector {
 public:
  dvector() = default;
  explicit dvector(std::size_t) {}
  T& operator[](std::int64_t) { return *new T(); }
  T* begin() { return nullptr; }
  T* end() { return nullptr; }
  std::int64_t size() const { return 0; }
};

template <class Body> void parallel_for(std::int64_t, Body, ConsistencyModel) {}

struct stradsap_sum {};
struct captured {};
struct name {
  template <std::size_t N> consteval name(const char (&)[N]) {}
};

void stradsap_enter_main();

template <int How, class T> captured stradsap_value(T&) { return {}; }
template <class T> const T& stradsap_number(const T& value) { return value; }
template <int Length, name Name, std::uint64_t... How, class T> captured stradsap_container(T&) { return {}; }
template <class Fold, name Name, class T> captured stradsap_reduction(T&) { return {}; }
template <std::uint64_t Id, int Ordinal, class Factory, class... Captured>
captured stradsap_loop(const char*, Factory, Captured...) {
  return {};
}

template <class... T> struct stradsap_carry {
  explicit stradsap_carry(const T&...) {}
};
template <unsigned Bits, class Factory> captured stradsap_straight(Factory) { return {}; }
template <class T> struct stradsap_interleaved_values {
  T stradsap_of[4];
};
template <class T> using stradsap_carried_type = T;
template <std::size_t I, class All> auto& stradsap_at(All& all) { return all; }
template <class... Phase> captured stradsap_phases(Phase...) { return {}; }
template <std::uint64_t Read, class Factory, class Phases> captured stradsap_interleaved(Factory, Phases) {
  return {};
}

}  // namespace stradsap
