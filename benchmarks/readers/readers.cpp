// Reads LIBSVM or CSV. Prints the seconds and sums of the arrays.
//   readers libsvm|csv FILE
#include <chrono>
#include <cstdio>
#include <string_view>

#include <stradsap/stradsap.hpp>

template <class D> static double sum(const D& all) {
  double total = 0;
  for (std::size_t i = 0; i < all.size(); ++i) total += static_cast<double>(all[i]);
  return total;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  double sums = 0;
  const auto start = std::chrono::steady_clock::now();
  std::chrono::duration<double> passed{};
  if (std::string_view(argv[1]) == "csv") {
    const auto table = stradsap::read_csv<float>(argv[2]);
    passed = std::chrono::steady_clock::now() - start;
    sums = sum(table.value);
  } else {
    const auto data = stradsap::read_libsvm<float>(argv[2]);
    passed = std::chrono::steady_clock::now() - start;
    const auto& features = data.features;
    sums = sum(data.labels) + sum(features.value) + sum(features.index) + sum(features.indptr);
  }
  std::printf("seconds=%.4f sums=%.6g\n", passed.count(), sums);
}
