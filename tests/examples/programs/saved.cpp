// Saves and loads containers of several kinds; test_saved.py compares the files with NumPy's.
#include <array>
#include <complex>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::consistency::async;
using factor = std::array<float, 3>;

static int save(const std::string& folder) {
  stradsap::dvector<factor> P(1000);
  stradsap::dvector<double> W(12), none;
  stradsap::dvector<std::complex<float>> z(5);
  stradsap::dvector<bool> flags(3);
  const stradsap::sparse_matrix<float> A{{0, 2, 3}, {0, 2, 1}, {1, 2, 3}, 2, 3};
  stradsap::dvector<std::vector<int>> rows(4, std::vector<int>{1, -2});
  stradsap::dvector<std::string> words{"plain", "a \"quote\"", "two\nlines", "\xc3\xa9", "\xff"};
  stradsap::dmap<std::string, std::pair<int, float>> counts;
  stradsap::parallel_for(
      1000,
      [&P](int64_t i) {
        for (int k = 0; k < 3; ++k) P[i][k] = static_cast<float>(i) + 0.25f * static_cast<float>(k);
      },
      async);
  for (int i = 0; i < 12; ++i) W[i] = 1.0 / (i + 1);
  for (int i = 0; i < 5; ++i) z[i] = {static_cast<float>(i), -1};
  flags[1] = true;
  counts["b"] = {2, 0.1f};
  counts["a"] = {1, 1e-30f};
  save_npy(folder, "P", P);
  const int num_rows = 3;
  save_npy(folder, "W", W, {num_rows, 4L});
  save_npy(folder, "none", none);
  save_npy(folder, "z", z);
  save_npy(folder, "flags", flags);
  save_npy(folder, "rows", rows);
  save_npy(folder, "A", A);
  save_jsonl(folder, "words", words);
  save_jsonl(folder, "counts", counts);
  const bool same = stradsap::load_npy<factor>(folder, "P") == P &&
                    stradsap::load_npy<double>(folder, "W") == W &&
                    stradsap::load_npy<double>(folder, "none").empty() &&
                    stradsap::load_npy<std::array<int, 2>>(folder, "rows").size() == 4;
  std::printf("same=%d\n", same);
  return 0;
}

/// Prints the shape, and the sum of the numbers weighted by their places.
template <class T> static int load(const std::string& path) {
  stradsap::dvector<T> X = stradsap::read_npy<T>(path);
  double sum = 0;
  stradsap::parallel_for(
      X.size(), [&X, &sum](int64_t i) { sum += static_cast<double>(X[i]) * static_cast<double>(i + 1); },
      async);
  std::printf("shape");
  for (const std::uint64_t n : stradsap::npy_shape(path)) std::printf(" %lu", n);
  std::printf(" sum %.17g\n", sum);
  return 0;
}

/// Saves many small containers.
static int save_many(const std::string& folder, const std::string& name) {
  for (int k = 0; k < 25; ++k) {
    save_npy(folder, name + std::to_string(k), stradsap::dvector<std::int32_t>(1, k));
    save_jsonl(folder, name + std::to_string(k), stradsap::dvector<std::int32_t>(1, k));
  }
  return 0;
}

/// Saves over `W` in a way that fails.
static int spoil(const std::string& folder, const std::string& kind) {
  if (kind == "rows") {
    stradsap::dvector<std::vector<float>> rows(3, std::vector<float>(2));
    rows[1].push_back(1);
    save_npy(folder, "W", rows);
  } else if (kind == "shape") {
    save_npy(folder, "W", stradsap::dvector<float>(12), {5, 3});
  } else if (kind == "negative") {
    save_npy(folder, "W", stradsap::dvector<float>(12), {-3, -4});
  } else if (kind == "name") {
    save_npy(folder, "../W", stradsap::dvector<float>(12));
  } else if (kind == "bytes") {
    save_npy(folder, "W\xff", stradsap::dvector<float>(12));
  } else if (kind == "small") {
    save_npy(folder, "W", stradsap::dvector<float>(12));
  } else if (kind == "lines") {
    save_jsonl(folder, "words", stradsap::dvector<float>(12));
  } else {
    save_npy(folder, "W", stradsap::dvector<float>(1 << 20));
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 4) return 3;
  const std::string command = argv[1], path = argv[2], kind = argv[3];
  try {
    if (command == "save") return save(path);
    if (command == "many") return save_many(path, kind);
    if (command == "spoil") return spoil(path, kind);
    if (kind == "bool") return load<bool>(path);
    return kind == "f4" ? load<float>(path) : kind == "f8" ? load<double>(path) : load<std::int64_t>(path);
  } catch (const stradsap::error& failure) {
    std::printf("%s\n", failure.what());
    return 2;
  }
}
