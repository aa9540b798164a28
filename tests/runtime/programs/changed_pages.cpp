// A table that every rank reads at computed places. Between the loops the program, or a loop, changes a few
// elements of it, or all. Prints a hash of the read values. Arguments: the way of changing (few, all, loop),
// the number of elements, the number of loops.
#include <string>
#include <vector>

#include "tests/support/program.hpp"

static std::uint64_t place(std::int64_t j, std::uint64_t size) {
  return (static_cast<std::uint64_t>(j) * 0x9e3779b97f4a7c15u >> 20) % size;
}

/// Each rank reads all of the table. Returns a hash of the sums.
static std::uint64_t read_all(const stradsap::dvector<float>& table, std::int64_t n) {
  stradsap::dvector<float> sums(n);
  stradsap::parallel_for(n,
                         test::loop<1, 0>(
                             "changed_pages.cpp:1",
                             [](const stradsap::dvector<float>& table, decltype(sums)& sums) {
                               return [&table, &sums](std::int64_t j) {
                                 for (int k = 0; k < 50; ++k)
                                   sums[j] = 0.5f * sums[j] + table[place(j + k, table.size())];
                               };
                             },
                             test::container<test::reads, "table">(table),
                             test::container < test::reads | test::writes | test::aligned, "sums" > (sums)),
                         stradsap::consistency::async);
  std::uint64_t hash = 0;
  for (const float& s : std::as_const(sums)) hash = hash * 31 + stradsap::abi::hash_bytes(&s, sizeof s);
  return hash;
}

/// A loop changes eight elements, far from each other.
static void change_by_loop(stradsap::dvector<float>& table, int pass) {
  stradsap::parallel_for(
      8,
      test::loop<2, 0>(
          "changed_pages.cpp:2",
          [](decltype(pass)& pass, stradsap::dvector<float>& table) {
            return [pass, &table](std::int64_t j) {
              table[place(j + 8 * pass, table.size())] += static_cast<float>(pass);
            };
          },
          test::value<test::steers>(pass), test::container < test::reads | test::writes, "table" > (table)),
      stradsap::consistency::async);
}

int main(int argc, char** argv) {
  stradsap::abi::enter_main();
  const std::string way = argc > 1 ? argv[1] : "few";
  const auto size = static_cast<std::int64_t>(argc > 2 ? std::stoll(argv[2]) : 1'000'003);
  const int passes = argc > 3 ? std::stoi(argv[3]) : 4;
  stradsap::dvector<float> table(size);
  for (std::int64_t i = 0; i < size; ++i) table[i] = static_cast<float>(i % 1000) + 1;
  std::uint64_t hash = 0;
  for (int pass = 1; pass <= passes; ++pass) {
    hash = hash * 31 + read_all(table, 50'000);
    if (way == "few") table[place(pass, table.size())] += static_cast<float>(pass);
    if (way == "loop") change_by_loop(table, pass);
    for (std::int64_t i = 0; way == "all" && i < size; ++i) table[i] += 1;
  }
  std::printf("hash=%016llx\n", static_cast<unsigned long long>(hash));
}
