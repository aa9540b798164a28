#include "runtime/base/leave.hpp"

#include <cstdio>

#include <unistd.h>

#include "runtime/base/suppressions.hpp"

// Whose they are is linked where the program is built with it.
extern "C" {
[[gnu::weak]] void __gcov_dump();  // Clang's; g++ links its own only for those that name it
[[gnu::weak]] void __gcov_exit();  // g++'s
[[gnu::weak]] int __llvm_profile_write_file();
[[gnu::weak]] void __lsan_do_leak_check();

// A program may have its own, or add some by TSAN_OPTIONS.
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
  // not std::_Exit, at which the thread sanitizer does not look: it ends a process in which threads raced by
  // its own status
  _exit(status);
}

}  // namespace stradsap::rt
