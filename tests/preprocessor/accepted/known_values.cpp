// Subscripts in inner loops that are elements of another container. The range of its values is checked before
// the loop, and follows each change of the container.
#include <stradsap/stradsap.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace stradsap;

static constexpr int n = 50, width = 8, features = 90;
static int failures = 0;

static void check(const char* name, bool is_right) {
  std::printf("%s %s\n", name, is_right ? "ok" : "WRONG");
  failures += is_right ? 0 : 1;
}

template <class Index> static int place(Index i) { return static_cast<int>(i * 31 % features); }

/// A step of coordinate descent: sums over a row of sparse data, then changes at the same places.
template <class Index> static void compare(const char* name) {
  std::vector<Index> plain_index(n * width);
  for (int k = 0; k < n * width; ++k) plain_index[k] = static_cast<Index>(place(k));
  std::vector<int> plain(features, 1);
  for (int j = 0; j < n; ++j) {
    int sum = j;
    for (int k = j * width; k < (j + 1) * width; ++k) sum += plain[plain_index[k]];
    for (int k = j * width; k < (j + 1) * width; ++k) plain[plain_index[k]] += sum % 7;
  }
  dvector<Index> index(n * width);
  for (int k = 0; k < n * width; ++k) index[k] = plain_index[k];
  dvector<int> w(features, 1);
  async_for(n, [&](int j) {
    int sum = j;
    for (int k = j * width; k < (j + 1) * width; ++k) sum += w[index[k]];
    for (int k = j * width; k < (j + 1) * width; ++k) w[index[k]] += sum % 7;
  });
  // another serial order is allowed: each step adds less than 7 at each of its places
  bool is_near = true;
  for (int i = 0; i < features; ++i) is_near = is_near && w[i] >= 1 && (w[i] - 1) <= 6 * n;
  parallel_for(n, [&](int j) {
    if (j == 0) {
      for (int i = 0; i < features; ++i) w[i] = 1;
    }
    int sum = j, k = j * width;
    while (k < (j + 1) * width) {
      if (k % 5 != 7) sum += w[index[k]];
      ++k;
    }
    for (int at = j * width; at < (j + 1) * width; ++at) w[index[at]] += sum % 7;
  }, consistency::ordered);
  for (int i = 0; i < features; ++i) is_near = is_near && w[i] == plain[i];
  check(name, is_near);
}

/// The subscript that a loop refuses; -1 if it refuses none.
static int refused(dvector<int>& index, dvector<int>& w) {
  dvector<int> sums(n);
  try {
    async_for(n, [&](int j) {
      int sum = 0;
      for (int k = j * width; k < (j + 1) * width; ++k) sum += w[index[k]];
      sums[j] = sum;
    });
  } catch (const loop_error& e) {
    const std::string what = e.what();
    const std::size_t at = what.find("index ");
    return at == std::string::npos ? -2 : std::stoi(what.substr(at + 6));
  }
  for (int j = 0; j < n; ++j) {
    int sum = 0;
    for (int k = j * width; k < (j + 1) * width; ++k) sum += w[index[k]];
    if (sums[j] != sum) return -3;
  }
  return -1;
}

static void follow_changes() {
  dvector<int> index(n * width), w(features, 2);
  for (int k = 0; k < n * width; ++k) index[k] = place(k);
  check("all in range", refused(index, w) == -1 && refused(index, w) == -1);
  index[17] = features;
  check("one too large", refused(index, w) == features && refused(index, w) == features);
  index[17] = -4;
  check("one negative", refused(index, w) == -4);
  index[17] = 3;
  check("in range again", refused(index, w) == -1);
  index.data()[20] = features + 7;
  check("by a pointer", refused(index, w) == features + 7);
  index[20] = 0;
  check("mended", refused(index, w) == -1);
  parallel_for(n * width, [&](int k) {
    if (k == 33) index[k] = features + 1;
  }, consistency::async);
  check("by a loop", refused(index, w) == features + 1);
  async_for(n * width, [&](int k) { index[k] = k % features; });
  check("mended by a loop", refused(index, w) == -1);
  w.resize(features - 1);
  check("fewer elements", refused(index, w) == features - 1);
  w.resize(features + 5);
  check("more elements", refused(index, w) == -1);
  index.resize(1);
  index.resize(n * width, features + 5);
  check("a new size", refused(index, w) == features + 5);
  for (int k = 0; k < n * width; ++k) index[k] = 0;
  dvector<int> other(n * width, features + 9);
  index.swap(other);
  check("swapped", refused(index, w) == features + 9 && refused(other, w) == -1);
}

int main() {
  compare<int>("int");
  compare<unsigned char>("unsigned char");
  compare<std::int64_t>("int64_t");
  compare<std::uint64_t>("uint64_t");
  compare<std::uint32_t>("uint32_t");
  compare<short>("short");
  follow_changes();
  return failures;
}
