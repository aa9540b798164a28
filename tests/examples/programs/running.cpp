// Numbers that loops under consistency::stale fold into while no call waits for the sum: reads, copies and
// ends at any time, beside numbers that each call waits for.
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <stradsap/stradsap.hpp>

#include "shared_progress.hpp"

namespace {

using namespace stradsap;

constexpr int64_t accumulators = 16;
constexpr int64_t each = 4;  // iterations of an accumulator
constexpr int64_t n = accumulators * each;

/// Beside numbers that every call waits for, in a loop with the same bodies. Fractions, so that the order of
/// folds shows; the values in `x` depend on the calls that an iteration sees, so a read must not fold them.
void reads(int64_t bound, int64_t every) {
  dvector<int64_t> x(accumulators), y(accumulators);
  running<double> sum = 1;
  running<int64_t> most;
  double awaited_sum = 1;
  int64_t awaited_most = 0, wrong = 0;
  for (int64_t clock = 0; clock < 24; ++clock) {
    parallel_for(
        n,
        [&x, &sum, &most, clock](int64_t j) {
          const int64_t seen = x[(j * 7 + clock) % accumulators];
          sum += 1 / static_cast<double>(3 * seen + j + 1);
          if (seen > most) most = seen;
          ++x[j / each];
        },
        consistency::stale(bound));
    parallel_for(
        n,
        [&y, &awaited_sum, &awaited_most, clock](int64_t j) {
          const int64_t seen = y[(j * 7 + clock) % accumulators];
          awaited_sum += 1 / static_cast<double>(3 * seen + j + 1);
          if (seen > awaited_most) awaited_most = seen;
          ++y[j / each];
        },
        consistency::stale(bound));
    if ((clock + 1) % every != 0) continue;
    wrong += (sum == awaited_sum ? 0 : 1) + (most == awaited_most ? 0 : 1);
    if (clock % 3 == 0) sum = awaited_sum = 0;
  }
  wrong += (sum == awaited_sum ? 0 : 1) + (most == awaited_most ? 0 : 1);
  std::printf("wrong=%ld sum=%a most=%ld\n", long(wrong), double(sum), long(most));
}

running<int64_t> of_all;

struct counted_model {
  dvector<int64_t> x = dvector<int64_t>(accumulators);
  running<int64_t> steps;
  double rate = 2;
  void pass() {
    parallel_for(
        n,
        [this](int64_t j) {
          steps += static_cast<int64_t>(rate);
          ++x[j / each];
        },
        consistency::stale(2));
  }
};

void adds_once(dvector<int64_t>& x, running<int64_t>& to) {
  parallel_for(
      n,
      [&x, &to](int64_t j) {
        ++to;
        ++x[j / each];
      },
      consistency::stale(3));
}

/// Running numbers are copied, overwritten and end while calls are open.
void ends() {
  dvector<int64_t> x(accumulators);
  running<int64_t> sum;
  adds_once(x, sum);
  adds_once(x, sum);
  running<int64_t> copy = sum, moved = std::move(sum);
  adds_once(x, sum);
  copy += sum;  // 128 + 192
  adds_once(x, moved);
  moved = 5;
  adds_once(x, moved);
  auto ending = std::make_unique<running<int64_t>>(7);
  adds_once(x, *ending);
  adds_once(x, *ending);
  ending.reset();
  const auto next = std::make_unique<std::array<int64_t, 2>>();  // in the same memory
  adds_once(x, sum);
  std::printf("%ld %ld %ld %ld; ", long(sum), long(copy), long(moved), long((*next)[0] + (*next)[1]));
  counted_model model;
  for (int64_t k = 0; k < 5; ++k) model.pass();
  --model.steps;
  const running<int64_t> kept = model.steps;
  for (int64_t k = 0; k < 5; ++k) {
    parallel_for(
        n,
        [&x, &of_all = of_all](int64_t j) {
          of_all += j;
          ++x[j / each];
        },
        consistency::stale(1));
  }
  std::printf("%ld %ld %ld x=%ld\n", long(model.steps), long(kept), long(of_all), long(std::as_const(x)[15]));
}

/// After loops of other models the sum is there. They fold into it in the order of the program.
void in_others() {
  dvector<int64_t> x(n), y(n);
  running<double> sum = 0.1;
  double awaited = 0.1;
  int64_t wrong = 0;
  for (int64_t pass = 0; pass < 3; ++pass) {
    for (int64_t clock = 0; clock < 3; ++clock) {  // the first one waits for itself
      parallel_for(n, [&x, &sum](int64_t j) { sum -= double(x[(j + 1) % n]++) / 7; }, consistency::stale(2));
      parallel_for(
          n, [&y, &awaited](int64_t j) { awaited -= double(y[(j + 1) % n]++) / 7; }, consistency::stale(2));
    }
    parallel_for(n, [&sum](int64_t j) { sum *= j % 2 == 0 ? 0.75 : 1.5; }, consistency::async);
    parallel_for(n, [&awaited](int64_t j) { awaited *= j % 2 == 0 ? 0.75 : 1.5; }, consistency::async);
    for (const ConsistencyModel& model : {ConsistencyModel(consistency::async), consistency::sync(16),
                                          ConsistencyModel(consistency::ordered)}) {
      parallel_for(n, [&x, &sum](int64_t j) { sum += 1.0 / double(3 + x[j]); }, model);
      parallel_for(n, [&y, &awaited](int64_t j) { awaited += 1.0 / double(3 + y[j]); }, model);
      wrong += sum == awaited ? 0 : 1;
    }
  }
  std::printf("wrong=%ld sum=%a\n", long(wrong), double(sum));
}

/// A read meets the exception of clock 3, and finds the sums of the calls before.
void throwing(int64_t bound) {
  dvector<int64_t> x(accumulators);
  running<int64_t> sum;
  std::string line;
  int64_t clock = 0;
  try {
    for (; clock < 12; ++clock) {
      parallel_for(
          n,
          [&x, &sum, clock](int64_t j) {
            if (clock == 3 && j == 23) throw error(errc::body, "too far");
            ++sum;
            ++x[j / each];
          },
          consistency::stale(bound));
      if (clock % 2 == 0) line += std::to_string(sum) + " ";
    }
  } catch (const loop_error& e) {
    line += "caught " + std::to_string(e.iteration()) + " after " + std::to_string(clock) + "; ";
  }
  std::printf("%s%ld %ld\n", line.c_str(), long(sum), long(std::as_const(x)[15]));
}

/// The last iteration of clock 1 waits until the first one of clock `awaited` has begun.
void straggler(int64_t bound, int64_t awaited, double seconds, const std::string& path) {
  dvector<int64_t> x(accumulators);
  running<int64_t> met, sum;
  for (int64_t clock = 0; clock < 12; ++clock) {
    parallel_for(
        n,
        [&x, &met, &sum, clock, awaited, seconds, path](int64_t j) {
          if (j == 0) note_step(path, clock);
          if (clock == 1 && j == n - 1) met += meets(path, awaited, seconds) ? 1 : 0;
          if (j >= n - each) ++sum;
          ++x[j / each];
        },
        consistency::stale(bound));
  }
  std::printf("met=%ld sum=%ld\n", long(met), long(sum));
}

/// The last rank dies in clock 3, while the driver goes on, or waits for the sum.
void dying(int64_t bound) {
  dvector<int64_t> x(accumulators);
  running<int64_t> sum;
  for (int64_t clock = 0; clock < 1000; ++clock) {
    parallel_for(
        n,
        [&x, &sum, clock](int64_t j) {
          if (clock == 3 && j == n - 1) __builtin_trap();
          ++sum;
          ++x[j / each];
        },
        consistency::stale(bound));
    if (clock % 100 == 99) std::printf("sum=%ld\n", long(sum));
  }
  std::printf("sum=%ld\n", long(std::as_const(x)[15]));
}

}  // namespace

int main(int, char** argv) {
  const std::string kind = argv[1];
  if (kind == "reads") reads(std::stol(argv[2]), std::stol(argv[3]));
  if (kind == "ends") ends();
  if (kind == "others") in_others();
  if (kind == "throwing") throwing(std::stol(argv[2]));
  if (kind == "straggler") straggler(std::stol(argv[2]), std::stol(argv[3]), std::stod(argv[4]), argv[5]);
  if (kind == "dying") dying(std::stol(argv[2]));
}
