// Patterns of DataRaceBench: loops with a data race that are still valid programs, since some order of their iterations
// is right. They end as one serial order, the same on all ranks. refused.cpp has the races without such an order.
#include "corpus.hpp"

LOOP(anti_next) { parallel_for(N - 1, [&](i64 i) { a[i] = a[i + 1] + 1; }, model); }
LOOP(anti_next_by_size) { const i64 n = opaque(N); parallel_for(n - 1, [&, n](i64 i) { a[i] = a[(i + 1) % n] + 1; }, model); }
LOOP(anti_row_below) { parallel_for(L - 1, [&](i64 i) { for (i64 j = 0; j < L; ++j) aa[i * L + j] += aa[(i + 1) * L + j]; }, model); }
LOOP(true_before) { parallel_for(N - 1, [&](i64 i) { a[i + 1] = a[i] + 1; }, model); }
LOOP(true_row_above) { parallel_for(L - 1, [&](i64 k) { const i64 i = k + 1; for (i64 j = 1; j < L; ++j) bb[i * L + j] = bb[(i - 1) * L + j - 1]; }, model); }
LOOP(true_in_row) { parallel_for(L, [&](i64 i) { for (i64 j = 1; j < L; ++j) bb[i * L + j] = bb[i * L + j - 1] + 1; }, model); }
LOOP(true_linear) { parallel_for(N / 2, [&](i64 i) { a[2 * i + 1] = a[i] + 1; }, model); }
LOOP(true_single_element) { parallel_for(N, [&](i64 i) { a[i] = a[i] + a[0]; }, model); }
LOOP(true_scalar_in_element) { parallel_for(N, [&](i64 i) { a[i] = b[0]; b[0] = static_cast<int>(i); }, model); }
LOOP(output_same_element) { parallel_for(N, [&](i64 i) { a[0] = static_cast<int>(i); b[i] = a[0]; }, model); }
LOOP(output_half) { parallel_for(N, [&](i64 i) { a[i / 2] = b[i]; }, model); }
LOOP(output_modulo) { parallel_for(N, [&](i64 i) { a[i % 64] = b[i]; }, model); }
LOOP(output_table) { parallel_for(N, [&](i64 i) { a[ip[i] / 3] = c[i]; }, model); }
LOOP(indirect_one) { parallel_for(N, [&](i64 i) { a[ip[i] % 50] = a[ip[i] % 50] * 3 + 1; }, model); }
LOOP(indirect_two) { parallel_for(N, [&](i64 i) { const int at = ip[i] % 180; a[at] += 1; a[at + 12] = a[at] * 2; }, model); }
LOOP(indirect_three) { parallel_for(N, [&](i64 i) { a[ip[i]] += b[i]; a[(ip[i] + 7) % N] ^= 3; }, model); }
LOOP(indirect_four) { parallel_for(N - 1, [&](i64 i) { a[ip[i]] = a[ip[i + 1]] + 1; }, model); }
LOOP(indirect_shifted) { const i64 shift = opaque(12); parallel_for(N - 12, [&, shift](i64 i) { a[i] = 1; a[i + shift] = 3; }, model); }
LOOP(plus_plus_element) { vec count(1); parallel_for(N, [&](i64 i) { a[count[0]] = b[i]; ++count[0]; }, model); }
LOOP(minus_minus_element) { vec left(1); left[0] = N; parallel_for(N, [&](i64 i) { --left[0]; a[left[0]] = b[i]; }, model); }
LOOP(read_write_neighbours) { parallel_for(N - 2, [&](i64 k) { const i64 i = k + 1; a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3; }, model); }
LOOP(stencil_in_place) {
  parallel_for(L - 2, [&](i64 k) {
    const i64 i = k + 1;
    for (i64 j = 1; j < L - 1; ++j) aa[i * L + j] = (aa[(i - 1) * L + j] + aa[(i + 1) * L + j] + aa[i * L + j - 1] + aa[i * L + j + 1]) / 4;
  }, model);
}
LOOP(columns_race) { parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) aa[j] = aa[j] * 3 + aa[i * L + j]; }, model); }
LOOP(symmetric_update) { parallel_for(L, [&](i64 i) { for (i64 j = 0; j < i; ++j) { aa[i * L + j] += 1; aa[j * L + i] = aa[i * L + j]; } }, model); }
LOOP(transpose_in_place) { parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) std::swap(aa[i * L + j], aa[j * L + i]); }, model); }
LOOP(prefix) { parallel_for(N - 1, [&](i64 i) { a[i + 1] += a[i]; }, model); }
LOOP(fibonacci) { parallel_for(N - 2, [&](i64 i) { a[i + 2] = a[i + 1] + a[i]; }, model); }
LOOP(find_root) {
  vec parent(N);
  for (i64 i = 0; i < N; ++i) parent[i] = static_cast<int>(i);
  parallel_for(N, [&](i64 i) {
    int x = static_cast<int>(i), y = ip[i] / 2;
    while (parent[x] != x) x = parent[x];
    while (parent[y] != y) y = parent[y];
    parent[std::max(x, y)] = std::min(x, y);
  }, model);
  for (i64 i = 0; i < N; ++i) a[i] = std::as_const(parent)[i];
}
LOOP(check_then_set) { parallel_for(N, [&](i64 i) { if (a[ip[i] % 90] < 50) a[ip[i] % 90] += b[i]; }, model); }
LOOP(max_with_place) { parallel_for(N, [&](i64 i) { if (a[i] > b[0]) { b[0] = a[i]; b[1] = static_cast<int>(i); } }, model); }
LOOP(flag_element) { parallel_for(N, [&](i64 i) { if (c[0] == 0 || a[i] == 17) c[0] = a[i]; d[i] = c[0]; }, model); }
LOOP(queue) { vec tail(1); parallel_for(N, [&](i64 i) { if (a[i] % 2 == 0) { b[tail[0] % N] = a[i]; tail[0] += 1; } }, model); }
LOOP(two_containers_one_element) { parallel_for(N, [&](i64 i) { a[i % 30] = b[(i + 1) % 30]; b[i % 30] = a[(i + 1) % 30]; }, model); }
LOOP(reverse_in_place) { parallel_for(N, [&](i64 i) { a[i] = a[N - 1 - i]; }, model); }
LOOP(swap_with_random) { parallel_for(N, [&](i64 i) { std::swap(a[i], a[ip[i]]); }, model); }
LOOP(function_parameter) {
  const auto set = [&a](i64 at, int value) { a[at] = value; };
  parallel_for(N, [&](i64 i) { set(i % 100, static_cast<int>(i)); }, model);
}
LOOP(reference_shared) { parallel_for(N, [&](i64 i) { auto& shared = a[5]; shared = shared * 3 + b[i]; }, model); }
LOOP(nested_inner_shared) { parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) c[j] = c[j] * 2 + aa[i * L + j]; }, model); }

int main(int argc, char** argv) {
  run_all(argc, argv, {NAMED(anti_next), NAMED(anti_next_by_size), NAMED(anti_row_below), NAMED(true_before),
                      NAMED(true_row_above), NAMED(true_in_row), NAMED(true_linear),
                      NAMED(true_single_element), NAMED(true_scalar_in_element), NAMED(output_same_element),
                      NAMED(output_half), NAMED(output_modulo), NAMED(output_table), NAMED(indirect_one),
                      NAMED(indirect_two), NAMED(indirect_three), NAMED(indirect_four),
                      NAMED(indirect_shifted), NAMED(plus_plus_element), NAMED(minus_minus_element),
                      NAMED(read_write_neighbours), NAMED(stencil_in_place), NAMED(columns_race),
                      NAMED(symmetric_update), NAMED(transpose_in_place), NAMED(prefix), NAMED(fibonacci),
                      NAMED(find_root), NAMED(check_then_set), NAMED(max_with_place), NAMED(flag_element),
                      NAMED(queue), NAMED(two_containers_one_element), NAMED(reverse_in_place),
                      NAMED(swap_with_random), NAMED(function_parameter), NAMED(reference_shared),
                      NAMED(nested_inner_shared)});
}
