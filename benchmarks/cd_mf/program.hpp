// What the rivals share with the sequential original, which is all of it but how its loops are run.
//
// The original is included rather than copied: options, reading, initial values, the solution of one row,
// printing and hash are the same by construction.

#pragma once

#define main sequential_main
#include "../../examples/cd_mf/sequential.cpp"
#undef main

#include "../ratings.hpp"

template <int K> using Factor = std::array<float, K>;
