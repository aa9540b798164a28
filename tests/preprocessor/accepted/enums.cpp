// Enumerations: as elements, keys, captures and switch labels, scoped and not, with fixed underlying types.
#include <cstdint>
#include <utility>
#include <vector>

#include <stradsap/stradsap.hpp>

enum class State : std::uint8_t { susceptible, infected, recovered };
enum Side { left = -1, right = 1 };

namespace rules {
enum class Mode { slow, fast };
}

static State advance(State s, rules::Mode mode, int64_t j) {
  switch (s) {
    case State::susceptible:
      return j % (mode == rules::Mode::fast ? 2 : 5) == 0 ? State::infected : s;
    case State::infected:
      return State::recovered;
    case State::recovered:
      break;
  }
  return s;
}

int main() {
  const int n = 500;
  stradsap::dvector<State> people(n, State::susceptible);
  stradsap::dvector<Side> sides(n, left);
  stradsap::dmap<State, int> counted;
  std::vector<State> expected(n, State::susceptible);
  rules::Mode mode = rules::Mode::slow;
  for (int day = 0; day < 4; ++day) {
    stradsap::async_for(n, [&people, &sides, mode](int64_t j) {
      using enum State;
      people[j] = advance(people[j], mode, j);
      sides[j] = people[j] == infected ? right : left;
    });
    for (int j = 0; j < n; ++j) expected[j] = advance(expected[j], mode, j);
    mode = rules::Mode::fast;
  }
  stradsap::async_for(n, [&people, &counted](int64_t j) { ++counted[people[j]]; });
  int wanted[3] = {};
  for (int j = 0; j < n; ++j) {
    if (std::as_const(people)[j] != expected[j]) return 1;
    if (std::as_const(sides)[j] != (expected[j] == State::infected ? right : left)) return 2;
    ++wanted[static_cast<int>(expected[j])];
  }
  for (const auto& [state, count] : std::as_const(counted)) {
    if (wanted[static_cast<int>(state)] != count) return 3;
  }
  return 0;
}
