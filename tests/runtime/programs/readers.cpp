// Reads files that the test has written, and prints the containers.
#include <cstring>
#include <stdexcept>
#include <string>

#include "tests/support/program.hpp"

static int parse_whole(std::string_view line) {
  if (line.find('x') != std::string_view::npos) throw std::invalid_argument("an x");
  return std::stoi(std::string(line));
}

template <class D> static void print(const char* name, const D& all) {
  std::printf("%s %zu:", name, all.size());
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < 20) std::printf(" %.9g", static_cast<double>(all[i]));
    const double value = static_cast<double>(all[i]);
    std::uint64_t parts[] = {hash, 0};
    std::memcpy(&parts[1], &value, sizeof value);
    hash = stradsap::abi::hash_bytes(parts, sizeof parts);
  }
  std::printf(" hash %016lx\n", hash);
}

static void read_lines(const std::string& kind, const char* path) {
  if (kind == "function") {
    print("numbers", stradsap::read_text<int>(path, parse_whole, {.skip_lines = 1, .comment = "#"}));
  } else if (kind == "lambda") {
    const auto parse = [](std::string_view line) { return parse_whole(line); };
    print("numbers", stradsap::read_text<int>(path, parse, {.skip_lines = 1, .comment = "#"}));
  } else if (kind == "capture") {
    int lines = 0;
    const auto parse = [&lines](std::string_view line) { return parse_whole(line) + 0 * ++lines; };
    print("numbers", stradsap::read_text<int>(path, parse, {.skip_lines = 1, .comment = "#"}));
  } else {
    const auto lines =
        stradsap::read_text<std::string>(path, [](std::string_view l) { return std::string(l); });
    std::size_t bytes = 0;
    for (const std::string& line : lines) bytes += line.size();
    std::printf("lines %zu, bytes %zu\n", lines.size(), bytes);
  }
}

template <class V> static void print_matrix(const stradsap::sparse_matrix<V>& all) {
  std::printf("%ld x %ld\n", static_cast<long>(all.rows), static_cast<long>(all.columns));
  print("indptr", std::as_const(all.indptr));
  print("index", std::as_const(all.index));
  print("value", std::as_const(all.value));
}

template <class V> static void read_sparse(const char* path, int base, long columns) {
  const stradsap::libsvm_options options{.index_base = base, .columns = columns};
  const auto [labels, features] = stradsap::read_libsvm<V>(path, options);
  print("labels", labels);
  print_matrix(features);
  const auto rows = stradsap::read_libsvm_rows<V>(path, options);
  bool same = rows.size() == labels.size();
  for (std::size_t i = 0; same && i < rows.size(); ++i) {
    const std::int64_t first = features.indptr[i];
    same = rows[i].label == labels[i] &&
           static_cast<std::int64_t>(rows[i].entries.size()) == features.indptr[i + 1] - first;
    for (std::size_t k = 0; same && k < rows[i].entries.size(); ++k)
      same = rows[i].entries[k] == std::pair(features.index[first + k], features.value[first + k]);
  }
  std::printf("rows: %s\n", same ? "same" : "DIFFERENT");
}

static void read(const std::string& kind, const char* path, int base, long columns) {
  if (kind == "libsvm") return read_sparse<float>(path, base, columns);
  if (kind == "libsvm_double") return read_sparse<double>(path, base, columns);
  if (kind == "libsvm_whole") return read_sparse<std::int32_t>(path, base, columns);
  read_lines(kind, path);
}

int main(int argc, char** argv) {
  stradsap::abi::enter_main();
  try {
    read(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 1, argc > 4 ? std::atol(argv[4]) : 0);
  } catch (const stradsap::error& e) {
    std::printf("error: %s\n", e.what());
  }
}
