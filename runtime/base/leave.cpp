#include "runtime/base/leave.hpp"

#include <cstdio>

#include <unistd.h>

#include "runtime/base/suppressions.hpp"

// Defined by the tool that the program is linked with; null without it.
extern "C" {
[[gnu::weak]] void __gcov_dump();  // of Clang; g++ links its own only into programs that name it
[[gnu::weak]] void __gcov_exit();  // of g++
[[gnu::weak]] int __llvm_profile_write_file();
[[gnu::weak]] void __lsan_do_leak_check();

// Weak: a program may define its own, or add suppressions by TSAN_OPTIONS.
[[gnu::weak, gnu::used]] const char* __tsan_default_suppressions() {
  return stradsap::rt::thread_suppressions;
}
[[gnu::weak, gnu::used]] const char* __lsan_default_suppressions() { return stradsap::rt::leak_suppressions; }
}

namespace stradsap::rt {

void write_counts() {
  if (__gcov_dump != nullptr) {
    __gcov_dump();
  } else if (__gcov_exit != nullptr) {
    __gcov_exit();
  }
  if (__llvm_profile_write_file != nullptr) (void)__llvm_profile_write_file();
}

void leave(int status) {
  std::fflush(nullptr);
  write_counts();
  if (__lsan_do_leak_check != nullptr) __lsan_do_leak_check();
  // not std::_Exit: the thread sanitizer intercepts only _exit, where it changes the status after a data race
  _exit(status);
}

}  // namespace stradsap::rt
