// A table that all ranks have filled, and that loops only read at computed places: each rank its own part, or
// any place, or one place after the other. Between the loops a few elements change. Prints a hash of the
// values. Arguments: the way of reading (own, any, order; busy: iteration 0 computes for 1.5 seconds;
// output: elements go into a pipe; fault: a body reads address 0; throws; fresh: nothing has filled the
// table; endless), the number of elements, the number of loops; "started" if elements shall have initial
// values.
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include "tests/support/program.hpp"

struct entry {  // 12 bytes: elements reach over the ends of pages
  static constexpr int kind = 0;
  int first;
  int second;
  int third;
};
struct started_entry {
  static constexpr int kind = 10;
  int first = 1;
  int second = 2;
  int third = 3;
};

enum way : int { own, any, order, busy, output, fault, throws, fresh, endless };

static constexpr std::int64_t readers = 20'000;
static constexpr std::int64_t reads_each = 25;

template <class Entry> static void fill(stradsap::dvector<Entry>& table) {
  stradsap::parallel_for(table.size(),
                         test::loop<Entry::kind + 1, 0>(
                             "paged.cpp:1",
                             [](stradsap::dvector<Entry>& table) {
                               return [&table](std::int64_t j) {
                                 const int at = static_cast<int>(j % 1'000'003);
                                 table[j] = {at + 1, at + 2, at + 3};
                               };
                             },
                             test::container < test::writes | test::aligned, "table" > (table)),
                         stradsap::consistency::async);
}

static std::uint64_t place(int way, std::int64_t j, std::int64_t k, std::uint64_t size) {
  const auto at = static_cast<std::uint64_t>(j * reads_each + k);
  if (way == order) return at * 7 % size;
  if (way != own) return test::draw(at, 0, size);
  const std::uint64_t begin = static_cast<std::uint64_t>(j) * size / readers;
  return std::min(size - 1, begin + test::draw(at, 1, size / 100 + 1));
}

/// Computes for 1.5 seconds.
static void take_time() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
  while (std::chrono::steady_clock::now() < end) continue;
}

/// Whether the system takes the bytes.
template <class Entry> static bool put_out(const Entry& one) {
  int ends[2];
  if (::pipe(ends) != 0) return false;
  const bool is_out = ::write(ends[1], &one, sizeof one) == static_cast<ssize_t>(sizeof one);
  ::close(ends[0]);
  ::close(ends[1]);
  return is_out;
}

template <class Entry>
static std::int64_t read_one(int way, std::int64_t j, std::int64_t k, const Entry& one) {
  if (way == output && k == 0 && !put_out(one))
    throw std::runtime_error("the system did not take an element");
  if (way == busy && j == 0 && k == 0) take_time();
  int* volatile nowhere = nullptr;
  if (way == fault && j == readers - 1) return *nowhere;
  if (way == throws && j == readers - 100) throw std::runtime_error("enough");
  return one.first + std::int64_t{3} * one.second + std::int64_t{5} * one.third;
}

template <class Entry> static std::uint64_t read_all(const stradsap::dvector<Entry>& table, int way) {
  stradsap::dvector<std::int64_t> sums(readers);
  stradsap::parallel_for(
      readers,
      test::loop<Entry::kind + 2, 0>(
          "paged.cpp:2",
          [](decltype(way)& way, const stradsap::dvector<Entry>& table, decltype(sums)& sums) {
            return [way, &table, &sums](std::int64_t j) {
              for (std::int64_t k = 0; k < reads_each; ++k)
                sums[j] = sums[j] * 31 + read_one(way, j, k, table[place(way, j, k, table.size())]);
            };
          },
          test::value<0>(way), test::container<test::reads, "table">(table),
          test::container < test::reads | test::writes | test::aligned, "sums" > (sums)),
      stradsap::consistency::async);
  std::uint64_t hash = 0;
  for (const std::int64_t& s : std::as_const(sums))
    hash = hash * 31 + stradsap::abi::hash_bytes(&s, sizeof s);
  return hash;
}

/// A loop changes eight elements, far from each other.
template <class Entry> static void change(stradsap::dvector<Entry>& table, int pass) {
  stradsap::parallel_for(
      8,
      test::loop<Entry::kind + 3, 0>(
          "paged.cpp:3",
          [](decltype(pass)& pass, stradsap::dvector<Entry>& table) {
            return [pass, &table](std::int64_t j) {
              table[test::draw(static_cast<std::uint64_t>(j), 2, table.size())].second += pass;
            };
          },
          test::value<test::steers>(pass), test::container < test::reads | test::writes, "table" > (table)),
      stradsap::consistency::async);
}

template <class Entry> static void run(std::uint64_t elements, int way, int passes) {
  stradsap::dvector<Entry> table(elements);
  if (way != fresh) fill(table);
  std::uint64_t hash = 0;
  for (int pass = 1; pass <= passes || way == endless; ++pass) {
    try {
      hash = hash * 31 + read_all(table, way);
    } catch (const stradsap::loop_error& e) {
      std::printf("iteration %lld\n", static_cast<long long>(e.iteration()));
    }
    if (pass % 2 == 0) change(table, pass);  // the next loop finds pages of the one before
    if (pass == 3) table[table.size() / 2].third += 1;
    if (way != endless || pass % 10 != 0) continue;
    std::printf("pass %d\n", pass);
    std::fflush(stdout);
  }
  std::printf("hash=%016llx\n", static_cast<unsigned long long>(hash));
}

int main(int argc, char** argv) {
  stradsap::abi::enter_main();
  const std::vector<std::string> names{"own",   "any",    "order", "busy",   "output",
                                       "fault", "throws", "fresh", "endless"};
  const std::string name = argc > 1 ? argv[1] : "any";
  const int way = static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
  const std::uint64_t elements = argc > 2 ? std::stoull(argv[2]) : 700'001;
  const int passes = argc > 3 ? std::stoi(argv[3]) : 4;
  if (argc > 4 && std::string(argv[4]) == "started") {
    run<started_entry>(elements, way, passes);
  } else {
    run<entry>(elements, way, passes);
  }
}
