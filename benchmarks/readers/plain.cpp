// Reads LIBSVM or CSV as fast as plain C++ can: the file is mapped, numbers are read by std::from_chars,
// arrays grow as they are filled. Prints the seconds and sums of the arrays.
//   plain libsvm|csv FILE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

static std::string_view mapped(const char* path) {
  const int file = open(path, O_RDONLY);
  struct stat about{};
  if (file < 0 || fstat(file, &about) != 0) std::exit(2);
  const auto size = static_cast<std::size_t>(about.st_size);
  void* const bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  if (bytes == MAP_FAILED) std::exit(2);
  madvise(bytes, size, MADV_SEQUENTIAL);
  return {static_cast<const char*>(bytes), size};
}

template <class T> static const char* number(const char* at, const char* end, T& value) {
  const auto done = std::from_chars(at, end, value);
  if (done.ec != std::errc()) std::exit(2);
  return done.ptr;
}

template <class T> static double sum(const std::vector<T>& all) {
  double total = 0;
  for (const T x : all) total += static_cast<double>(x);
  return total;
}

static double read_libsvm(std::string_view text, double& sums) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<float> labels, value;
  std::vector<std::int64_t> indptr{0};
  std::vector<std::int32_t> index;
  for (const char *at = text.data(), *end = at + text.size(); at != end; ++at) {
    at = number(at + (*at == '+' ? 1 : 0), end, labels.emplace_back());
    while (at != end && *at == ' ') {
      std::int32_t column = 0;
      at = number(at + 1, end, column);
      index.push_back(column - 1);
      at = number(at + 1, end, value.emplace_back());
    }
    indptr.push_back(static_cast<std::int64_t>(index.size()));
    if (at == end) break;
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  sums = sum(labels) + sum(value) + sum(index) + sum(indptr);
  return passed.count();
}

static double read_csv(std::string_view text, double& sums) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<float> value;
  const char *at = text.data(), *end = at + text.size();
  while (at != end && *at++ != '\n') {
  }
  for (; at != end; ++at) at = number(at, end, value.emplace_back());
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  sums = sum(value);
  return passed.count();
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto start = std::chrono::steady_clock::now();
  const std::string_view text = mapped(argv[2]);
  const std::chrono::duration<double> mapping = std::chrono::steady_clock::now() - start;
  double sums = 0;
  const double seconds = std::string_view(argv[1]) == "csv" ? read_csv(text, sums) : read_libsvm(text, sums);
  std::printf("seconds=%.4f sums=%.6g\n", seconds + mapping.count(), sums);
}
