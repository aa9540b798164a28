// Patterns of RAJAPerf: its sequential lambdas as parallel loops, on whole numbers, in our own words. Its PolyBench group
// is polybench.cpp.
#include "corpus.hpp"

// ---- stream ----
LOOP(stream_add) { parallel_for(N, [&](i64 i) { c[i] = a[i] + b[i]; }, model); }
LOOP(stream_copy) { parallel_for(N, [&](i64 i) { c[i] = a[i]; }, model); }
LOOP(stream_dot) { i64 dot = 0; parallel_for(N, [&](i64 i) { dot += a[i] * b[i]; }, model); c[0] = static_cast<int>(dot); }
LOOP(stream_mul) { const int alpha = 3; parallel_for(N, [&, alpha](i64 i) { b[i] = alpha * c[i]; }, model); }
LOOP(stream_triad) { const int alpha = 3; parallel_for(N, [=, &a, &b, &c](i64 i) { a[i] = b[i] + alpha * c[i]; }, model); }

// ---- basic ----
LOOP(array_of_ptrs) {
  parallel_for(N, [&](i64 i) {
    int sum = 0;
    for (int k = 0; k < 3; ++k) sum += (k == 0 ? a : k == 1 ? b : c)[i];
    d[i] = sum;
  }, model);
}
LOOP(copy8) {
  std::vector<int> table(N, 5);
  parallel_for(N, [&](i64 i) { a[i] = table[i]; b[i] = table[i] + 1; c[i] = table[i] + 2; d[i] = table[i] + 3; e[i] = a[i] + d[i]; }, model);
}
LOOP(daxpy) { const int alpha = 7; parallel_for(N, [&](i64 i) { b[i] += alpha * a[i]; }, model); }
LOOP(daxpy_atomic) { const int alpha = 7; parallel_for(N, [&, alpha](i64 i) { b[i / 1] += alpha * a[i]; }, model); }
LOOP(if_quad) {
  parallel_for(N, [&](i64 i) {
    const int s = b[i] * b[i] - 4 * a[i] * c[i];
    if (s >= 0) {
      const int den = 2 * a[i] + 1;
      d[i] = (-b[i] + s) / den;
      e[i] = (-b[i] - s) / den;
    } else {
      d[i] = 0;
      e[i] = 0;
    }
  }, model);
}
LOOP(indexlist) {
  std::vector<int> place(N);
  int count = 0;
  for (i64 i = 0; i < N; ++i) { place[i] = count; count += std::as_const(a)[i] < 50; }
  parallel_for(N, [&](i64 i) { if (a[i] < 50) b[place[i]] = static_cast<int>(i); }, model);
}
LOOP(indexlist_3loop) {
  vec counts(N + 1);
  parallel_for(N, [&](i64 i) { counts[i] = a[i] < 50 ? 1 : 0; }, model);
  int count = 0;
  for (i64 i = 0; i <= N; ++i) count += std::exchange(counts[i], count);
  parallel_for(N, [&](i64 i) { if (counts[i] != counts[i + 1]) b[counts[i]] = static_cast<int>(i); }, model);
}
LOOP(init3) { parallel_for(N, [&](i64 i) { a[i] = b[i] = c[i] = -d[i] - e[i]; }, model); }
LOOP(init_view1d) { const int v = 7; parallel_for(N, [&, v](i64 i) { a[i] = (static_cast<int>(i) + 1) * v; }, model); }
LOOP(init_view1d_offset) { const int v = 7; parallel_for(N, [&, v](i64 t) { const i64 i = t + 1; a[i - 1] = static_cast<int>(i) * v; }, model); }
LOOP(mat_mat_shared) {
  constexpr i64 T = 8;
  parallel_for(L / T * (L / T), [&](i64 tile) {
    const i64 row = tile / (L / T) * T, column = tile % (L / T) * T;
    int held[T][T] = {};
    for (i64 from = 0; from < L; from += T)
      for (i64 y = 0; y < T; ++y)
        for (i64 x = 0; x < T; ++x)
          for (i64 k = 0; k < T; ++k) held[y][x] += aa[(row + y) * L + from + k] * bb[(from + k) * L + column + x];
    for (i64 y = 0; y < T; ++y)
      for (i64 x = 0; x < T; ++x) cc[(row + y) * L + column + x] = held[y][x];
  }, model);
}
LOOP(muladdsub) { parallel_for(N, [&](i64 i) { c[i] = a[i] * b[i]; d[i] = a[i] + b[i]; e[i] = a[i] - b[i]; }, model); }
LOOP(multi_reduce) {
  std::array<i64, 8> sums{};
  parallel_for(N, [&](i64 i) { sums[b[i] % 8] += a[i]; }, model);
  for (int k = 0; k < 8; ++k) c[k] = static_cast<int>(sums[k]);
}
LOOP(nested_init) {
  parallel_for(L, [&](i64 k) { for (i64 j = 0; j < L; ++j) aa[k * L + j] = static_cast<int>((k + 1) * j * k); }, model);
}
LOOP(pi_atomic) {
  dvector<i64> pi(1);
  parallel_for(N, [&](i64 i) { pi[0] += 1000000 / (1 + i * i); }, model);
  a[0] = static_cast<int>(pi[0]);
}
LOOP(pi_reduce) { i64 pi = 0; parallel_for(N, [&](i64 i) { pi += 1000000 / (1 + i * i); }, model); a[0] = static_cast<int>(pi); }
LOOP(reduce3_int) {
  int sum = 3, low = a[0], high = a[0];
  parallel_for(N, [&](i64 i) { sum += a[i]; low = std::min(low, a[i]); high = std::max(high, a[i]); }, model);
  b[0] = sum + low * 3 + high * 5;
}
LOOP(reduce_struct) {
  struct box { i64 sum_x = 0, sum_y = 0; int low_x = 1000, high_x = -1000, low_y = 1000, high_y = -1000; } box;
  parallel_for(N, [&](i64 i) {
    box.sum_x += a[i];
    box.sum_y += b[i];
    box.low_x = std::min(box.low_x, a[i]);
    box.high_x = std::max(box.high_x, a[i]);
    box.low_y = std::min(box.low_y, b[i]);
    box.high_y = std::max(box.high_y, b[i]);
  }, model);
  c[0] = static_cast<int>(box.sum_x * 3 + box.sum_y + box.low_x + box.high_x * 7 + box.low_y * 11 + box.high_y);
}
static i64 trap(i64 x, i64 y, i64 offset) { return 100000 / (1 + (x - offset) * (x - offset) + y * y); }
LOOP(trap_int) {
  const i64 offset = 17, y = 5;
  i64 sum = 0;
  parallel_for(N, [&sum, offset, y](i64 i) { sum += trap(i, y, offset); }, model);
  a[0] = static_cast<int>(sum);
}

