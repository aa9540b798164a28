// What sanitizers are not to report: libzmq, and the libpgm that it starts, are not built with them, and how
// they hand data on from thread to thread is not seen; a message that libzmq still holds when its context
// ends is its own business. stradsap-cc links this file by its first name where the native compiler is Clang,
// whose sanitizers lie in the program and define the other two weakly, as leave.cpp does. Those of g++ are
// libraries.
#include "runtime/base/suppressions.hpp"

extern "C" {
extern const char stradsap_suppressions[];
const char stradsap_suppressions[] = "linked";

const char* __tsan_default_suppressions() { return stradsap::rt::thread_suppressions; }
const char* __lsan_default_suppressions() { return stradsap::rt::leak_suppressions; }
}
