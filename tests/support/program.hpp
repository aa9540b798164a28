// Shared by the test programs of tests/runtime: loops in the form that stradsap-cc would emit, and a hash of
// results. They test the runtime without stradsap-cc.
#pragma once

#define STRADSAP_INSTRUMENTED
#include <cstdint>
#include <cstdio>

#include <stradsap/stradsap.hpp>

namespace test {

using stradsap::abi::aligned;
using stradsap::abi::reads;
using stradsap::abi::steers;
using stradsap::abi::writes;

template <std::uint64_t Id, unsigned Flags, class Factory, class... Capture>
auto loop(const char* site, Factory factory, Capture... captures) {
  return stradsap::stradsap_loop<Id, Flags>(site, factory, captures...);
}
template <unsigned Mode, class T> auto value(const T& from) { return stradsap::stradsap_value<Mode>(from); }
template <unsigned Mode, stradsap::abi::name_text Name = "", std::uint64_t... Fields, class C>
auto container(C& from) {
  return stradsap::stradsap_container<Mode, Name, Fields...>(from);
}
template <stradsap::abi::name_text Name = "", class T> auto sum(T& into) {
  return stradsap::stradsap_reduction<stradsap::stradsap_sum, Name>(into);
}

/// A number in [0, below) that depends on (a, b) alone.
inline std::uint64_t draw(std::uint64_t a, std::uint64_t b, std::uint64_t below) {
  const std::uint64_t key[] = {a, b};
  return stradsap::abi::hash_bytes(key, sizeof key) % below;
}

}  // namespace test
