// Patterns of TSVC, in our own words, second half: reductions, recurrences, packing, rolling and unrolling, aliases,
// indirect addresses, statement functions, basic vector operations.
#include "corpus.hpp"

LOOP(s311) { int sum = 0; parallel_for(N, [&](i64 i) { sum += a[i]; }, model); b[0] = sum; }
static int part_of(const vec& a, i64 from) { int sum = 0; for (i64 i = from; i < from + 4; ++i) sum += a[i]; return sum; }
LOOP(s31111) { int sum = 0; parallel_for(8, [&](i64 k) { sum += part_of(a, 4 * k); }, model); b[0] = sum; }
LOOP(s312) { unsigned product = 1; parallel_for(N, [&](i64 i) { product *= static_cast<unsigned>(a[i] | 1); }, model); b[0] = static_cast<int>(product); }
LOOP(s313) { int dot = 0; parallel_for(N, [&](i64 i) { dot += a[i] * b[i]; }, model); c[0] = dot; }
LOOP(s314) { int x = a[0]; parallel_for(N, [&](i64 i) { if (a[i] > x) x = a[i]; }, model); b[0] = x; }
LOOP(s315) {  // the index that goes with a maximum: a second loop
  int x = a[0];
  i64 index = N;
  parallel_for(N, [&](i64 i) { x = std::max(x, a[i]); }, model);
  parallel_for(N, [&, x](i64 i) { if (a[i] == x) index = std::min(index, i); }, model);
  b[0] = static_cast<int>(index);
}
LOOP(s316) { int x = a[0]; parallel_for(N, [&](i64 i) { if (a[i] < x) x = a[i]; }, model); b[0] = x; }
LOOP(s317) { unsigned q = 1; parallel_for(N / 2, [&](i64) { q *= 3u; }, model); b[0] = static_cast<int>(q); }
LOOP(s318) {
  const i64 inc = opaque(2);
  int most = std::abs(a[0]);
  parallel_for(N / 2, [&, inc](i64 k) { most = std::max(most, std::abs(a[k * inc] - 50)); }, model);
  b[0] = most;
}
LOOP(s319) { int sum = 0; parallel_for(N, [&](i64 i) { a[i] = c[i] + d[i]; sum += a[i]; b[i] = c[i] + e[i]; sum += b[i]; }, model); e[0] = sum; }
LOOP(s3110) {
  int most = aa[0];
  parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) if (aa[i * L + j] > most) most = aa[i * L + j]; }, model);
  b[0] = most;
}
LOOP(s13110) {
  int most = aa[0];
  i64 place = L * L;
  parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) most = std::max(most, aa[i * L + j]); }, model);
  parallel_for(L, [&, most](i64 i) { for (i64 j = 0; j < L; ++j) if (aa[i * L + j] == most) place = std::min(place, i * L + j); }, model);
  b[0] = static_cast<int>(place);
}
LOOP(s3111) { int sum = 0; parallel_for(N, [&](i64 i) { if (a[i] > 50) sum += a[i]; }, model); b[0] = sum; }
LOOP(s3112) {  // a running sum is a recurrence over an element
  b[0] = a[0];
  parallel_for(N - 1, [&](i64 k) { b[k + 1] = b[k] + a[k + 1]; }, model);
}
LOOP(s3113) { int most = 0; parallel_for(N, [&](i64 i) { if (std::abs(a[i]) > most) most = std::abs(a[i]); }, model); b[0] = most; }
LOOP(s321) { parallel_for(N - 1, [&](i64 k) { const i64 i = k + 1; a[i] += a[i - 1] * b[i]; }, model); }
LOOP(s322) { parallel_for(N - 2, [&](i64 k) { const i64 i = k + 2; a[i] = a[i] + a[i - 1] * b[i] + a[i - 2] * c[i]; }, model); }
LOOP(s323) { parallel_for(N - 1, [&](i64 k) { const i64 i = k + 1; a[i] = b[i - 1] + c[i] * d[i]; b[i] = a[i] + c[i] * e[i]; }, model); }
LOOP(s331) { i64 last = -1; parallel_for(N, [&](i64 i) { if (a[i] < 50) last = std::max(last, i); }, model); b[0] = static_cast<int>(last); }
LOOP(s332) {  // the first that is larger: the least index
  i64 first = N;
  parallel_for(N, [&](i64 i) { if (a[i] > 98) first = std::min(first, i); }, model);
  b[0] = first < N ? a[static_cast<std::size_t>(first)] : -1;
}
LOOP(s341) {  // packing by counts taken before
  std::vector<int> place(N);
  int j = 0;
  for (i64 i = 0; i < N; ++i) { place[i] = j; j += std::as_const(b)[i] > 50; }
  parallel_for(N, [&](i64 i) { if (b[i] > 50) a[place[i]] = b[i]; }, model);
}
LOOP(s342) {
  std::vector<int> place(N);
  int j = 0;
  for (i64 i = 0; i < N; ++i) { place[i] = j; j += std::as_const(a)[i] > 50; }
  parallel_for(N, [&](i64 i) { if (a[i] > 50) a[i] = b[place[i]]; }, model);
}
LOOP(s343) {
  std::vector<int> place(L * L);
  int k = 0;
  for (i64 i = 0; i < L * L; ++i) { place[i] = k; k += std::as_const(bb)[i] > 50; }
  vec packed(L * L);
  parallel_for(L * L, [&](i64 i) { if (bb[i] > 50) packed[place[i]] = aa[i]; }, model);
  for (i64 i = 0; i < N; ++i) a[i] = std::as_const(packed)[i];
}
LOOP(s351) {
  const int alpha = c[0];
  parallel_for(N / 5, [&, alpha](i64 k) {
    const i64 i = 5 * k;
    a[i] += alpha * b[i];
    a[i + 1] += alpha * b[i + 1];
    a[i + 2] += alpha * b[i + 2];
    a[i + 3] += alpha * b[i + 3];
    a[i + 4] += alpha * b[i + 4];
  }, model);
}
LOOP(s1351) { parallel_for(N, [&](i64 i) { auto& to = a[i]; const auto& x = b[i]; const auto& y = c[i]; to = x + y; }, model); }
LOOP(s352) {
  int dot = 0;
  parallel_for(N / 5, [&](i64 k) {
    const i64 i = 5 * k;
    dot = dot + (a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] + a[i + 3] * b[i + 3] + a[i + 4] * b[i + 4]);
  }, model);
  c[0] = dot;
}
LOOP(s353) {
  const int alpha = c[0];
  parallel_for(N / 5, [&, alpha](i64 k) { for (i64 i = 5 * k; i < 5 * k + 5; ++i) a[i] += alpha * b[ip[i]]; }, model);
}
LOOP(s421) { parallel_for(N - 1, [&](i64 i) { a[i] = a[i + 1] + c[i]; }, model); }
LOOP(s1421) { const i64 half = N / 2; parallel_for(half, [&, half](i64 i) { b[i] = b[half + i] + a[i]; }, model); }
LOOP(s422) { parallel_for(N - 4, [&](i64 i) { b[i + 4] = b[i + 8] + a[i]; }, model); }
LOOP(s423) { parallel_for(N - 2, [&](i64 i) { b[i + 1] = b[i] + a[i]; }, model); }
LOOP(s424) { parallel_for(N - 9, [&](i64 i) { b[i + 9] = b[i + 8] + a[i]; }, model); }
LOOP(s431) { constexpr i64 k = 2 * 2 - 4; parallel_for(N, [&](i64 i) { a[i] = a[i + k] + b[i]; }, model); }
LOOP(s441) {
  parallel_for(N, [&](i64 i) {
    if (d[i] < 30) a[i] += b[i] * c[i];
    else if (d[i] == 30) a[i] += b[i] * b[i];
    else a[i] += c[i] * c[i];
  }, model);
}
LOOP(s442) {
  parallel_for(N, [&](i64 i) {
    switch (ip[i] % 4) {
      case 0: a[i] += b[i] * b[i]; return;
      case 1: a[i] += c[i] * c[i]; break;
      case 2: a[i] += d[i] * d[i]; break;
      default: a[i] += e[i] * e[i];
    }
  }, model);
}
LOOP(s443) { parallel_for(N, [&](i64 i) { if (d[i] <= 50) a[i] += b[i] * c[i]; else a[i] += b[i] * b[i]; }, model); }
LOOP(s451) { parallel_for(N, [&](i64 i) { a[i] = std::abs(b[i] - 50) + std::min(c[i], d[i]); }, model); }
LOOP(s452) { parallel_for(N, [&](i64 i) { a[i] = b[i] + c[i] * static_cast<int>(i + 1); }, model); }
LOOP(s453) { parallel_for(N, [&](i64 i) { const int s = 2 * static_cast<int>(i + 1); a[i] = s * b[i]; }, model); }
static int outside(int x) { return x * 2 - 1; }
LOOP(s471) { parallel_for(N, [&](i64 i) { a[i] = b[i] + d[i] * d[i]; outside(a[i]); b[i] = c[i] + d[i] * e[i]; }, model); }
LOOP(s481) { parallel_for(N, [&](i64 i) { if (d[i] < 0) throw std::runtime_error("negative"); a[i] += b[i] * c[i]; }, model); }
LOOP(s482) {  // the loop's end is looked for first
  i64 end = N;
  parallel_for(N, [&](i64 i) { if (c[i] > b[i] + 90) end = std::min(end, i + 1); }, model);
  parallel_for(end, [&](i64 i) { a[i] += b[i] * c[i]; }, model);
}
LOOP(s491) { parallel_for(N, [&](i64 i) { a[ip[i]] = b[i] + c[i] * d[i]; }, model); }
LOOP(s4112) { const int s = 2; parallel_for(N, [&, s](i64 i) { a[i] += b[ip[i]] * s; }, model); }
LOOP(s4113) { parallel_for(N, [&](i64 i) { a[ip[i]] = b[ip[i]] + c[i]; }, model); }
LOOP(s4114) { const i64 first = opaque(1); parallel_for(N - first, [&, first](i64 t) { const i64 i = t + first; const int k = ip[i]; a[i] = b[i] + c[N - k - 1] * d[i]; k == 0 ? void() : void(d[0]); }, model); }
LOOP(s4115) { int sum = 0; parallel_for(N, [&](i64 i) { sum += a[i] * b[ip[i]]; }, model); c[0] = sum; }
LOOP(s4116) {
  const i64 j = opaque(3), inc = opaque(1);
  int sum = 0;
  parallel_for(L - 1, [&, j, inc](i64 i) { const i64 off = inc + i; sum += a[off] * aa[(j - 1) * L + ip[i] % L]; }, model);
  c[0] = sum;
}
LOOP(s4117) { parallel_for(N, [&](i64 i) { a[i] = b[i] + c[i / 2] * d[i]; }, model); }
static int product_of(int x, int y) { return x * y; }
LOOP(s4121) { parallel_for(N, [&](i64 i) { a[i] += product_of(b[i], c[i]); }, model); }
LOOP(va) { parallel_for(N, [&](i64 i) { a[i] = b[i]; }, model); }
LOOP(vag) { parallel_for(N, [&](i64 i) { a[i] = b[ip[i]]; }, model); }
LOOP(vas) { parallel_for(N, [&](i64 i) { a[ip[i]] = b[i]; }, model); }
LOOP(vif) { parallel_for(N, [&](i64 i) { if (b[i] > 50) a[i] = b[i]; }, model); }
LOOP(vpv) { parallel_for(N, [&](i64 i) { a[i] += b[i]; }, model); }
LOOP(vtv) { parallel_for(N, [&](i64 i) { a[i] *= b[i]; }, model); }
LOOP(vpvtv) { parallel_for(N, [&](i64 i) { a[i] += b[i] * c[i]; }, model); }
LOOP(vpvts) { const int s = 3; parallel_for(N, [&, s](i64 i) { a[i] += b[i] * s; }, model); }
LOOP(vpvpv) { parallel_for(N, [&](i64 i) { a[i] += b[i] + c[i]; }, model); }
LOOP(vtvtv) { parallel_for(N, [&](i64 i) { a[i] = a[i] * b[i] * c[i]; }, model); }
LOOP(vsumr) { int sum = 0; parallel_for(N, [&](i64 i) { sum += a[i]; }, model); b[0] = sum; }
LOOP(vdotr) { int dot = 0; parallel_for(N, [&](i64 i) { dot += a[i] * b[i]; }, model); c[0] = dot; }
LOOP(vbor) {
  parallel_for(N, [&](i64 i) {
    const int x = a[i], y = b[i], z = c[i], v = d[i], w = e[i];
    a[i] = x * y + x * z + x * v + x * w + y * z + y * v + y * w + z * v + z * w + v * w;
  }, model);
}
// scalars that TSVC carries from one iteration to the next, as a program for parallel loops has them: computed from i
LOOP(s123) {
  std::vector<int> place(N / 2);
  int j = -1;
  for (i64 i = 0; i < N / 2; ++i) { place[i] = ++j; if (std::as_const(c)[i] > 50) ++j; }
  parallel_for(N / 2, [&](i64 i) {
    const int k = place[i];
    a[k] = b[i] + d[i] * e[i];
    if (c[i] > 50) a[k + 1] = c[i] + d[i] * e[i];
  }, model);
}
LOOP(s252) { parallel_for(N, [&](i64 i) { const int before = i > 0 ? b[i - 1] * c[i - 1] : 0; a[i] = b[i] * c[i] + before; }, model); }
LOOP(s254) { parallel_for(N, [&](i64 i) { a[i] = (b[i] + b[(i + N - 1) % N]) / 2; }, model); }
LOOP(s255) { parallel_for(N, [&](i64 i) { a[i] = (b[i] + b[(i + N - 1) % N] + b[(i + N - 2) % N]) / 3; }, model); }
LOOP(s2251) { parallel_for(N, [&](i64 i) { const int s = i > 0 ? b[i - 1] + c[i - 1] : 0; a[i] = s * e[i]; d[i] = b[i] + c[i]; }, model); }
LOOP(s258) {  // the last of the earlier elements that is positive
  std::vector<int> last(L);
  for (i64 i = 0, s = 0; i < L; ++i) { if (std::as_const(a)[i] > 50) s = std::as_const(d)[i]; last[i] = static_cast<int>(s); }
  parallel_for(L, [&](i64 i) { b[i] = last[i] * c[i] + d[i]; e[i] = (last[i] + 1) * aa[i]; }, model);
}
LOOP(s291) { parallel_for(N, [&](i64 i) { const i64 before = i == 0 ? N - 1 : i - 1; a[i] = (b[i] + b[before]) / 2; }, model); }
LOOP(s292) {
  parallel_for(N, [&](i64 i) {
    const i64 one = (i + N - 1) % N, two = (i + N - 2) % N;
    a[i] = (b[i] + b[one] + b[two]) / 3;
  }, model);
}

