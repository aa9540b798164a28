// The original's options, samples and functions.

#pragma once

#define main sequential_main
#include "../../examples/mlr/sequential.cpp"
#undef main