// ---- lcals ----
LOOP(diff_predict) {
  constexpr i64 S = 8;
  vec p(S * N);
  fill(p, 4);
  parallel_for(N, [&](i64 i) {
    int ar = c[i];
    for (i64 k = 0; k < S - 1; ++k) {
      const int br = ar - p[i + N * k];
      p[i + N * k] = ar;
      ar = br;
    }
    p[i + N * (S - 1)] = ar;
  }, model);
  for (i64 i = 0; i < N; ++i) a[i] = std::as_const(p)[i * 7];
}
LOOP(eos) {
  const int q = 3, r = 5, t = 7;
  parallel_for(N - 7, [&, q, r, t](i64 i) {
    a[i] = b[i] + r * (c[i] + r * d[i]) + t * (b[i + 3] + r * (b[i + 2] + r * b[i + 1]) + t * (b[i + 6] + q * (b[i + 5] + q * b[i + 4])));
  }, model);
}
LOOP(first_diff) { parallel_for(N, [&](i64 i) { a[i] = b[i + 1] - b[i]; }, model); }
LOOP(first_min) {
  int low = a[0];
  i64 where = N;
  parallel_for(N, [&](i64 i) { low = std::min(low, a[i]); }, model);
  parallel_for(N, [&, low](i64 i) { if (a[i] == low) where = std::min(where, i); }, model);
  b[0] = static_cast<int>(where);
}
LOOP(first_sum) { a[0] = b[0] + b[0]; parallel_for(N - 1, [&](i64 k) { a[k + 1] = b[k] + b[k + 1]; }, model); }
LOOP(gen_lin_recur) {
  const int s = 3;
  parallel_for(N, [&, s](i64 k) { c[k] = a[k] + s * b[k]; }, model);
  parallel_for(N, [&](i64 t) { const i64 k = N - 1 - t; d[k] = a[k] + c[k] * b[k]; }, model);
}
LOOP(hydro_1d) { const int q = 2, r = 3, t = 5; parallel_for(N - 6, [&, q, r, t](i64 i) { a[i] = q + b[i] * (r * c[i + 5] + t * c[i + 6]); }, model); }
LOOP(hydro_2d) {
  parallel_for(L - 2, [&](i64 q) {
    const i64 k = q + 1;
    for (i64 j = 1; j < L - 1; ++j) cc[k * L + j] = (aa[(k + 1) * L + j - 1] + aa[k * L + j]) * (bb[k * L + j] + bb[k * L + j - 1]) / 5;
  }, model);
  parallel_for(L - 2, [&](i64 q) { const i64 k = q + 1; for (i64 j = 1; j < L - 1; ++j) aa[k * L + j] += 2 * cc[k * L + j]; }, model);
}
LOOP(int_predict) {
  constexpr i64 S = 13;
  vec p(S * N);
  fill(p, 6);
  parallel_for(N, [&](i64 i) {
    p[i] = 2 * p[i + N * 12] + 3 * p[i + N * 11] + 5 * p[i + N * 10] + 7 * p[i + N * 9] + p[i + N * 8] + p[i + N * 7] + p[i + N * 6] + p[i + N * 4] + p[i + N * 5] + p[i + N * 2];
  }, model);
  for (i64 i = 0; i < N; ++i) a[i] = std::as_const(p)[i];
}
LOOP(planckian) { parallel_for(N, [&](i64 i) { d[i] = 100 * a[i] / (b[i] + 1); e[i] = c[i] / (d[i] * d[i] + 1); }, model); }
LOOP(tridiag_elim) { parallel_for(N - 1, [&](i64 k) { const i64 i = k + 1; a[i] = c[i] * (b[i] - d[i - 1]); }, model); }

