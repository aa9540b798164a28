// The upper halves of vector registers. Programs may be compiled for AVX, and the runtime is not. If a
// program leaves values in the upper halves, each SSE instruction of the runtime keeps them, and so waits for
// the instruction before it: hashing takes four times as long. g++ clears them before most calls, but not
// before all. Thread rule: any thread.
#pragma once

namespace stradsap::rt {

#if defined(__x86_64__)
inline const bool has_upper_halves = [] {
  __builtin_cpu_init();  // this may run before the compiler's own call
  return __builtin_cpu_supports("avx") != 0;
}();

/// Clears them. The compiler keeps no values in vector registers during the call.
inline void clear_upper_halves() {
  if (!has_upper_halves) return;
  asm volatile("vzeroupper" ::
                   : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                     "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
#else
inline void clear_upper_halves() {}
#endif

}  // namespace stradsap::rt
