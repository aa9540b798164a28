// Where neighbours are alike, blocks of enough iterations are cut in two: all iterations of the loop's first
// half come before those of the second, or behind them, but for a pass that begins within a half. Each row
// counts how often the half of those that meet it changes. argv[1]: alike, or any.
#include <algorithm>
#include <string_view>
#include <utility>

#include "tests/support/program.hpp"

struct row {
  long half = 0;
  long changes = 0;
};

/// Any column, or one of some beside the row.
static std::uint64_t column_of(std::int64_t j, std::uint64_t row, bool alike) {
  const std::uint64_t any = test::draw(2, static_cast<std::uint64_t>(j), 100);
  return alike ? (5 * row + any / 2) % 100 : any;
}

int main(int argc, char** argv) {
  stradsap::abi::enter_main();
  bool alike = argc > 1 && std::string_view(argv[1]) == "alike";
  constexpr long n = 60000;
  stradsap::dvector<row> rows(20);
  stradsap::dvector<long> columns(100);
  constexpr unsigned writes_too = test::reads | test::writes;
  stradsap::parallel_for(n,
                         test::loop<1, 0>(
                             "subpasses.cpp:1",
                             [](bool& alike, decltype(rows)& rows, decltype(columns)& columns) {
                               return [alike, &rows, &columns](long j) {
                                 const std::uint64_t i = test::draw(1, static_cast<std::uint64_t>(j), 20);
                                 row& r = rows[i];
                                 const long half = 2 * j >= n ? 1 : 0;
                                 r.changes += half != r.half ? 1 : 0;
                                 r.half = half;
                                 ++columns[column_of(j, i, alike)];
                               };
                             },
                             test::value<test::steers>(alike), test::container<writes_too>(rows),
                             test::container<writes_too>(columns)),
                         stradsap::consistency::async);
  long most = 0;
  for (const row& r : std::as_const(rows)) most = std::max(most, r.changes);
  long total = 0;
  for (const long count : std::as_const(columns)) total += count;
  std::printf("changes=%ld total=%ld\n", most, total);
}
