// The original's options, samples and functions.

#pragma once

#define main sequential_main
#include "../../examples/mlp/sequential.cpp"
#undef main
