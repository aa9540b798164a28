// Loops with captured values that decide places and take turns. argv[1]: the program; argv[2]: how often its
// values come back. Prints a hash of the result.
#include <complex>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <stradsap/stradsap.hpp>

template <class T> static unsigned long long hash_of(const stradsap::dvector<T>& all) {
  unsigned long long hash = 14695981039346656037ull;
  for (const T& one : all) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &one, sizeof(T));
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211ull;
  }
  return hash;
}

static stradsap::dvector<double> numbers(int n) {
  std::mt19937 gen(7);
  stradsap::dvector<double> all(n);
  for (int i = 0; i < n; ++i) all[i] = static_cast<double>(gen() % 100000) / 1000;
  return all;
}

/// The stages of a Fourier transform in place, without the reversal of bits.
static void fourier(int turns) {
  constexpr int n = 1 << 16;
  stradsap::dvector<std::complex<double>> a(n);
  for (int i = 0; i < n; ++i) a[i] = i * 7 % 11;
  for (int turn = 0; turn < turns; ++turn) {
    for (int half = 1; half < n; half *= 2) {
      const double angle = std::numbers::pi / half * (turn % 2 == 0 ? 1 : -1);
      stradsap::async_for(n / 2, [&](int64_t k) {
        const int block = static_cast<int>(k) / half, off = static_cast<int>(k) % half;
        const int i = block * 2 * half + off;
        const std::complex<double> w(std::cos(angle * off), std::sin(angle * off));
        const std::complex<double> u = a[i], v = a[i + half] * w;
        a[i] = (u + v) / 2.0;
        a[i + half] = (u - v) / 2.0;
      });
    }
  }
  std::printf("%016llx\n", hash_of(a));
}

/// Odd-even transposition.
static void transposition(int turns) {
  constexpr int n = 70000;
  stradsap::dvector<double> x = numbers(n);
  for (int step = 0; step < 2 * turns; ++step) {
    const int parity = step % 2;
    stradsap::async_for((n - parity) / 2, [&](int64_t k) {
      const int64_t i = 2 * k + parity;
      if (x[i] > x[i + 1]) std::swap(x[i], x[i + 1]);
    });
  }
  std::printf("%016llx\n", hash_of(x));
}

/// Two captured values decide.
static void bitonic(int turns) {
  constexpr int n = 1 << 15;
  stradsap::dvector<double> x = numbers(n);
  for (int turn = 0; turn < turns; ++turn) {
    for (int size = 2; size <= n; size *= 2) {
      for (int step = size / 2; step > 0; step /= 2) {
        stradsap::async_for(n, [&](int64_t i) {
          const int64_t other = i ^ step;
          if (other < i) return;
          const bool ascends = (i & size) == 0;
          if ((x[i] > x[other]) == ascends) std::swap(x[i], x[other]);
        });
      }
    }
    for (int i = 0; i < n; ++i) x[i] = x[i] * 1.5 + (i % 3);
  }
  std::printf("%016llx\n", hash_of(x));
}

/// Sweeps over the cells of one colour, by Gauss and Seidel.
static void colours(int turns) {
  constexpr int width = 320;
  stradsap::dvector<double> u = numbers(width * width);
  for (int sweep = 0; sweep < 2 * turns; ++sweep) {
    const int colour = sweep % 2;
    stradsap::async_for(width * width / 2, [&](int64_t k) {
      const int row = static_cast<int>(k) / (width / 2);
      const int column = 2 * (static_cast<int>(k) % (width / 2)) + (row + colour) % 2;
      if (row == 0 || row == width - 1 || column == 0 || column == width - 1) return;
      const int i = row * width + column;
      u[i] = 0.25 * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width]);
    });
  }
  std::printf("%016llx\n", hash_of(u));
}

/// From coarse to fine, as grids of several levels interpolate.
static void levels(int turns) {
  constexpr int n = 1 << 16;
  stradsap::dvector<double> u = numbers(n + 1);
  for (int turn = 0; turn < turns; ++turn) {
    for (int stride = n / 2; stride > 0; stride /= 2) {
      stradsap::async_for(n / 2, [&](int64_t k) {
        const int64_t i = (2 * k + 1) * stride;
        if (i < n) u[i] = 0.5 * (u[i - stride] + u[i + stride]) + 1e-3 * u[i];
      });
    }
  }
  std::printf("%016llx\n", hash_of(u));
}

/// Shortest paths by Floyd and Warshall, a part of them: each step is another value.
static void paths(int turns) {
  constexpr int n = 200;
  stradsap::dvector<double> d = numbers(n * n);
  for (int k = 0; k < 4 * turns; ++k) {
    stradsap::async_for(n * n, [&](int64_t at) {
      const int64_t i = at / n, j = at % n;
      const double through = d[i * n + k] + d[k * n + j];
      if (through < d[at]) d[at] = through;
    });
  }
  std::printf("%016llx\n", hash_of(d));
}

struct matrix {
  double a[9] = {};
  matrix& operator+=(const matrix& other) {
    for (int k = 0; k < 9; ++k) a[k] += other.a[k];
    return *this;
  }
};

/// Adds into two containers, of which the second loop cuts the small one. That changes no plan of the first.
static void bundles(int turns) {
  constexpr int n = 60000, cameras = 60, points = 3000;
  std::vector<int> camera(n), point(n);
  std::mt19937 gen(3);
  for (int j = 0; j < n; ++j) camera[j] = gen() % cameras, point[j] = gen() % points;
  stradsap::dvector<matrix> by_camera(cameras), by_point(points);
  for (int turn = 0; turn < turns; ++turn) {
    stradsap::async_for(n, [&](int64_t j) {
      matrix h;
      for (int k = 0; k < 9; ++k) h.a[k] = 1.0 / (1 + k + camera[j] + point[j]);
      by_point[point[j]] += h;
      by_camera[camera[j]] += h;
    });
    stradsap::async_for(cameras, [&](int64_t i) {
      for (double& x : by_camera[i].a) x *= 0.5;
    });
  }
  std::printf("%016llx %016llx\n", hash_of(by_camera), hash_of(by_point));
}

int main(int, char** argv) {
  const std::string name = argv[1];
  const int turns = std::stoi(argv[2]);
  if (name == "fourier") fourier(turns);
  if (name == "transposition") transposition(turns);
  if (name == "bitonic") bitonic(turns);
  if (name == "colours") colours(turns);
  if (name == "levels") levels(turns);
  if (name == "paths") paths(turns);
  if (name == "bundles") bundles(turns);
}
