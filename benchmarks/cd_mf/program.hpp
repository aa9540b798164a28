// Common code of the rivals of cd_mf: all of the sequential original but the execution of its loops.
//
// The original is included, not copied. So options, reading, initial values, the solution of one row,
// printing and hash are the same.

#pragma once

#define main sequential_main
#include "../../examples/cd_mf/sequential.cpp"
#undef main

#include "../ratings.hpp"

template <int K> using Factor = std::array<float, K>;
