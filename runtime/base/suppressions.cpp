// Suppressions for sanitizers. libzmq and libpgm are not built with them, so the thread sanitizer does not
// see how they pass data between threads. Messages that libzmq still holds at the end of its context count as
// leaks.
// stradsap-cc links this file, by its symbol `stradsap_suppressions`, if the native compiler is Clang.
// Clang's sanitizers are part of the program and define the other two functions weakly, as leave.cpp does.
// The sanitizers of g++ are libraries.
#include "runtime/base/suppressions.hpp"

extern "C" {
extern const char stradsap_suppressions[];
const char stradsap_suppressions[] = "linked";

const char* __tsan_default_suppressions() { return stradsap::rt::thread_suppressions; }
const char* __lsan_default_suppressions() { return stradsap::rt::leak_suppressions; }
}
