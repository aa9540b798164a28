// The head of all corpus files: the data of the loops, their table, and main. stradsap-cc and the twin
// (tools/fuzzer/cxx/twin) read the same text. `PROGRAM async|ordered [LOOP...]` leaves out the named loops.
#pragma once

#include "harness.hpp"

using stradsap::parallel_for;
using vec = dvector<int>;

constexpr i64 N = 1200;  // elements of a vector: enough for `ordered` to use all threads
constexpr i64 L = 40;    // rows and columns of a matrix

inline stradsap::ConsistencyModel model = consistency::async;

/// The data of one loop, always the same: vectors of about N elements, matrices of L x L, permutations.
struct arrays {
  vec a, b, c, d, e, aa, bb, cc;
  std::vector<int> ip;
  arrays() : a(N + 8), b(N + 8), c(N + 8), d(N + 8), e(N + 8), aa(L * L), bb(L * L), cc(L * L), ip(N) {
    u64 salt = 1;
    for (vec* of : {&a, &b, &c, &d, &e, &aa, &bb, &cc}) fill(*of, salt++);
    for (i64 i = 0; i < N; ++i) ip[i] = static_cast<int>(i * 7 % N);
  }
};

// A loop takes the arrays as parameters and leaves its results in them.
#define LOOP(name)                                                                                              \
  static void name([[maybe_unused]] vec& a, [[maybe_unused]] vec& b, [[maybe_unused]] vec& c,                    \
                   [[maybe_unused]] vec& d, [[maybe_unused]] vec& e, [[maybe_unused]] vec& aa,                   \
                   [[maybe_unused]] vec& bb, [[maybe_unused]] vec& cc, [[maybe_unused]] const std::vector<int>& ip)

using loop_function = void (*)(vec&, vec&, vec&, vec&, vec&, vec&, vec&, vec&, const std::vector<int>&);

struct named_loop {
  const char* name;
  loop_function loop;
};
#define NAMED(loop) named_loop{#loop, loop}

inline void run_loop(int argc, char** argv, const char* name, loop_function loop) {
  for (int i = 2; i < argc; ++i)
    if (std::strcmp(argv[i], name) == 0) return;
  arrays of;
  std::printf("%s", name);
  try {
    loop(of.a, of.b, of.c, of.d, of.e, of.aa, of.bb, of.cc, of.ip);
  } catch (const std::exception& e) {
    std::printf(" threw: %s", e.what());
  }
  const char* names[] = {"a", "b", "c", "d", "e", "aa", "bb", "cc"};
  const vec* all[] = {&of.a, &of.b, &of.c, &of.d, &of.e, &of.aa, &of.bb, &of.cc};
  for (int k = 0; k < 8; ++k) show(names[k], *all[k]);
  std::printf(" .\n");
  std::fflush(stdout);
}

inline void run_all(int argc, char** argv, std::initializer_list<named_loop> loops) {
  if (argc > 1 && std::strcmp(argv[1], "ordered") == 0) model = consistency::ordered;
  for (const auto& [name, loop] : loops) run_loop(argc, argv, name, loop);
}
