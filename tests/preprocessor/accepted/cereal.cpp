// Each form of functions for cereal, and types of the standard library by cereal's headers: as elements, as
// captures, and inside classes that list their members.
#include <array>
#include <bitset>
#include <chrono>
#include <complex>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <stradsap/cereal.hpp>

#include <cereal/types/base_class.hpp>
#include <cereal/types/bitset.hpp>
#include <cereal/types/chrono.hpp>
#include <cereal/types/complex.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/polymorphic.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/variant.hpp>

#include <stradsap/stradsap.hpp>

using stradsap::dmap;
using stradsap::dvector;

struct leaf { int number = 0; };  // listed: a class with functions holds it

class hidden {
 public:
  void add(int x) { sum_ += x; log_.push_back({x}); }
  int sum() const { return sum_; }
  std::size_t size() const { return log_.size(); }

 private:
  friend class cereal::access;
  template <class Archive> void serialize(Archive& archive) { archive(CEREAL_NVP(sum_), log_); }
  int sum_ = 0;
  std::vector<leaf> log_;
};

struct pair_of_functions {
  double value = 0;
  bool loaded = false;
  template <class Archive> void save(Archive& archive) const { archive(value); }
  template <class Archive> void load(Archive& archive) { archive(value); loaded = true; }
};

struct minimal {
  int number = 0;
  template <class Archive> int save_minimal(const Archive&) const { return number; }
  template <class Archive> void load_minimal(const Archive&, const int& from) { number = from; }
};

namespace geometry {
struct point { float x = 0, y = 0; const void* cache = nullptr; };
template <class Archive> void serialize(Archive& archive, point& p) { archive(p.x, p.y); }

template <class T> class box {
 public:
  T low{}, high{};
  const T* widest = nullptr;
  template <class Archive> friend void serialize(Archive& archive, box& b) { archive(b.low, b.high); }
};
}  // namespace geometry

struct versioned {
  int number = 0;
  int version = 0;
  void serialize(auto& archive, std::uint32_t version_now) { archive(number); version = static_cast<int>(version_now); }
};
CEREAL_CLASS_VERSION(versioned, 3)

struct root {
  virtual ~root() = default;
  virtual int kind() const { return 1; }
  int id = 0;
  template <class Archive> void serialize(Archive& archive) { archive(id); }
};
struct branch : virtual root {
  int kind() const override { return 2; }
  int more = 0;
  template <class Archive> void serialize(Archive& archive) { archive(cereal::virtual_base_class<root>(this), more); }
};

struct plain_base {
  int id = 0;
  template <class Archive> void serialize(Archive& archive) { archive(id); }
};
struct listed : plain_base {  // the inherited function encodes a part of it only
  int extra = 0;
  pair_of_functions part;
};

struct library_types {
  std::variant<int, std::string> either;
  std::deque<leaf> queue;
  std::bitset<70> bits;
  std::chrono::milliseconds time{};
  std::complex<float> z;
  std::optional<std::variant<int, leaf>> maybe;
  std::tuple<int, std::deque<int>> both;
  std::map<std::string, std::deque<int>> ordered;
  std::unordered_map<int, std::variant<int, std::string>> hashed;
};

struct everything {
  hidden h;
  pair_of_functions p;
  minimal m;
  geometry::point at;
  geometry::box<int> range;
  versioned v;
  branch b;
  listed l;
  library_types types;
};

int main() {
  dvector<everything> E(30);
  dmap<int, hidden> H;
  dvector<branch> B(10);
  geometry::point shift;
  shift.x = 2;
  library_types given;
  given.either = "five";
  given.hashed[3] = "three";
  for (int pass = 0; pass < 2; ++pass) {
    stradsap::async_for(60, [&E, shift, given](int64_t j) {
      everything& e = E[j * 7 % 30];
      const int x = static_cast<int>(j);
      e.h.add(x);
      e.p.value += 1;
      e.m.number += x;
      e.at.x += shift.x;
      e.range.high += 1;
      e.v.number += 1;
      e.b.more += e.b.kind();
      e.l.id += 1;
      e.l.extra += 2;
      e.l.part.value += 3;
      e.types.either = std::get<std::string>(given.either);
      e.types.queue.push_back({x});
      e.types.bits.set(static_cast<std::size_t>(x));
      e.types.time += std::chrono::milliseconds(1);
      e.types.z += std::complex<float>(1, 2);
      e.types.maybe = leaf{x};
      std::get<1>(e.types.both).push_back(x);
      e.types.ordered["a"].push_back(x);
      e.types.hashed = given.hashed;
    });
    stradsap::async_for(20, [&H](int64_t j) { H[static_cast<int>(j % 5)].add(1); });
    stradsap::sync_for(10, 10, [&B](int64_t j) { B[j * 3 % 10].id += 1; });
  }
  for (int i = 0; i < 30; ++i) {
    const everything& e = std::as_const(E)[i];
    if (e.h.size() != 4 || e.p.value != 4 || e.at.x != 8 || e.range.high != 4 || e.v.number != 4) return 1;
    if (e.b.more != 8 || e.l.id != 4 || e.l.extra != 8 || e.l.part.value != 12 || e.m.number != e.h.sum()) return 2;
    if (std::get<std::string>(e.types.either) != "five" || e.types.queue.size() != 4 || e.types.bits.count() != 2) return 3;
    if (e.types.time.count() != 4 || e.types.z != std::complex<float>(4, 8)) return 4;
    if (std::get<leaf>(*e.types.maybe).number != e.types.queue.back().number) return 5;
    if (std::get<1>(e.types.both).size() != 4 || e.types.ordered.at("a").size() != 4) return 6;
    if (std::get<std::string>(e.types.hashed.at(3)) != "three") return 7;
  }
  for (int k = 0; k < 5; ++k) {
    if (H[k].sum() != 8) return 8;
  }
  for (int i = 0; i < 10; ++i) {
    if (std::as_const(B)[i].id != 2) return 9;
  }
}