int main(int argc, char** argv) {
  run_all(argc, argv, {NAMED(s311), NAMED(s31111), NAMED(s312), NAMED(s313), NAMED(s314), NAMED(s315),
                      NAMED(s316), NAMED(s317), NAMED(s318), NAMED(s319), NAMED(s3110), NAMED(s13110),
                      NAMED(s3111), NAMED(s3112), NAMED(s3113), NAMED(s321), NAMED(s322), NAMED(s323),
                      NAMED(s331), NAMED(s332), NAMED(s341), NAMED(s342), NAMED(s343), NAMED(s351),
                      NAMED(s1351), NAMED(s352), NAMED(s353), NAMED(s421), NAMED(s1421), NAMED(s422),
                      NAMED(s423), NAMED(s424), NAMED(s431), NAMED(s441), NAMED(s442), NAMED(s443),
                      NAMED(s451), NAMED(s452), NAMED(s453), NAMED(s471), NAMED(s481), NAMED(s482),
                      NAMED(s491), NAMED(s4112), NAMED(s4113), NAMED(s4114), NAMED(s4115), NAMED(s4116),
                      NAMED(s4117), NAMED(s4121), NAMED(va), NAMED(vag), NAMED(vas), NAMED(vif), NAMED(vpv),
                      NAMED(vtv), NAMED(vpvtv), NAMED(vpvts), NAMED(vpvpv), NAMED(vtvtv), NAMED(vsumr),
                      NAMED(vdotr), NAMED(vbor), NAMED(s123), NAMED(s252), NAMED(s254), NAMED(s255),
                      NAMED(s2251), NAMED(s258), NAMED(s291), NAMED(s292)});
}