// ---- algorithms ----
LOOP(atomic) { vec sums(4); parallel_for(N, [&](i64 i) { sums[i % 4] += 1; }, model); for (int k = 0; k < 4; ++k) a[k] = std::as_const(sums)[k]; }
LOOP(histogram) { vec bins(100); parallel_for(N, [&](i64 i) { ++bins[b[i]]; }, model); for (int k = 0; k < 100; ++k) a[k] = std::as_const(bins)[k]; }
LOOP(memcpy_loop) { parallel_for(N, [&](i64 i) { a[i] = b[i]; }, model); }
LOOP(memset_loop) { parallel_for(N, [&](i64 i) { a[i] = 0x5a; }, model); }
LOOP(reduce_sum) { i64 sum = 0; parallel_for(N, [&](i64 i) { sum += a[i]; }, model); b[0] = static_cast<int>(sum); }
LOOP(scan) {  // by blocks: sums of blocks, then each block alone
  constexpr i64 B = 50;
  vec sums(N / B + 1);
  parallel_for(N / B, [&](i64 k) { int sum = 0; for (i64 i = k * B; i < (k + 1) * B; ++i) sum += b[i]; sums[k + 1] = sum; }, model);
  for (i64 k = 1; k <= N / B; ++k) sums[k] = sums[k] + std::as_const(sums)[k - 1];
  parallel_for(N / B, [&](i64 k) { int sum = sums[k]; for (i64 i = k * B; i < (k + 1) * B; ++i) { a[i] = sum; sum += b[i]; } }, model);
}
LOOP(sort_rows) {
  parallel_for(L, [&](i64 i) {
    for (i64 k = 1; k < L; ++k)
      for (i64 j = k; j > 0 && aa[i * L + j] < aa[i * L + j - 1]; --j) std::swap(aa[i * L + j], aa[i * L + j - 1]);
  }, model);
}
LOOP(sort_pairs) {
  parallel_for(L, [&](i64 i) {
    const auto keys = aa.span(i * L, L), values = bb.span(i * L, L);
    for (i64 k = 1; k < L; ++k)
      for (i64 j = k; j > 0 && keys[j] < keys[j - 1]; --j) {
        std::swap(keys[j], keys[j - 1]);
        std::swap(values[j], values[j - 1]);
      }
  }, model);
}

