// The original's options and points.

#pragma once

#define main sequential_main
#include "../../examples/kmeans/sequential.cpp"
#undef main
