// Opens containers before statements of `main` that access them, under options such as -ffast-math:
//
//   user:     for (size_t k = 0; k < W.size(); ++k) W[k] -= rate * G[k];
//   emitted:  ::stradsap::stradsap_open_to_write(G), ::stradsap::stradsap_open_to_write(W); for (...) ...
//
// g++ compiles such a loop twice, for open containers and for others, and the copies round differently.
// docs/decisions/driver-access.md has the reasons. Thread rule: that of the containers.
#pragma once

#include <stradsap/abi/elements.hpp>
#include <stradsap/abi/internals.hpp>

namespace stradsap::abi {

template <class C_>
[[__gnu__::__always_inline__]] inline void stradsap_open_to_read([[maybe_unused]] const C_& one) {
  if constexpr (internals::opens<C_>) internals::open_handle(one, access::read);
}
template <class C_>
[[__gnu__::__always_inline__]] inline void stradsap_open_to_write([[maybe_unused]] const C_& one) {
  if constexpr (internals::opens<C_>) internals::open_handle(one, access::write);
}

}  // namespace stradsap::abi

namespace stradsap {

using abi::stradsap_open_to_read;
using abi::stradsap_open_to_write;

}  // namespace stradsap