// ---- applications ----
LOOP(del_dot_vec_2d) {
  std::vector<int> zones;
  for (int z = 0; z < L * (L - 1) - 1; ++z) if (z % L != L - 1) zones.push_back(z);
  parallel_for(zones.size(), [&](i64 t) {
    const int i = zones[t];
    const int x1 = aa[i], x2 = aa[i + 1], x3 = aa[i + L + 1], x4 = aa[i + L];
    const int y1 = bb[i], y2 = bb[i + 1], y3 = bb[i + L + 1], y4 = bb[i + L];
    const int area = (x1 - x3) * (y2 - y4) - (x2 - x4) * (y1 - y3);
    cc[i] = ((x1 + x2) * (y1 - y2) + (x3 + x4) * (y3 - y4)) / (area | 1);
  }, model);
}
LOOP(energy) {
  parallel_for(N, [&](i64 i) { a[i] = b[i] - c[i] / 2 * (d[i] + e[i]); }, model);
  parallel_for(N, [&](i64 i) { if (c[i] > 50) d[i] = 0; else { const int v = (b[i] * a[i] + e[i]) / 7; d[i] = v <= 0 ? 1 : v; } }, model);
  parallel_for(N, [&](i64 i) { a[i] += (3 * (b[i] + d[i]) - 4 * (e[i] + d[i])) / 2; if (std::abs(a[i]) < 5) a[i] = 0; if (a[i] < -900) a[i] = -900; }, model);
}
LOOP(pressure) {
  parallel_for(N, [&](i64 i) { a[i] = 2 * (b[i] + 1) / 3; }, model);
  parallel_for(N, [&](i64 i) { c[i] = a[i] * d[i]; if (std::abs(c[i]) < 40) c[i] = 0; if (e[i] >= 70) c[i] = 0; if (c[i] < 10) c[i] = 10; }, model);
}
LOOP(fir) {
  std::array<int, 16> coefficients{3, -1, -1, -1, -1, 3, -1, -1, -1, -1, 3, -1, -1, -1, -1, 3};
  parallel_for(N - 16, [&, coefficients](i64 i) {
    int sum = 0;
    for (int j = 0; j < 16; ++j) sum += coefficients[j] * b[i + j];
    a[i] = sum;
  }, model);
}
LOOP(ltimes) {
  constexpr i64 D = 8, Z = 40, G = 4, M = 5;
  vec psi(Z * G * D), phi(Z * G * M);
  fill(psi, 8);
  parallel_for(Z, [&](i64 z) {
    for (i64 g = 0; g < G; ++g)
      for (i64 m = 0; m < M; ++m)
        for (i64 k = 0; k < D; ++k) phi[(z * G + g) * M + m] += aa[m * D + k] * psi[(z * G + g) * D + k];
  }, model);
  for (i64 i = 0; i < Z * G * M; ++i) a[i] = std::as_const(phi)[i];
}
LOOP(ltimes_noview) {
  constexpr i64 D = 8, Z = 40, M = 5;
  parallel_for(Z, [&](i64 z) {
    for (i64 m = 0; m < M; ++m) {
      int sum = a[z * M + m];
      for (i64 k = 0; k < D; ++k) sum += aa[m * D + k] * bb[z * D + k];
      a[z * M + m] = sum;
    }
  }, model);
}
// zones of a cube and their corners: four for short
static i64 corner(i64 zone, i64 k) { return zone + (k & 1) + (k >> 1) * L; }
LOOP(nodal_accumulation_3d) {
  vec x(L * L + L + 2);
  parallel_for(L * (L - 1), [&](i64 z) { const int v = aa[z] / 4; for (i64 k = 0; k < 4; ++k) x[corner(z, k)] += v; }, model);
  for (i64 i = 0; i < L * L; ++i) bb[i] = std::as_const(x)[i];
}
LOOP(zonal_accumulation_3d) { parallel_for(L * (L - 2), [&](i64 z) { int sum = 0; for (i64 k = 0; k < 4; ++k) sum += aa[corner(z, k)]; bb[z] = sum / 4; }, model); }
LOOP(vol3d) {
  parallel_for(L * (L - 2), [&](i64 z) {
    int x[4], y[4];
    for (i64 k = 0; k < 4; ++k) { x[k] = aa[corner(z, k)]; y[k] = bb[corner(z, k)]; }
    cc[z] = (x[3] - x[0]) * (y[2] - y[1]) - (x[2] - x[1]) * (y[3] - y[0]);
  }, model);
}
LOOP(matvec_3d_stencil) {
  parallel_for(L * L - 2 * L - 2, [&](i64 t) {
    const i64 i = t + L + 1;
    cc[i] = 2 * aa[i] + 3 * aa[i - 1] + 5 * aa[i + 1] + 7 * aa[i - L] + 11 * aa[i + L] + bb[i] * aa[i - L - 1] + bb[i - 1] * aa[i + L + 1];
  }, model);
}
// finite elements: gather from nodes, work in local arrays, scatter
template <int Q> static void element_work(vec& nodes, vec& to, const std::vector<int>& ip) {
  parallel_for(N / Q, [&](i64 e) {
    int local[Q], out[Q] = {};
    for (int q = 0; q < Q; ++q) local[q] = nodes[ip[e * Q + q]];
    for (int q = 0; q < Q; ++q)
      for (int p = 0; p < Q; ++p) out[q] += local[p] * ((p * q) % 3 - 1);
    for (int q = 0; q < Q; ++q) to[ip[e * Q + q]] += out[q];
  }, model);
}
LOOP(mass3dpa) { element_work<4>(a, b, ip); }
LOOP(diffusion3dpa) { element_work<5>(a, b, ip); element_work<5>(b, c, ip); }
LOOP(convection3dpa) { element_work<3>(a, b, ip); }
LOOP(mass3dea) {
  parallel_for(L, [&](i64 e) {
    int d1[4][4];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) d1[i][j] = aa[e * L + i * 4 + j];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        int sum = 0;
        for (int k = 0; k < 4; ++k) sum += d1[i][k] * d1[j][k];
        bb[e * L + i * 4 + j] = sum;
      }
  }, model);
}
LOOP(edge3d) { parallel_for(L * (L - 2), [&](i64 z) { int sum = 0; for (i64 k = 0; k < 4; ++k) for (i64 m = 0; m < 4; ++m) sum += aa[corner(z, k)] * bb[corner(z, m)]; cc[z] = sum; }, model); }
LOOP(intsc_hexhex) {
  parallel_for(N / 4, [&](i64 t) {
    int best = 0;
    for (i64 k = 0; k < 4; ++k) { const int v = a[4 * t + k] * b[4 * t + (k + 1) % 4] - a[4 * t + (k + 1) % 4] * b[4 * t + k]; if (v < 0) continue; best += v; if (best > 9000) break; }
    c[t] = best;
  }, model);
}
LOOP(intsc_hexrect) {
  i64 hits = 0;
  parallel_for(N, [&](i64 i) { const bool in = a[i] > 20 && a[i] < 80 && b[i] > 20 && b[i] < 80; if (!in) return; c[i] = a[i] * b[i]; ++hits; }, model);
  d[0] = static_cast<int>(hits);
}

