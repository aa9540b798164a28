// Selects one of three builds: `dist`, made by stradsap-cc; `checked`, the same with every access compared
// with the recorded sets (STRADSAP_CHECKED); `seq`, made by a plain compiler, with loops that run on the
// calling thread in program order.
// Names that differ between builds are in an inline namespace with the name of the build. So objects of two
// builds do not link if they share such a name; else the program ends at its start.
// Thread rule: constants.
#pragma once

#include <stradsap/abi/abi.hpp>

#if defined(STRADSAP_INSTRUMENTED) && defined(STRADSAP_CHECKED)
#define STRADSAP_BUILD checked
#elif defined(STRADSAP_INSTRUMENTED)
#define STRADSAP_BUILD dist
#else
#undef STRADSAP_CHECKED  // no sets are recorded
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
