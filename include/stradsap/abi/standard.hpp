// Each header includes this one first: for an older C++ the compiler prints one error instead of hundreds.
#pragma once

#if __cplusplus < 202002L
#error "StradsAP needs C++20: compile with -std=c++20 or later"
#include <stradsap/needs-c++20>  // does not exist, so the compiler stops here
#endif