// ---- halo exchange: lists of elements, packed and unpacked ----
LOOP(halo_packing) {
  std::vector<int> list;
  for (int i = 0; i < L; ++i) list.push_back(i * static_cast<int>(L));
  vec buffer(2 * L);
  parallel_for(L, [&](i64 i) { buffer[i] = aa[list[i]]; }, model);
  parallel_for(L, [&](i64 i) { buffer[L + i] = bb[list[i]]; }, model);
  parallel_for(L, [&](i64 i) { cc[list[i] + L - 1] = buffer[i] + buffer[L + i]; }, model);
}
LOOP(halo_packing_fused) {
  std::vector<int> list, from;
  for (int i = 0; i < 2 * L; ++i) { list.push_back(i % static_cast<int>(L) * static_cast<int>(L) + i / static_cast<int>(L)); from.push_back(i / static_cast<int>(L)); }
  vec buffer(2 * L);
  parallel_for(2 * L, [&](i64 i) { buffer[i] = from[i] == 0 ? aa[list[i]] : bb[list[i]]; }, model);
  parallel_for(2 * L, [&](i64 i) { if (from[i] == 0) aa[list[i] + 5] = buffer[i]; else bb[list[i] + 5] = buffer[i]; }, model);
}
LOOP(halo_exchange) {
  for (int t = 0; t < 3; ++t) {
    parallel_for(L, [&](i64 i) { aa[i * L] = aa[i * L + L - 2]; aa[i * L + L - 1] = aa[i * L + 1]; }, model);
    parallel_for(L, [&](i64 i) { aa[i] = aa[(L - 2) * L + i]; aa[(L - 1) * L + i] = aa[L + i]; }, model);
  }
}
LOOP(halo_exchange_fused) { parallel_for(4 * L, [&](i64 t) { const i64 i = t % L; switch (t / L) { case 0: a[t] = aa[i * L]; break; case 1: a[t] = aa[i * L + L - 1]; break; case 2: a[t] = aa[i]; break; default: a[t] = aa[(L - 1) * L + i]; } }, model); }
LOOP(halo_sendrecv) { parallel_for(N, [&](i64 i) { a[i] = b[N - 1 - i]; }, model); }

