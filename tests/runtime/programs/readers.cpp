// Reads files that the test has written, and prints the containers.
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "tests/support/program.hpp"

static int parse_whole(std::string_view line) {
  if (line.find('x') != std::string_view::npos) throw std::invalid_argument("an x");
  return std::stoi(std::string(line));
}

/// Computes for 4 ms.
static int parse_slowly(std::string_view line) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(4);
  while (std::chrono::steady_clock::now() < end) {
  }
  return static_cast<int>(line.size());
}

/// For the line "change PATH": flips a bit of the file's tenth byte, in place.
static int parse_and_change(std::string_view line, bool keeps_time) {
  if (!line.starts_with("change ")) return 0;
  const std::string path(line.substr(7));
  const auto before = std::filesystem::last_write_time(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const int old = file.seekg(9).get();
  file.seekp(9).put(static_cast<char>(old ^ 1));
  file.close();
  if (keeps_time) std::filesystem::last_write_time(path, before);
  return 0;
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
  } else if (kind == "nested") {  // reads the file anew within a parser
    const auto all = [path] {
      return stradsap::read_text<int>(path,
                                      [](std::string_view line) { return std::stoi(std::string(line)); })
          .size();
    };
    print("numbers", stradsap::read_text<int>(path, [&all](std::string_view line) {
            const int count = static_cast<int>(all());
            return parse_whole(line) + count - count;
          }));
  } else if (kind == "changing" || kind == "changing_unseen") {
    const bool keeps_time = kind == "changing_unseen";
    print("numbers", stradsap::read_text<int>(path, [keeps_time](std::string_view line) {
            return parse_and_change(line, keeps_time);
          }));
  } else if (kind == "slow") {
    print("sizes", stradsap::read_text<int>(path, parse_slowly));
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
    same = rows[i].first == labels[i] &&
           static_cast<std::int64_t>(rows[i].second.size()) == features.indptr[i + 1] - first;
    for (std::size_t k = 0; same && k < rows[i].second.size(); ++k)
      same = rows[i].second[k] == std::pair(features.index[first + k], features.value[first + k]);
  }
  std::printf("rows: %s\n", same ? "same" : "DIFFERENT");
}

struct house {
  double price = 0;
  std::int32_t rooms = 0;
  std::string street;
  static constexpr auto stradsap_members_() {
    return stradsap::abi::stradsap_members<house>(stradsap::abi::bases<>(), &house::price, &house::rooms,
                                                  &house::street);
  }
};

template <class V> static void read_table(const char* path, const std::vector<std::string>& columns) {
  const auto table = stradsap::read_csv<V>(path, {.columns = columns});
  std::printf("%ld x %ld\nnames", static_cast<long>(table.rows), static_cast<long>(table.columns));
  for (const std::string& name : table.names) std::printf(" [%s]", name.c_str());
  std::printf("\n");
  print("value", table.value);
}

static void read_houses(const char* path) {
  const auto houses = stradsap::read_csv<house>(
      path, {.delimiter = ';', .comment = "#"}, stradsap::csv_column("street", &house::street),
      stradsap::csv_column("price", &house::price), stradsap::csv_column("rooms", &house::rooms));
  for (std::size_t i = 0; i < houses.size(); ++i)
    std::printf("%.9g %d [%s]\n", houses[i].price, houses[i].rooms, houses[i].street.c_str());
}

template <class V> static void read_entries(const char* path) {
  const auto matrix = stradsap::read_matrix_market<V>(path);
  std::printf("%ld x %ld\n", static_cast<long>(matrix.rows), static_cast<long>(matrix.columns));
  stradsap::dvector<double> parts[3];
  for (std::size_t k = 0; k < matrix.entries.size(); ++k) {
    const auto& entry = matrix.entries[k];
    parts[0].push_back(entry.row);
    parts[1].push_back(entry.column);
    parts[2].push_back(static_cast<double>(entry.value));
  }
  print("row", std::as_const(parts[0]));
  print("column", std::as_const(parts[1]));
  print("value", std::as_const(parts[2]));
}

static void read_words(const char* path, long min_count) {
  const stradsap::corpus text = stradsap::read_corpus(path, {.min_count = min_count});
  std::printf("words");
  for (std::size_t w = 0; w < text.words.size() && w < 12; ++w)
    std::printf(" %s=%ld", text.words[w].c_str(), static_cast<long>(text.counts[w]));
  std::printf("\n");
  print("indptr", text.indptr);
  print("ids", text.ids);
  const stradsap::corpus few = stradsap::read_corpus(path, {.words = {"the", "no such word"}});
  if (few.words.size() != 2 || few.counts[1] != 0) std::printf("few words: DIFFERENT\n");
  const stradsap::corpus again = stradsap::read_corpus(path, {.min_count = 1000000, .words = text.words});
  std::printf("again: %s\n", again.ids == text.ids && again.counts == text.counts ? "same" : "DIFFERENT");
}

static void read(const std::string& kind, const char* path, int base, long columns) {
  if (kind == "libsvm") return read_sparse<float>(path, base, columns);
  if (kind == "libsvm_double") return read_sparse<double>(path, base, columns);
  if (kind == "libsvm_whole") return read_sparse<std::int32_t>(path, base, columns);
  if (kind == "csv") return read_table<double>(path, {});
  if (kind == "csv_marked")
    return print("value",
                 stradsap::read_csv<double>(path, {.delimiter = '\t', .missing = {"", "-999"}}).value);
  if (kind == "csv_two") return read_table<float>(path, {"c", "a"});
  if (kind == "csv_whole") return read_table<std::int64_t>(path, {});
  if (kind == "csv_rows") return read_houses(path);
  if (kind == "market") return read_entries<double>(path);
  if (kind == "market_whole") return read_entries<std::int32_t>(path);
  if (kind == "docword") return print_matrix(stradsap::read_docword(path));
  if (kind == "corpus") return read_words(path, base);
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
