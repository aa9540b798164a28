// Tells the user's lines of a call stack from those of the runtime and of the system. Thread rule:
// thread-safe, also in a signal handler.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <string_view>

namespace stradsap::rt {

inline bool is_of_system(std::string_view file) {
  return file.starts_with("/usr/") || file.starts_with("/lib/");
}

inline bool is_of_runtime(std::string_view file) {
  constexpr std::string_view here = __FILE__;
  constexpr std::string_view runtime = here.substr(0, here.rfind("base/"));
  return file.find("/include/stradsap/") != std::string_view::npos ||
         (!runtime.empty() && file.starts_with(runtime));
}

inline bool is_in_system_library(std::uintptr_t pc) {
  Dl_info found;
  return dladdr(reinterpret_cast<void*>(pc), &found) != 0 && is_of_system(found.dli_fname);
}

}  // namespace stradsap::rt
