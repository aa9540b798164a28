// Every kind of class that travels: private, nested, derived, local, templated, unnamed, self-describing.
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stradsap/cereal.hpp>
#include <stradsap/stradsap.hpp>

using stradsap::dmap;
using stradsap::dvector;

struct point { float x, y; };

struct base { int id = 0; };
struct derived : base {
  std::vector<point> points;
  int grid[2][2] = {};
};

class closed {
 public:
  int sum() const { return hidden_.a + hidden_.b; }

 private:
  struct inner { int a = 1; int b = 2; };
  inner hidden_;
};

template <class T, int N>
struct matrix {
  std::array<T, N> values{};
  struct row { T first{}; } header;
};

typedef struct { int user; int item; } old_style;

struct by_hand {
  int a = 0;
  int b = 0;
  template <class Archive>
  void serialize(Archive& archive) { archive(a, b); }
};

namespace {
struct anonymous { double value = 0; };
}

enum colour { red, green };

struct everything {
  std::string text;
  std::optional<int> maybe;
  std::tuple<int, float> pair;
  std::map<std::string, int> ordered;
  std::unordered_map<int, std::vector<double>> hashed;
  colour paint = red;
};

template <class T>
int in_template(int n) {
  struct local { T value; int count; };
  dvector<local> L(n);
  stradsap::parallel_for(n, [&L](int64_t j) { L[j].value = T(1); ++L[j].count; }, stradsap::consistency::async);
  int wrong = 0;
  for (const local& one : std::as_const(L)) wrong += one.value != T(1) || one.count != 1;
  return wrong == 0 ? static_cast<int>(L[0].value) + L[0].count : 0;
}

int main() {
  dvector<derived> A(4);
  dvector<closed> B(4);
  dvector<matrix<float, 4>> C(4);
  dvector<old_style> D(4);
  dmap<std::string, by_hand> E;
  dmap<int, anonymous> F;
  everything given;
  long sum = 0;
  stradsap::parallel_for(4, [&A, &B, &C, &D, given, &sum](int64_t j) {
    A[j].points.push_back(point{1, 2});
    C[j].values[0] += 1;
    C[j].header.first = 2;
    D[j].user = static_cast<int>(j);
    sum += B[j].sum() + given.paint;
  }, stradsap::consistency::async);
  stradsap::parallel_for(4, [&E, &F](int64_t j) {
    E[std::to_string(j % 2)].a += 1;
    F[static_cast<int>(j)].value = 1;
  }, stradsap::consistency::async);
  for (int j = 0; j < 4; ++j) {
    const derived& a = std::as_const(A)[j];
    if (a.points.size() != 1 || a.points[0].x != 1 || a.points[0].y != 2 || a.id != 0 || a.grid[1][1] != 0) return 2;
    const matrix<float, 4>& c = std::as_const(C)[j];
    if (c.values != std::array<float, 4>{1, 0, 0, 0} || c.header.first != 2) return 3;
    if (std::as_const(D)[j].user != j || std::as_const(D)[j].item != 0 || std::as_const(F).at(j).value != 1) return 4;
  }
  if (E.size() != 2 || F.size() != 4) return 5;
  for (const auto& [key, value] : std::as_const(E)) {
    if ((key != "0" && key != "1") || value.a != 2 || value.b != 0) return 6;
  }
  return sum == 12 && in_template<float>(3) == 2 && in_template<int>(3) == 2 ? 0 : 1;
}
