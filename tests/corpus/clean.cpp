// Patterns of DataRaceBench: loops without a race. All are accepted, and end as the sequential program does.
#include "corpus.hpp"

LOOP(doall_vector) { parallel_for(N, [&](i64 i) { a[i] = a[i] + 1; }, model); }
LOOP(doall_matrix) { parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) aa[i * L + j] = aa[i * L + j] + 1; }, model); }
LOOP(first_private) { const int start = 5; parallel_for(N, [&, start](i64 i) { int x = start; x += a[i]; b[i] = x; }, model); }
LOOP(private_scalar) { parallel_for(N, [&](i64 i) { const int t = a[i] + static_cast<int>(i); a[i] = t; }, model); }
LOOP(private_inner_index) { parallel_for(L, [&](i64 i) { i64 j = 0; for (j = 0; j < L; ++j) bb[i * L + j] = static_cast<int>(i * j); }, model); }
LOOP(last_private) { i64 last = 0; parallel_for(N, [&](i64 i) { last = std::max(last, i); }, model); a[0] = static_cast<int>(last); }
LOOP(reduction_sum) { int sum = 0; parallel_for(N, [&](i64 i) { sum += a[i]; }, model); b[0] = sum; }
LOOP(reduction_matrix) { i64 sum = 0; parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) { const int t = aa[i * L + j]; sum += t * t; } }, model); b[0] = static_cast<int>(sum); }
LOOP(reduction_minus) { int left = N * 50; parallel_for(N, [&](i64 i) { left -= a[i]; }, model); b[0] = left; }
LOOP(pi) { i64 pi = 0; parallel_for(N, [&](i64 i) { const i64 x = 2 * i + 1; pi += 4000000 / (1 + x * x); }, model); a[0] = static_cast<int>(pi); }
LOOP(matrix_vector_outer) { parallel_for(L, [&](i64 i) { int sum = 0; for (i64 j = 0; j < L; ++j) sum += aa[i * L + j] * b[j]; c[i] = sum; }, model); }
LOOP(matrix_vector_inner) { for (i64 i = 0; i < L; ++i) { int sum = 0; parallel_for(L, [&, i](i64 j) { sum += aa[i * L + j] * b[j]; }, model); c[i] = sum; } }
LOOP(matrix_multiply) {
  parallel_for(L, [&](i64 i) { for (i64 k = 0; k < L; ++k) for (i64 j = 0; j < L; ++j) cc[i * L + j] += aa[i * L + k] * bb[k * L + j]; }, model);
}
LOOP(jacobi_step) {
  parallel_for(L - 2, [&](i64 k) {
    const i64 i = k + 1;
    for (i64 j = 1; j < L - 1; ++j) bb[i * L + j] = (aa[(i - 1) * L + j] + aa[(i + 1) * L + j] + aa[i * L + j - 1] + aa[i * L + j + 1]) / 4;
  }, model);
}
LOOP(jacobi_initialise) { parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) { const int x = static_cast<int>(2 * i - L), y = static_cast<int>(2 * j - L); aa[i * L + j] = 0; bb[i * L + j] = -x * x * y * y; } }, model); }
LOOP(inner_only) { for (i64 i = 0; i < L - 1; ++i) parallel_for(L - 1, [&, i](i64 j) { aa[i * L + j] = aa[(i + 1) * L + j]; }, model); }
LOOP(inner_only_backwards) { for (i64 i = 1; i < L; ++i) parallel_for(L, [&, i](i64 j) { bb[i * L + j] = bb[(i - 1) * L + j] * 2; }, model); }
LOOP(outer_only) { parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L - 1; ++j) aa[i * L + j] = aa[i * L + j + 1]; }, model); }
LOOP(outer_only_forwards) { parallel_for(L, [&](i64 i) { for (i64 j = 1; j < L; ++j) aa[i * L + j] = aa[i * L + j - 1] + 3; }, model); }
LOOP(indirect_permutation) { parallel_for(N, [&](i64 i) { a[ip[i]] = b[i] + static_cast<int>(i); }, model); }
LOOP(indirect_two_bases) { parallel_for(N, [&](i64 i) { a[ip[i]] += 1; b[ip[i]] += 3; }, model); }
LOOP(function_with_value) { const auto square = [](int x) { return x * x; }; parallel_for(N, [&](i64 i) { a[i] = square(i % 100); }, model); }
static void set_element(vec& a, i64 at, int value) { a[at] = value; }
LOOP(function_with_reference) { parallel_for(N, [&](i64 i) { set_element(a, i, b[i] * 2); }, model); }
LOOP(disjoint_halves) { parallel_for(N / 2, [&](i64 i) { a[i] = a[i + N / 2] * 3; }, model); }
LOOP(even_and_odd) { parallel_for(N / 2, [&](i64 i) { a[2 * i] = a[2 * i + 1] * 3; }, model); }
LOOP(atomic_count) { vec count(3); parallel_for(N, [&](i64 i) { count[a[i] % 3] += 1; }, model); for (int k = 0; k < 3; ++k) b[k] = std::as_const(count)[k]; }
LOOP(atomic_scatter) { parallel_for(N, [&](i64 i) { c[a[i]] -= b[i]; }, model); }
LOOP(global_constant) { parallel_for(N, [&](i64 i) { a[i] = b[i] * table16[i % 16]; }, model); }
LOOP(chunks) { parallel_for(N / 100, [&](i64 k) { for (i64 i = 100 * k; i < 100 * k + 100; ++i) a[i] = b[i] - c[i]; }, model); }
LOOP(triangle) { parallel_for(L, [&](i64 i) { for (i64 j = i; j < L; ++j) aa[i * L + j] += 1; }, model); }
LOOP(wavefront) { for (i64 s = 2; s < 2 * L - 1; ++s) parallel_for(L - 1, [&, s](i64 k) { const i64 i = k + 1, j = s - i; if (j >= 1 && j < L) aa[i * L + j] = aa[(i - 1) * L + j] + aa[i * L + j - 1]; }, model); }
LOOP(flag_reduction) { bool found = false; parallel_for(N, [&](i64 i) { if (a[i] == 42) found = true; }, model); b[0] = found; }

int main(int argc, char** argv) {
  run_all(argc, argv, {NAMED(doall_vector), NAMED(doall_matrix), NAMED(first_private), NAMED(private_scalar),
                      NAMED(private_inner_index), NAMED(last_private), NAMED(reduction_sum),
                      NAMED(reduction_matrix), NAMED(reduction_minus), NAMED(pi), NAMED(matrix_vector_outer),
                      NAMED(matrix_vector_inner), NAMED(matrix_multiply), NAMED(jacobi_step),
                      NAMED(jacobi_initialise), NAMED(inner_only), NAMED(inner_only_backwards),
                      NAMED(outer_only), NAMED(outer_only_forwards), NAMED(indirect_permutation),
                      NAMED(indirect_two_bases), NAMED(function_with_value), NAMED(function_with_reference),
                      NAMED(disjoint_halves), NAMED(even_and_odd), NAMED(atomic_count), NAMED(atomic_scatter),
                      NAMED(global_constant), NAMED(chunks), NAMED(triangle), NAMED(wavefront),
                      NAMED(flag_reduction)});
}
