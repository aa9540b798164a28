// Patterns of TSVC, the loops that test vectorisers, in our own words: linear dependences,
// induction variables, transformations of control flow and storage. Numbers are TSVC's. The second
// half is tsvc_two.cpp. refused.cpp has the loops with a carried scalar that stradsap-cc refuses.
#include "corpus.hpp"

LOOP(s000) { parallel_for(N, [&](i64 i) { a[i] = b[i] + 1; }, model); }
LOOP(s111) { parallel_for(N / 2, [&](i64 k) { a[2 * k + 1] = a[2 * k] + b[2 * k + 1]; }, model); }
LOOP(s1111) {
  parallel_for(N / 2, [&](i64 i) { a[2 * i] = c[i] * b[i] + d[i] * b[i] + c[i] * c[i] + d[i] * b[i] + d[i] * c[i]; }, model);
}
LOOP(s112) { parallel_for(N - 1, [&](i64 k) { const i64 i = N - 2 - k; a[i + 1] = a[i] + b[i]; }, model); }
LOOP(s1112) { parallel_for(N, [&](i64 k) { a[N - 1 - k] = b[N - 1 - k] + 1; }, model); }
LOOP(s113) { parallel_for(N - 1, [&](i64 i) { a[i + 1] = a[0] + b[i + 1]; }, model); }
LOOP(s1113) { parallel_for(N, [&](i64 i) { a[i] = a[N / 2] + b[i]; }, model); }
LOOP(s114) {
  parallel_for(L, [&](i64 i) { for (i64 j = 0; j < i; ++j) aa[i * L + j] = aa[j * L + i] + bb[i * L + j]; }, model);
}
LOOP(s115) {
  for (i64 j = 0; j < L; ++j)
    parallel_for(L - 1 - j, [&, j](i64 k) { const i64 i = j + 1 + k; a[i] -= aa[j * L + i] * a[j]; }, model);
}
LOOP(s1115) {
  parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) aa[i * L + j] = aa[i * L + j] * cc[j * L + i] + bb[i * L + j]; }, model);
}
LOOP(s116) {
  parallel_for(N / 5 - 1, [&](i64 k) {
    const i64 i = 5 * k;
    a[i] = a[i + 1] * a[i];
    a[i + 1] = a[i + 2] * a[i + 1];
    a[i + 2] = a[i + 3] * a[i + 2];
    a[i + 3] = a[i + 4] * a[i + 3];
    a[i + 4] = a[i + 5] * a[i + 4];
  }, model);
}
LOOP(s118) {
  for (i64 i = 1; i < L; ++i) {
    int sum = 0;
    parallel_for(i, [&, i](i64 j) { sum += bb[j * L + i] * a[i - j - 1]; }, model);
    a[i] = a[i] + sum;
  }
}
LOOP(s119) {
  parallel_for(L - 1, [&](i64 k) {
    const i64 i = k + 1;
    for (i64 j = 1; j < L; ++j) aa[i * L + j] = aa[(i - 1) * L + j - 1] + bb[i * L + j];
  }, model);
}
LOOP(s1119) {
  parallel_for(L, [&](i64 j) { for (i64 i = 1; i < L; ++i) aa[i * L + j] = aa[(i - 1) * L + j] + bb[i * L + j]; }, model);
}
LOOP(s121) { parallel_for(N - 1, [&](i64 i) { const i64 j = i + 1; a[i] = a[j] + b[i]; }, model); }
LOOP(s122) {
  const i64 first = opaque(1), step = opaque(3);
  parallel_for((N - first) / step, [&, first, step](i64 t) { a[first + t * step] += b[N - 1 - t]; }, model);
}
LOOP(s124) { parallel_for(N, [&](i64 i) { if (b[i] > 50) a[i] = b[i] + d[i] * e[i]; else a[i] = c[i] + d[i] * e[i]; }, model); }
LOOP(s125) {
  parallel_for(L, [&](i64 i) {
    for (i64 j = 0; j < L; ++j) cc[i * L + j] = aa[i * L + j] + bb[i * L + j] * a[i];
  }, model);
}
LOOP(s126) {
  parallel_for(L, [&](i64 i) { for (i64 j = 1; j < L; ++j) bb[j * L + i] = bb[(j - 1) * L + i] + aa[i * L + j - 1] * cc[j * L + i]; }, model);
}
LOOP(s127) {
  parallel_for(N / 2, [&](i64 i) {
    a[2 * i] = b[i] + c[i] * d[i];
    a[2 * i + 1] = b[i] + d[i] * e[i];
  }, model);
}
LOOP(s128) {
  parallel_for(N / 2, [&](i64 i) {
    const i64 k = 2 * i;
    a[i] = b[k] - d[i];
    b[k] = a[i] + c[k];
  }, model);
}
LOOP(s131) { const i64 m = opaque(1); parallel_for(N - 1, [&, m](i64 i) { a[i] = a[i + m] + b[i]; }, model); }
LOOP(s132) {
  const i64 m = opaque(0), j = m, k = m + 1;
  parallel_for(L - 1, [&, j, k](i64 t) { const i64 i = t + 1; aa[j * L + i] = aa[k * L + i - 1] + b[i] * c[1]; }, model);
}
LOOP(s141) {
  parallel_for(L, [&](i64 i) {
    i64 k = i * (i + 1) / 2 + i;
    for (i64 j = i; j < L; ++j) { a[k] += bb[j * L + i]; k += j + 1; }
  }, model);
}
static void s151_part(vec& a, vec& b, i64 m) { parallel_for(N - 1, [&, m](i64 i) { a[i] = a[i + m] + b[i]; }, model); }
LOOP(s151) { s151_part(a, b, 1); }
static void s152_part(vec& a, vec& b, vec& c, i64 i) { a[i] += b[i] * c[i]; }
LOOP(s152) { parallel_for(N, [&](i64 i) { b[i] = d[i] * e[i]; s152_part(a, b, c, i); }, model); }
LOOP(s161) { parallel_for(N - 1, [&](i64 i) { if (b[i] < 50) c[i + 1] = a[i] + d[i] * d[i]; else a[i] = c[i] + d[i] * e[i]; }, model); }
LOOP(s1161) { parallel_for(N, [&](i64 i) { if (c[i] < 50) b[i] = a[i] + d[i] * d[i]; else a[i] = c[i] + d[i] * e[i]; }, model); }
LOOP(s162) { const i64 k = opaque(3); if (k > 0) parallel_for(N - 1, [&, k](i64 i) { a[i] = a[i + k] + b[i] * c[i]; }, model); }
LOOP(s171) { const i64 inc = opaque(1); parallel_for(N, [&, inc](i64 i) { a[i * inc] += b[i]; }, model); }
LOOP(s172) {
  const i64 first = opaque(2), step = opaque(1);
  parallel_for((N - first) / step, [&, first, step](i64 t) { a[first + t * step] += b[first + t * step]; }, model);
}
LOOP(s173) { const i64 k = N / 2; parallel_for(N / 2, [&, k](i64 i) { a[i + k] = a[i] + b[i]; }, model); }
LOOP(s174) { const i64 m = opaque(N / 2); parallel_for(m, [&, m](i64 i) { a[i + m] = a[i] + b[i]; }, model); }
LOOP(s175) { const i64 inc = opaque(2); parallel_for((N - 1) / inc, [&, inc](i64 t) { const i64 i = t * inc; a[i] = a[i + inc] + b[i]; }, model); }
LOOP(s176) {
  const i64 m = N / 40;
  for (i64 j = 0; j < 10; ++j) parallel_for(m, [&, m, j](i64 i) { a[i] += b[i + m - j - 1] * c[j]; }, model);
}
LOOP(s211) { parallel_for(N - 2, [&](i64 k) { const i64 i = k + 1; a[i] = b[i - 1] + c[i] * d[i]; b[i] = b[i + 1] - e[i] * d[i]; }, model); }
LOOP(s212) { parallel_for(N - 1, [&](i64 i) { a[i] *= c[i]; b[i] += a[i + 1] * d[i]; }, model); }
LOOP(s1213) { parallel_for(N - 2, [&](i64 k) { const i64 i = k + 1; a[i] = b[i - 1] + c[i]; b[i] = a[i + 1] * d[i]; }, model); }
LOOP(s221) { parallel_for(N - 1, [&](i64 k) { const i64 i = k + 1; a[i] += c[i] * d[i]; b[i] = b[i - 1] + a[i] + d[i]; }, model); }
LOOP(s1221) { parallel_for(N - 4, [&](i64 k) { const i64 i = k + 4; b[i] = b[i - 4] + a[i]; }, model); }
LOOP(s222) { parallel_for(N - 1, [&](i64 k) { const i64 i = k + 1; a[i] += b[i] * c[i]; e[i] = e[i - 1] * e[i - 1]; a[i] -= b[i] * c[i]; }, model); }
LOOP(s231) { parallel_for(L, [&](i64 i) { for (i64 j = 1; j < L; ++j) aa[j * L + i] = aa[(j - 1) * L + i] + bb[j * L + i]; }, model); }
LOOP(s232) {
  parallel_for(L, [&](i64 j) { for (i64 i = 1; i <= j; ++i) aa[j * L + i] = aa[j * L + i - 1] * aa[j * L + i - 1] + bb[j * L + i]; }, model);
}
LOOP(s1232) { parallel_for(L, [&](i64 j) { for (i64 i = j; i < L; ++i) aa[i * L + j] = bb[i * L + j] + cc[i * L + j]; }, model); }
LOOP(s233) {
  parallel_for(L - 1, [&](i64 k) {
    const i64 i = k + 1;
    for (i64 j = 1; j < L; ++j) aa[j * L + i] = aa[(j - 1) * L + i] + cc[j * L + i];
    for (i64 j = 1; j < L; ++j) bb[j * L + i] = bb[j * L + i - 1] + cc[j * L + i];
  }, model);
}
LOOP(s2233) {
  parallel_for(L - 1, [&](i64 k) {
    const i64 i = k + 1;
    for (i64 j = 1; j < L; ++j) aa[j * L + i] = aa[(j - 1) * L + i] + cc[j * L + i];
    for (i64 j = 1; j < L; ++j) bb[i * L + j] = bb[(i - 1) * L + j] + cc[i * L + j];
  }, model);
}
LOOP(s235) {
  parallel_for(L, [&](i64 i) {
    a[i] += b[i] * c[i];
    for (i64 j = 1; j < L; ++j) aa[j * L + i] = aa[(j - 1) * L + i] + bb[j * L + i] * a[i];
  }, model);
}
LOOP(s241) { parallel_for(N - 1, [&](i64 i) { a[i] = b[i] * c[i] * d[i]; b[i] = a[i] * a[i + 1] * d[i]; }, model); }
LOOP(s242) { const int s1 = 1, s2 = 2; parallel_for(N - 1, [&, s1, s2](i64 k) { const i64 i = k + 1; a[i] = a[i - 1] + s1 + s2 + b[i] + c[i] + d[i]; }, model); }
LOOP(s243) { parallel_for(N - 1, [&](i64 i) { a[i] = b[i] + c[i] * d[i]; b[i] = a[i] + d[i] * e[i]; a[i] = b[i] + a[i + 1] * d[i]; }, model); }
LOOP(s244) { parallel_for(N - 1, [&](i64 i) { a[i] = b[i] + c[i] * d[i]; b[i] = c[i] + b[i]; a[i + 1] = b[i] + a[i + 1] * d[i]; }, model); }
LOOP(s1244) { parallel_for(N - 1, [&](i64 i) { a[i] = b[i] + c[i] * c[i] + b[i] * b[i] + c[i]; d[i] = a[i] + a[i + 1]; }, model); }
LOOP(s2244) { parallel_for(N - 1, [&](i64 i) { a[i + 1] = b[i] + e[i]; a[i] = b[i] + c[i]; }, model); }
LOOP(s251) { parallel_for(N, [&](i64 i) { const int s = b[i] + c[i] * d[i]; a[i] = s * s; }, model); }
LOOP(s1251) { parallel_for(N, [&](i64 i) { const int s = b[i] + c[i]; b[i] = a[i] + d[i]; a[i] = s * e[i]; }, model); }
LOOP(s3251) { parallel_for(N - 1, [&](i64 i) { a[i + 1] = b[i] + c[i]; b[i] = c[i] * e[i]; d[i] = a[i] * e[i]; }, model); }
LOOP(s253) { parallel_for(N, [&](i64 i) { if (a[i] > b[i]) { const int s = a[i] - b[i] * d[i]; c[i] += s; a[i] = s; } }, model); }
LOOP(s256) {
  parallel_for(L, [&](i64 i) { for (i64 j = 1; j < L; ++j) { a[j] = 1 - a[j - 1]; aa[j * L + i] = a[j] + bb[j * L + i] * d[j]; } }, model);
}
LOOP(s257) {
  parallel_for(L - 1, [&](i64 k) {
    const i64 i = k + 1;
    for (i64 j = 0; j < L; ++j) { a[i] = aa[j * L + i] - a[i - 1]; aa[j * L + i] = a[i] + bb[j * L + i]; }
  }, model);
}
LOOP(s261) { parallel_for(N - 1, [&](i64 k) { const i64 i = k + 1; const int t = a[i] + b[i]; a[i] = t + c[i - 1]; c[i] = c[i] * d[i]; }, model); }
LOOP(s271) { parallel_for(N, [&](i64 i) { if (b[i] > 40) a[i] += b[i] * c[i]; }, model); }
LOOP(s272) { const int t = 60; parallel_for(N, [&, t](i64 i) { if (e[i] >= t) { a[i] += c[i] * d[i]; b[i] += c[i] * c[i]; } }, model); }
LOOP(s273) { parallel_for(N, [&](i64 i) { a[i] += d[i] * e[i]; if (a[i] < 3000) b[i] += d[i] * e[i]; c[i] += a[i] * d[i]; }, model); }
LOOP(s274) { parallel_for(N, [&](i64 i) { a[i] = c[i] + e[i] * d[i]; if (a[i] > 2000) b[i] = a[i] + b[i]; else a[i] = d[i] * e[i]; }, model); }
LOOP(s275) {
  parallel_for(L, [&](i64 i) { if (aa[i] > 30) for (i64 j = 1; j < L; ++j) aa[j * L + i] = aa[(j - 1) * L + i] + bb[j * L + i] * cc[j * L + i]; }, model);
}
LOOP(s2275) {
  parallel_for(L, [&](i64 i) {
    for (i64 j = 0; j < L; ++j) aa[j * L + i] = aa[j * L + i] + bb[j * L + i] * cc[j * L + i];
    a[i] = b[i] + c[i] * d[i];
  }, model);
}
LOOP(s276) { const i64 mid = N / 2; parallel_for(N, [&, mid](i64 i) { if (i + 1 < mid) a[i] += b[i] * c[i]; else a[i] += b[i] * d[i]; }, model); }
LOOP(s277) {
  parallel_for(N - 1, [&](i64 i) {
    if (a[i] >= 50) return;
    if (b[i] < 50) a[i] += c[i] * d[i];
    b[i + 1] = c[i] + d[i] * e[i];
  }, model);
}
LOOP(s278) { parallel_for(N, [&](i64 i) { if (a[i] > 50) c[i] = -c[i] + d[i] * e[i]; else b[i] = -b[i] + d[i] * e[i]; a[i] = b[i] + c[i] * d[i]; }, model); }
LOOP(s279) {
  parallel_for(N, [&](i64 i) {
    if (a[i] > 50) { c[i] = -c[i] + e[i] * e[i]; } else { b[i] = -b[i] + d[i] * d[i]; if (b[i] > a[i]) c[i] += d[i] * e[i]; }
    a[i] = b[i] + c[i] * d[i];
  }, model);
}
LOOP(s1279) { parallel_for(N, [&](i64 i) { if (a[i] < 60) if (b[i] > a[i]) c[i] += d[i] * e[i]; }, model); }
LOOP(s2710) {
  const int x = 1;
  parallel_for(N, [&, x](i64 i) {
    if (a[i] > b[i]) { a[i] += b[i] * d[i]; c[i] += N > 10 ? d[i] * d[i] : d[i] * e[i] + 1; }
    else { b[i] = a[i] + e[i] * e[i]; c[i] = x > 0 ? a[i] + d[i] * d[i] : c[i] + e[i] * e[i]; }
  }, model);
}
LOOP(s2711) { parallel_for(N, [&](i64 i) { if (b[i] != 0) a[i] += b[i] * c[i]; }, model); }
LOOP(s2712) { parallel_for(N, [&](i64 i) { if (a[i] > b[i]) a[i] += b[i] * c[i]; }, model); }
LOOP(s281) { parallel_for(N, [&](i64 i) { const int x = a[N - i - 1] + b[i] * c[i]; a[i] = x - 1; b[i] = x; }, model); }
LOOP(s1281) { parallel_for(N, [&](i64 i) { const int x = b[i] * c[i] + a[i] * d[i] + e[i]; a[i] = x - 1; b[i] = x; }, model); }
LOOP(s293) { parallel_for(N, [&](i64 i) { a[i] = a[0]; }, model); }
LOOP(s2101) { parallel_for(L, [&](i64 i) { aa[i * L + i] += bb[i * L + i] * cc[i * L + i]; }, model); }
LOOP(s2102) { parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) aa[j * L + i] = 0; aa[i * L + i] = 1; }, model); }
LOOP(s2111) {
  parallel_for(L - 1, [&](i64 k) {
    const i64 j = k + 1;
    for (i64 i = 1; i < L; ++i) aa[j * L + i] = (aa[j * L + i - 1] + aa[(j - 1) * L + i]) / 2;
  }, model);
}

