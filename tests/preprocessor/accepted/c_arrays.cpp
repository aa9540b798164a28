// Built-in arrays: in elements, as captures by value and by reference, as local buffers, passed to functions.
#include <cstdint>
#include <cstring>
#include <utility>

#include <stradsap/stradsap.hpp>

struct Image {
  unsigned char pixels[4][4];
  char name[8];
};

static int sum_of(const int* values, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i];
  return sum;
}

static void blur(const int (&kernel)[3], const unsigned char (&row)[4], int (&out)[4]) {
  for (int c = 0; c < 4; ++c) {
    out[c] = 0;
    for (int k = -1; k <= 1; ++k) {
      if (c + k < 0 || c + k > 3) continue;
      out[c] += kernel[k + 1] * row[c + k];
    }
  }
}

static int work(Image& image, int64_t j, const int (&kernel)[3], const double (&gain)[2]) {
  std::strncpy(image.name, j % 2 ? "odd" : "even", sizeof image.name - 1);
  int total = 0;
  for (auto& row : image.pixels) {
    for (int c = 0; c < 4; ++c) row[c] = static_cast<unsigned char>(j * (c + 1) % 50);
    int blurred[4];
    blur(kernel, row, blurred);
    total += static_cast<int>(gain[j % 2] * sum_of(blurred, 4));
  }
  return total;
}

int main() {
  const int n = 300;
  stradsap::dvector<Image> images(n);
  stradsap::dvector<int> totals(n);
  const int kernel[3] = {1, 2, 1};
  double gain[] = {1, 0.5};
  stradsap::async_for(n, [&images, &totals, kernel, &gain](int64_t j) { totals[j] = work(images[j], j, kernel, gain); });
  for (int j = 0; j < n; ++j) {
    Image image{};
    if (std::as_const(totals)[j] != work(image, j, kernel, gain)) return 1;
    if (std::memcmp(&std::as_const(images)[j], &image, sizeof image) != 0) return 2;
  }
  return 0;
}
