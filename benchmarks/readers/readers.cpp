// Reads LIBSVM, CSV or .npy, or saves as .npy. Prints the seconds and sums of the arrays.
//   readers libsvm|csv|npy FILE
//   readers save FILE.npy FOLDER
#include <chrono>
#include <cstdio>
#include <string_view>

#include <stradsap/stradsap.hpp>

template <class D> static double sum(const D& all) {
  double total = 0;
  for (std::size_t i = 0; i < all.size(); ++i) total += static_cast<double>(all[i]);
  return total;
}

/// Seconds of a call.
template <class F> static double timed(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string_view kind = argv[1];
  double seconds = 0, sums = 0;
  if (kind == "csv") {
    stradsap::dense_matrix<float> table;
    seconds = timed([&] { table = stradsap::read_csv<float>(argv[2]); });
    sums = sum(table.value);
  } else if (kind == "libsvm") {
    stradsap::libsvm_data<float> data;
    seconds = timed([&] { data = stradsap::read_libsvm<float>(argv[2]); });
    const auto& features = data.features;
    sums = sum(data.labels) + sum(features.value) + sum(features.index) + sum(features.indptr);
  } else {
    stradsap::dvector<float> x;
    seconds = timed([&] { x = stradsap::read_npy<float>(argv[2]); });
    if (kind == "save") seconds = timed([&] { stradsap::save_npy(argv[3], "x", x); });
    sums = sum(x);
  }
  std::printf("seconds=%.4f sums=%.6g\n", seconds, sums);
}