int main(int argc, char** argv) {
  run_all(argc, argv, {NAMED(stream_add), NAMED(stream_copy), NAMED(stream_dot), NAMED(stream_mul),
                      NAMED(stream_triad), NAMED(array_of_ptrs), NAMED(copy8), NAMED(daxpy),
                      NAMED(daxpy_atomic), NAMED(if_quad), NAMED(indexlist), NAMED(indexlist_3loop),
                      NAMED(init3), NAMED(init_view1d), NAMED(init_view1d_offset), NAMED(mat_mat_shared),
                      NAMED(muladdsub), NAMED(multi_reduce), NAMED(nested_init), NAMED(pi_atomic),
                      NAMED(pi_reduce), NAMED(reduce3_int), NAMED(reduce_struct), NAMED(trap_int),
                      NAMED(diff_predict), NAMED(eos), NAMED(first_diff), NAMED(first_min), NAMED(first_sum),
                      NAMED(gen_lin_recur), NAMED(hydro_1d), NAMED(hydro_2d), NAMED(int_predict),
                      NAMED(planckian), NAMED(tridiag_elim), NAMED(atomic), NAMED(histogram),
                      NAMED(memcpy_loop), NAMED(memset_loop), NAMED(reduce_sum), NAMED(scan),
                      NAMED(sort_rows), NAMED(sort_pairs), NAMED(del_dot_vec_2d), NAMED(energy),
                      NAMED(pressure), NAMED(fir), NAMED(ltimes), NAMED(ltimes_noview),
                      NAMED(nodal_accumulation_3d), NAMED(zonal_accumulation_3d), NAMED(vol3d),
                      NAMED(matvec_3d_stencil), NAMED(mass3dpa), NAMED(diffusion3dpa), NAMED(convection3dpa),
                      NAMED(mass3dea), NAMED(edge3d), NAMED(intsc_hexhex), NAMED(intsc_hexrect),
                      NAMED(halo_packing), NAMED(halo_packing_fused), NAMED(halo_exchange),
                      NAMED(halo_exchange_fused), NAMED(halo_sendrecv)});
}
