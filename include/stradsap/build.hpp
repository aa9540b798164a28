// Which of three builds this is: `dist`, made by stradsap-cc; `checked`, the same with every access compared
// with the recorded sets (STRADSAP_CHECKED); `seq`, by a plain compiler, where loops run here and in program
// order. What differs between builds lives in an inline namespace of that name, so that objects of two builds
// do not link where they meet, and a program that holds objects of two builds ends as it starts.
#pragma once

#include <stradsap/abi.hpp>

#if defined(STRADSAP_INSTRUMENTED) && defined(STRADSAP_CHECKED)
#define STRADSAP_BUILD checked
#elif defined(STRADSAP_INSTRUMENTED)
#define STRADSAP_BUILD dist
#else
#undef STRADSAP_CHECKED  // nothing is recorded that could be compared
#define STRADSAP_BUILD seq
#endif

namespace stradsap {
inline namespace STRADSAP_BUILD {}

namespace abi {

inline namespace STRADSAP_BUILD {
inline constexpr build this_build = build::STRADSAP_BUILD;
inline const build_mark mark_of_this_build{this_build};
}  // namespace STRADSAP_BUILD

}  // namespace abi
}  // namespace stradsap