int main(int argc, char** argv) {
  run_all(argc, argv, {NAMED(s000), NAMED(s111), NAMED(s1111), NAMED(s112), NAMED(s1112), NAMED(s113),
                      NAMED(s1113), NAMED(s114), NAMED(s115), NAMED(s1115), NAMED(s116), NAMED(s118),
                      NAMED(s119), NAMED(s1119), NAMED(s121), NAMED(s122), NAMED(s124), NAMED(s125),
                      NAMED(s126), NAMED(s127), NAMED(s128), NAMED(s131), NAMED(s132), NAMED(s141),
                      NAMED(s151), NAMED(s152), NAMED(s161), NAMED(s1161), NAMED(s162), NAMED(s171),
                      NAMED(s172), NAMED(s173), NAMED(s174), NAMED(s175), NAMED(s176), NAMED(s211),
                      NAMED(s212), NAMED(s1213), NAMED(s221), NAMED(s1221), NAMED(s222), NAMED(s231),
                      NAMED(s232), NAMED(s1232), NAMED(s233), NAMED(s2233), NAMED(s235), NAMED(s241),
                      NAMED(s242), NAMED(s243), NAMED(s244), NAMED(s1244), NAMED(s2244), NAMED(s251),
                      NAMED(s1251), NAMED(s3251), NAMED(s253), NAMED(s256), NAMED(s257), NAMED(s261),
                      NAMED(s271), NAMED(s272), NAMED(s273), NAMED(s274), NAMED(s275), NAMED(s2275),
                      NAMED(s276), NAMED(s277), NAMED(s278), NAMED(s279), NAMED(s1279), NAMED(s2710),
                      NAMED(s2711), NAMED(s2712), NAMED(s281), NAMED(s1281), NAMED(s293), NAMED(s2101),
                      NAMED(s2102), NAMED(s2111)});
}
