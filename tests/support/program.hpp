// What the test programs of tests/runtime share: loops written as stradsap-cc would emit them, so that the
// runtime is tested without it, and a hash of results.
#pragma once

#define STRADSAP_INSTRUMENTED
#include <cstdint>
#include <cstdio>

#include <stradsap/stradsap.hpp>

namespace test {

using stradsap::abi::aligned;
using stradsap::abi::container;
using stradsap::abi::loop;
using stradsap::abi::reads;
using stradsap::abi::steers;
using stradsap::abi::value;
using stradsap::abi::writes;

template <class T> auto sum(T& into) { return stradsap::abi::reduction<stradsap::abi::fold::sum>(into); }

/// A number in [0, below) that depends on (a, b) alone.
inline std::uint64_t draw(std::uint64_t a, std::uint64_t b, std::uint64_t below) {
  const std::uint64_t key[] = {a, b};
  return stradsap::abi::hash_bytes(key, sizeof key) % below;
}

}  // namespace test
