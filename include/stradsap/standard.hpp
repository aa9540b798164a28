// Included first by whatever needs it: one error in the place of hundreds where the compiler reads older C++.
#pragma once

#if __cplusplus < 202002L
#error "StradsAP needs C++20: compile with -std=c++20 or later"
#include <stradsap/needs-c++20>  // there is none, so that the compiler stops here
#endif
