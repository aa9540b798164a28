// Functions that generated bodies call; no generated file has their text. Thread rule: pure functions.
#include "harness.hpp"

int far_mix(int a, int b) { return a * 31 + b; }
void far_bump(int& x, int by) { x = x * 3 + by; }
void far_scale(int* row, i64 d, int by) { scale_row(row, d, by); }
int far_total(const int* row, i64 d) { return std::accumulate(row, row + d, 0); }
