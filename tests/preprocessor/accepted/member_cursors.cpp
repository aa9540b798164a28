// Member functions that subscript with members of their object, and change them between accesses: checks of
// subscripts must not move before the loop.
#include <stradsap/stradsap.hpp>

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

using namespace stradsap;

using places = dvector<std::int64_t>;
static constexpr int n = 300, size = 700;
static int failures = 0;

static void check(const char* name, bool is_right) {
  std::printf("%s %s\n", name, is_right ? "ok" : "WRONG");
  failures += is_right ? 0 : 1;
}

struct steps {
  std::int64_t at;
  void run(places& a) {
    for (int k = 0; k < 3; ++k) {
      a[at] += 1;
      ++at;
    }
  }
};
struct by_method {
  std::int64_t at;
  void put(std::int64_t next) { at = next; }
  void run(places& a) {
    const std::int64_t first = at;
    for (int k = 0; k < 3; ++k) {
      put(first + 2 * k);
      a[this->at] += k;
    }
  }
};
struct asked {
  std::int64_t at;
  std::int64_t now() const { return at; }
  void run(places& a) {
    for (int k = 0; k < 3; ++k) {
      a[now()] += 1;
      at += 5;
    }
  }
};
struct as_a_whole {
  std::int64_t at;
  void run(places& a) {
    for (int k = 0; k < 3; ++k) {
      a[at] += 1;
      *this = as_a_whole{at + 3};
    }
  }
};
struct swapped {
  std::int64_t at;
  void run(places& a) {
    swapped other{at + 1};
    const auto turn = [&] { std::swap(*this, other); };
    for (int k = 0; k < 4; ++k) {
      a[at] += 1;
      turn();
    }
  }
};
struct by_reference {
  std::int64_t at;
  void run(places& a) {
    std::int64_t& place = at;
    for (int k = 0; k < 3; ++k) {
      a[at] += 1;
      ++place;
    }
  }
};
struct by_pointer {
  std::int64_t at;
  void run(places& a) {
    std::int64_t* place = &at;
    for (int k = 0; k < 3; ++k) {
      a[at] += 1;
      ++*place;
    }
  }
};
struct holder {
  std::int64_t& at;
  void run_on(places& a) {
    for (int k = 0; k < 3; ++k) {
      a[at] += 1;
      ++at;
    }
  }
};
struct reference_member {
  std::int64_t at;
  void run(places& a) { holder{at}.run_on(a); }
};
struct cursor {
  std::int64_t now;
};
struct nested : cursor {
  cursor inner;
  explicit nested(std::int64_t j) : cursor{j}, inner{j + 1} {}
  void run(places& a) {
    for (int k = 0; k < 3; ++k) {
      a[inner.now] += 1;
      a[now] += 2;
      inner = cursor{inner.now + 2};
      ++now;
    }
  }
};
struct tree {
  std::int64_t node;
  void run(places& a) {
    for (int depth = 0; depth < 3; ++depth) {
      a[node] += 1;
      node = node * 2 + 1 + depth % 2;
    }
  }
};
struct steady {  // nothing changes it: one check for all rounds
  std::int64_t base, step = 3;
  void run(places& a) const {
    for (int k = 0; k < 4; ++k) a[base + k * step] += 1;
  }
};

/// `visit(j, add)` calls add(place, number) for each addition of iteration j.
template <class Walker> static void compare(const char* name, const auto& visit) {
  std::vector<std::int64_t> expected(size);
  for (int j = 0; j < n; ++j) visit(j % 90, [&](std::int64_t at, int number) { expected[at] += number; });
  places ours(size);
  async_for(n, [&ours](int j) {
    Walker one{j % 90};
    one.run(ours);
  });
  bool same = true;
  for (int i = 0; i < size; ++i) same = same && expected[i] == ours[i];
  check(name, same);
}

/// `count` additions of 1, `step` apart.
static auto in_steps(int count, int step) {
  return [=](int j, const auto& add) {
    for (int k = 0; k < count; ++k) add(j + k * step, 1);
  };
}

int main() {
  compare<steps>("steps", in_steps(3, 1));
  compare<by_method>("by_method", [](int j, const auto& add) {
    for (int k = 0; k < 3; ++k) add(j + 2 * k, k);
  });
  compare<asked>("asked", in_steps(3, 5));
  compare<as_a_whole>("as_a_whole", in_steps(3, 3));
  compare<swapped>("swapped", [](int j, const auto& add) {
    for (int k = 0; k < 4; ++k) add(j + k % 2, 1);
  });
  compare<by_reference>("by_reference", in_steps(3, 1));
  compare<by_pointer>("by_pointer", in_steps(3, 1));
  compare<reference_member>("reference_member", in_steps(3, 1));
  compare<nested>("nested", [](int j, const auto& add) {
    for (int k = 0; k < 3; ++k) {
      add(j + 1 + 2 * k, 1);
      add(j + k, 2);
    }
  });
  compare<tree>("tree", [](std::int64_t j, const auto& add) {
    for (int depth = 0; depth < 3; ++depth) {
      add(j, 1);
      j = j * 2 + 1 + depth % 2;
    }
  });
  compare<steady>("steady", in_steps(4, 3));
  return failures == 0 ? 0 : 1;
}
