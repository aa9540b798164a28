// Patterns of PolyBench: linear algebra, stencils, dynamic programming on small matrices of whole numbers, rows of a flat
// matrix at i * L, in our own words.
#include "corpus.hpp"

LOOP(gemm) {
  parallel_for(L, [&](i64 i) {
    for (i64 j = 0; j < L; ++j) cc[i * L + j] *= 3;
    for (i64 k = 0; k < L; ++k)
      for (i64 j = 0; j < L; ++j) cc[i * L + j] += 2 * aa[i * L + k] * bb[k * L + j];
  }, model);
}
LOOP(two_mm) {
  vec tmp(L * L);
  parallel_for(L, [&](i64 i) {
    for (i64 j = 0; j < L; ++j) {
      tmp[i * L + j] = 0;
      for (i64 k = 0; k < L; ++k) tmp[i * L + j] += 2 * aa[i * L + k] * bb[k * L + j];
    }
  }, model);
  parallel_for(L, [&](i64 i) {
    for (i64 j = 0; j < L; ++j) {
      cc[i * L + j] *= 5;
      for (i64 k = 0; k < L; ++k) cc[i * L + j] += tmp[i * L + k] * aa[k * L + j];
    }
  }, model);
}
static void product(vec& to, const vec& x, const vec& y) {
  parallel_for(L, [&](i64 i) {
    for (i64 j = 0; j < L; ++j) {
      int sum = 0;
      for (i64 k = 0; k < L; ++k) sum += x[i * L + k] * y[k * L + j];
      to[i * L + j] = sum;
    }
  }, model);
}
LOOP(three_mm) {
  vec left(L * L), right(L * L);
  product(left, aa, bb);
  product(right, bb, cc);
  product(cc, left, right);
}
LOOP(atax) {
  parallel_for(L, [&](i64 i) {
    int tmp = 0;
    for (i64 j = 0; j < L; ++j) tmp += aa[i * L + j] * b[j];
    for (i64 j = 0; j < L; ++j) a[j] += aa[i * L + j] * tmp;
  }, model);
}
LOOP(bicg) {
  parallel_for(L, [&](i64 i) {
    d[i] = 0;
    for (i64 j = 0; j < L; ++j) {
      a[j] += e[i] * aa[i * L + j];
      d[i] += aa[i * L + j] * b[j];
    }
  }, model);
}
LOOP(mvt) {
  parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) a[i] += aa[i * L + j] * c[j]; }, model);
  parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) b[i] += aa[j * L + i] * d[j]; }, model);
}
LOOP(gemver) {
  parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) aa[i * L + j] += a[i] * b[j] + c[i] * d[j]; }, model);
  vec x(L), w(L);
  parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) x[i] += 2 * aa[j * L + i] * e[j]; }, model);
  parallel_for(L, [&](i64 i) { x[i] += a[i]; }, model);
  parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) w[i] += 3 * aa[i * L + j] * x[j]; }, model);
  for (i64 i = 0; i < L; ++i) e[i] = std::as_const(w)[i];
}
LOOP(gesummv) {
  parallel_for(L, [&](i64 i) {
    int t = 0, y = 0;
    for (i64 j = 0; j < L; ++j) { t += aa[i * L + j] * b[j]; y += bb[i * L + j] * b[j]; }
    a[i] = 2 * t + 3 * y;
  }, model);
}
LOOP(symm) {
  parallel_for(L, [&](i64 i) {
    for (i64 j = 0; j < L; ++j) {
      int sum = 0;
      for (i64 k = 0; k < i; ++k) {
        cc[k * L + j] += 2 * bb[i * L + j] * aa[i * L + k];
        sum += bb[k * L + j] * aa[i * L + k];
      }
      cc[i * L + j] = 3 * cc[i * L + j] + 2 * bb[i * L + j] * aa[i * L + i] + 2 * sum;
    }
  }, model);
}
LOOP(syrk) {
  parallel_for(L, [&](i64 i) {
    for (i64 j = 0; j <= i; ++j) cc[i * L + j] *= 3;
    for (i64 k = 0; k < L; ++k)
      for (i64 j = 0; j <= i; ++j) cc[i * L + j] += 2 * aa[i * L + k] * aa[j * L + k];
  }, model);
}
LOOP(syr2k) {
  parallel_for(L, [&](i64 i) {
    for (i64 j = 0; j <= i; ++j) cc[i * L + j] *= 3;
    for (i64 k = 0; k < L; ++k)
      for (i64 j = 0; j <= i; ++j) cc[i * L + j] += aa[j * L + k] * bb[i * L + k] + bb[j * L + k] * aa[i * L + k];
  }, model);
}
LOOP(trmm) {
  parallel_for(L, [&](i64 j) {  // columns do not depend on each other
    for (i64 i = 0; i < L; ++i) {
      for (i64 k = i + 1; k < L; ++k) bb[i * L + j] += aa[k * L + i] * bb[k * L + j];
      bb[i * L + j] = 2 * bb[i * L + j];
    }
  }, model);
}
LOOP(trisolv) {
  parallel_for(L, [&](i64 i) {  // in program order alone it solves
    a[i] = b[i];
    for (i64 j = 0; j < i; ++j) a[i] -= aa[i * L + j] * a[j];
    a[i] /= aa[i * L + i] + 1;
  }, model);
}
LOOP(durbin) {
  vec y(L), z(L);
  y[0] = -a[0];
  int alpha = -a[0], beta = 1;
  for (i64 k = 1; k < L; ++k) {
    beta = (1 - alpha * alpha) * beta | 1;
    int sum = 0;
    parallel_for(k, [&, k](i64 i) { sum += a[k - i - 1] * y[i]; }, model);
    alpha = -(a[k] + sum) / beta;
    parallel_for(k, [&, k, alpha](i64 i) { z[i] = y[i] + alpha * y[k - i - 1]; }, model);
    parallel_for(k, [&](i64 i) { y[i] = z[i]; }, model);
    y[k] = alpha;
  }
  for (i64 i = 0; i < L; ++i) b[i] = std::as_const(y)[i];
}
LOOP(lu) {
  for (i64 k = 0; k < L; ++k)
    parallel_for(L - k - 1, [&, k](i64 t) {
      const i64 i = k + 1 + t;
      aa[i * L + k] /= aa[k * L + k] | 1;
      for (i64 j = k + 1; j < L; ++j) aa[i * L + j] -= aa[i * L + k] * aa[k * L + j];
    }, model);
}
LOOP(ludcmp) {
  parallel_for(L, [&](i64 i) {
    for (i64 j = 0; j < i; ++j) {
      int w = aa[i * L + j];
      for (i64 k = 0; k < j; ++k) w -= aa[i * L + k] * aa[k * L + j];
      aa[i * L + j] = w / (aa[j * L + j] | 1);
    }
    for (i64 j = i; j < L; ++j) {
      int w = aa[i * L + j];
      for (i64 k = 0; k < i; ++k) w -= aa[i * L + k] * aa[k * L + j];
      aa[i * L + j] = w;
    }
  }, model);
}
LOOP(cholesky) {
  for (i64 k = 0; k < L; ++k) {
    const int pivot = std::as_const(aa)[k * L + k] | 1;
    parallel_for(L - k - 1, [&, k, pivot](i64 t) { aa[(k + 1 + t) * L + k] /= pivot; }, model);
    parallel_for(L - k - 1, [&, k](i64 t) {
      const i64 i = k + 1 + t;
      for (i64 j = k + 1; j <= i; ++j) aa[i * L + j] -= bb[i * L + k] * bb[j * L + k];
    }, model);
  }
}
LOOP(gramschmidt) {
  for (i64 k = 0; k < L; ++k) {
    int norm = 0;
    parallel_for(L, [&, k](i64 i) { norm += aa[i * L + k] * aa[i * L + k]; }, model);
    parallel_for(L, [&, k, norm](i64 i) { bb[i * L + k] = aa[i * L + k] * 64 / (norm | 1); }, model);
    parallel_for(L - k - 1, [&, k](i64 t) {
      const i64 j = k + 1 + t;
      cc[k * L + j] = 0;
      for (i64 i = 0; i < L; ++i) cc[k * L + j] += bb[i * L + k] * aa[i * L + j];
      for (i64 i = 0; i < L; ++i) aa[i * L + j] -= bb[i * L + k] * cc[k * L + j];
    }, model);
  }
}
LOOP(correlation) {
  parallel_for(L, [&](i64 j) {
    int mean = 0, spread = 0;
    for (i64 i = 0; i < L; ++i) mean += aa[i * L + j];
    for (i64 i = 0; i < L; ++i) spread += (aa[i * L + j] - mean / L) * (aa[i * L + j] - mean / L);
    a[j] = mean / L;
    b[j] = spread < 2 ? 1 : spread / L;
  }, model);
  parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) aa[i * L + j] = (aa[i * L + j] - a[j]) * 16 / (b[j] | 1); }, model);
  parallel_for(L - 1, [&](i64 i) {
    cc[i * L + i] = 1;
    for (i64 j = i + 1; j < L; ++j) {
      int sum = 0;
      for (i64 k = 0; k < L; ++k) sum += aa[k * L + i] * aa[k * L + j];
      cc[i * L + j] = sum;
      cc[j * L + i] = sum;
    }
  }, model);
}
LOOP(covariance) {
  parallel_for(L, [&](i64 j) { a[j] = 0; for (i64 i = 0; i < L; ++i) a[j] += aa[i * L + j]; a[j] /= L; }, model);
  parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) aa[i * L + j] -= a[j]; }, model);
  parallel_for(L, [&](i64 i) {
    for (i64 j = i; j < L; ++j) {
      cc[i * L + j] = 0;
      for (i64 k = 0; k < L; ++k) cc[i * L + j] += aa[k * L + i] * aa[k * L + j];
      cc[i * L + j] /= L - 1;
      cc[j * L + i] = cc[i * L + j];
    }
  }, model);
}
LOOP(doitgen) {
  constexpr i64 R = 10, P = 4;
  vec sum(R * L);
  parallel_for(R, [&](i64 r) {
    for (i64 q = 0; q < R; ++q) {
      for (i64 p = 0; p < P; ++p) {
        sum[r * L + p] = 0;
        for (i64 s = 0; s < P; ++s) sum[r * L + p] += aa[r * R * P + q * P + s] * bb[s * P + p];
      }
      for (i64 p = 0; p < P; ++p) aa[r * R * P + q * P + p] = sum[r * L + p];
    }
  }, model);
}
LOOP(jacobi_1d) {
  for (int t = 0; t < 4; ++t) {
    parallel_for(N - 2, [&](i64 k) { const i64 i = k + 1; b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3; }, model);
    parallel_for(N - 2, [&](i64 k) { const i64 i = k + 1; a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3; }, model);
  }
}
LOOP(jacobi_2d) {
  for (int t = 0; t < 3; ++t) {
    parallel_for(L - 2, [&](i64 k) {
      const i64 i = k + 1;
      for (i64 j = 1; j < L - 1; ++j)
        bb[i * L + j] = (aa[i * L + j] + aa[i * L + j - 1] + aa[i * L + j + 1] + aa[(i + 1) * L + j] + aa[(i - 1) * L + j]) / 5;
    }, model);
    parallel_for(L - 2, [&](i64 k) { const i64 i = k + 1; for (i64 j = 1; j < L - 1; ++j) aa[i * L + j] = bb[i * L + j]; }, model);
  }
}
LOOP(seidel_2d) {
  for (int t = 0; t < 2; ++t)
    parallel_for(L - 2, [&](i64 k) {
      const i64 i = k + 1;
      for (i64 j = 1; j < L - 1; ++j) {
        int sum = 0;
        for (i64 y = i - 1; y <= i + 1; ++y)
          for (i64 x = j - 1; x <= j + 1; ++x) sum += aa[y * L + x];
        aa[i * L + j] = sum / 9;
      }
    }, model);
}
LOOP(fdtd_2d) {
  for (int t = 0; t < 3; ++t) {
    parallel_for(L, [&, t](i64 j) { bb[j] = t; }, model);
    parallel_for(L - 1, [&](i64 k) { const i64 i = k + 1; for (i64 j = 0; j < L; ++j) bb[i * L + j] -= (cc[i * L + j] - cc[(i - 1) * L + j]) / 2; }, model);
    parallel_for(L, [&](i64 i) { for (i64 j = 1; j < L; ++j) aa[i * L + j] -= (cc[i * L + j] - cc[i * L + j - 1]) / 2; }, model);
    parallel_for(L - 1, [&](i64 i) {
      for (i64 j = 0; j < L - 1; ++j) cc[i * L + j] -= (aa[i * L + j + 1] - aa[i * L + j] + bb[(i + 1) * L + j] - bb[i * L + j]) * 7 / 10;
    }, model);
  }
}
LOOP(heat_3d) {
  constexpr i64 S = 11;
  vec x(S * S * S), y(S * S * S);
  fill(x, 9);
  fill(y, 9);
  for (int t = 0; t < 2; ++t) {
    parallel_for(S - 2, [&](i64 p) {
      const i64 i = p + 1;
      for (i64 j = 1; j < S - 1; ++j)
        for (i64 k = 1; k < S - 1; ++k) {
          const i64 at = (i * S + j) * S + k;
          y[at] = (x[at + S * S] - 2 * x[at] + x[at - S * S]) / 8 + (x[at + S] - 2 * x[at] + x[at - S]) / 8 + (x[at + 1] + x[at - 1]) / 8 + x[at];
        }
    }, model);
    parallel_for(S * S * S, [&](i64 at) { x[at] = y[at]; }, model);
  }
  for (i64 i = 0; i < N; ++i) a[i] = std::as_const(x)[i];
}
LOOP(adi) {
  for (int t = 0; t < 2; ++t) {
    parallel_for(L - 2, [&](i64 q) {
      const i64 i = q + 1;
      cc[i * L] = 0;
      bb[i * L] = aa[i];
      for (i64 j = 1; j < L - 1; ++j) {
        cc[i * L + j] = -8 / (2 * cc[i * L + j - 1] + 5 | 1);
        bb[i * L + j] = (aa[j * L + i - 1] + 3 * aa[j * L + i] + aa[j * L + i + 1] - bb[i * L + j - 1]) / 3;
      }
    }, model);
    parallel_for(L - 2, [&](i64 q) { const i64 i = q + 1; for (i64 j = L - 2; j >= 1; --j) aa[j * L + i] = cc[i * L + j] * aa[(j + 1) * L + i] + bb[i * L + j]; }, model);
  }
}
LOOP(deriche) {
  parallel_for(L, [&](i64 i) {
    int before = 0, last = 0;
    for (i64 j = 0; j < L; ++j) { bb[i * L + j] = 2 * aa[i * L + j] + 3 * before - last; last = before; before = bb[i * L + j]; }
  }, model);
  parallel_for(L, [&](i64 i) {
    int after = 0, last = 0;
    for (i64 j = L - 1; j >= 0; --j) { cc[i * L + j] = 2 * last + after; last = aa[i * L + j]; after = cc[i * L + j]; }
  }, model);
  parallel_for(L, [&](i64 i) { for (i64 j = 0; j < L; ++j) aa[i * L + j] = bb[i * L + j] + cc[i * L + j]; }, model);
}
LOOP(floyd_warshall) {
  for (i64 k = 0; k < L; ++k)
    parallel_for(L, [&, k](i64 i) {
      for (i64 j = 0; j < L; ++j) aa[i * L + j] = std::min(aa[i * L + j], aa[i * L + k] + aa[k * L + j]);
    }, model);
}
LOOP(nussinov) {
  for (i64 length = 1; length < L; ++length)
    parallel_for(L - length, [&, length](i64 i) {  // a diagonal: each from shorter ones
      const i64 j = i + length;
      int best = std::max(aa[i * L + j - 1], aa[(i + 1) * L + j]);
      if (length > 1) best = std::max(best, aa[(i + 1) * L + j - 1] + (b[i] % 4 + b[j] % 4 == 3 ? 1 : 0));
      for (i64 k = i + 1; k < j; ++k) best = std::max(best, aa[i * L + k] + aa[(k + 1) * L + j]);
      aa[i * L + j] = best;
    }, model);
}

int main(int argc, char** argv) {
  run_all(argc, argv, {NAMED(gemm), NAMED(two_mm), NAMED(three_mm), NAMED(atax), NAMED(bicg), NAMED(mvt),
                      NAMED(gemver), NAMED(gesummv), NAMED(symm), NAMED(syrk), NAMED(syr2k), NAMED(trmm),
                      NAMED(trisolv), NAMED(durbin), NAMED(lu), NAMED(ludcmp), NAMED(cholesky),
                      NAMED(gramschmidt), NAMED(correlation), NAMED(covariance), NAMED(doitgen),
                      NAMED(jacobi_1d), NAMED(jacobi_2d), NAMED(seidel_2d), NAMED(fdtd_2d), NAMED(heat_3d),
                      NAMED(adi), NAMED(deriche), NAMED(floyd_warshall), NAMED(nussinov)});
}
