// Objects seen as bytes, members of unions and changes of mutable members, none of which change a captured value.
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <stradsap/stradsap.hpp>

using stradsap::async_for;
using stradsap::dvector;

struct view {
  const double* first;
  mutable int uses = 0;
  explicit view(const double* at) : first(at) {}
  double operator[](int64_t k) const { return first[k]; }
  ~view() { uses = 0; }
};
struct buffer {
  const char* text;
  explicit buffer(std::size_t n) : text(static_cast<const char*>(std::calloc(n, 1))) {}
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer() { std::free(const_cast<char*>(text)); }
};
union value {
  const char* text;
  int64_t number;
};

static int64_t hash_of(const char* bytes, std::size_t n) {
  uint64_t hash = 0;
  for (std::size_t k = 0; k < n; ++k) hash = hash * 31 + static_cast<unsigned char>(bytes[k]);
  return static_cast<int64_t>(hash >> 1);
}

static int compare(const void* a, const void* b) {
  const double one = *static_cast<const double*>(a);
  const double other = *static_cast<const double*>(b);
  return one < other ? -1 : one > other;
}

int main() {
  const int64_t n = 40;
  dvector<double> x(n);
  dvector<int64_t> id(n);
  std::vector<double> table(8);
  for (int k = 0; k < 8; ++k) table[k] = k + 0.5;

  async_for(n, [&x, &table](int64_t j) {
    double row[4];
    std::memcpy(row, table.data() + j % 2 * 4, sizeof row);
    x[j] = row[j % 4];
  });
  async_for(n, [&id, &table](int64_t j) {
    id[j] = hash_of(reinterpret_cast<const char*>(table.data()), sizeof(double) * static_cast<std::size_t>(j % 8));
  });
  async_for(n, [&id, &table](int64_t j) { id[j] ^= std::bit_cast<int64_t>(table[j % 8]); });
  async_for(n, [&x, &table](int64_t j) {
    const view all(table.data());
    view copy(nullptr);
    std::memcpy(static_cast<void*>(&copy), &all, sizeof copy);
    x[j] += copy[j % 8];
  });
  async_for(n, [&x, &table](int64_t j) {
    const buffer letters(4);
    value one{letters.text};
    one.number = j;
    x[j] += table[one.number % 8];
  });

  async_for(n, [&x, &table](int64_t j) {
    const double key = static_cast<double>(j % 8) + 0.5;
    const auto* at = static_cast<const double*>(std::bsearch(&key, table.data(), 8, sizeof key, compare));
    auto* same = static_cast<double*>(std::bsearch(&key, table.data(), 8, sizeof key, compare));
    x[j] += *at - *same;
  });

  double sum = 0;
  int64_t last = 0;
  for (int64_t j = 0; j < n; ++j) {
    sum += x[j];
    double entry = table[j % 8];
    int64_t bits = 0;
    std::memcpy(&bits, &entry, sizeof bits);
    last += id[j] != (bits ^ hash_of(reinterpret_cast<const char*>(table.data()), sizeof(double) * (j % 8)));
  }
  return sum == 480 && last == 0 ? 0 : 1;
}
