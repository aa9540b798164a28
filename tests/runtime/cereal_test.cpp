#include <bitset>
#include <chrono>
#include <complex>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>

#include <stradsap/abi/merge.hpp>
#include <stradsap/cereal.hpp>

#include <cereal/types/base_class.hpp>
#include <cereal/types/bitset.hpp>
#include <cereal/types/chrono.hpp>
#include <cereal/types/complex.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/variant.hpp>

#include "runtime/wire/messages.hpp"
#include "tests/support/catch.hpp"

namespace {
struct versioned {
  int number = 0;
  std::uint32_t seen = 0;
  template <class Archive> void serialize(Archive& archive, std::uint32_t version) {
    archive(number);
    seen = version;
  }
};
}  // namespace
CEREAL_CLASS_VERSION(versioned, 7);

namespace stradsap {
namespace {

struct listed {  // as stradsap-cc lists the members of a class
  int number = 0;
  std::string text;
  bool operator==(const listed&) const = default;
  static constexpr auto stradsap_members_() {
    return abi::stradsap_members<listed>(abi::bases<>(), &listed::number, &listed::text);
  }
};

class by_member {
 public:
  by_member() = default;
  by_member(int a, listed b) : a_(a), b_(std::move(b)) {}
  bool operator==(const by_member&) const = default;

 private:
  friend class cereal::access;
  template <class Archive> void serialize(Archive& archive) { archive(CEREAL_NVP(a_), b_); }
  int a_ = 0;
  listed b_;
};

struct by_pair {
  std::string text;
  bool operator==(const by_pair&) const = default;
  template <class Archive> void save(Archive& archive) const { archive(text + "!"); }
  template <class Archive> void load(Archive& archive) {
    archive(text);
    text.pop_back();
  }
};

struct minimal {
  int number = 0;
  bool operator==(const minimal&) const = default;
  template <class Archive> std::string save_minimal(const Archive&) const { return std::to_string(number); }
  template <class Archive> void load_minimal(const Archive&, const std::string& text) {
    number = std::stoi(text);
  }
};

struct outside {
  double x = 0;
  std::vector<by_pair> parts;
  bool operator==(const outside&) const = default;
};
template <class Archive> void serialize(Archive& archive, outside& o) { archive(o.x, o.parts); }

struct root {
  int shared = 0;
  template <class Archive> void serialize(Archive& archive) { archive(shared); }
};
struct left : virtual root {
  int l = 0;
  template <class Archive> void serialize(Archive& archive) {
    archive(cereal::virtual_base_class<root>(this), l);
  }
};
struct right : virtual root {
  int r = 0;
  template <class Archive> void serialize(Archive& archive) {
    archive(cereal::virtual_base_class<root>(this), r);
  }
};
struct both : left, right {
  template <class Archive> void serialize(Archive& archive) {
    archive(cereal::base_class<left>(this), cereal::base_class<right>(this));
  }
};

struct inheriting : root {  // lists its members; the inherited function encodes a part of it
  int more = 0;
  static constexpr auto stradsap_members_() {
    return abi::stradsap_members<inheriting>(abi::bases<root>(), &inheriting::more);
  }
};

struct address {  // trivially copyable, but its bytes mean nothing elsewhere
  static constexpr int places[2] = {10, 20};
  const int* at = places;
  template <class Archive> void save(Archive& archive) const { archive(static_cast<int>(at - places)); }
  template <class Archive> void load(Archive& archive) {
    int k = 0;
    archive(k);
    at = places + k;
  }
};

struct holder {
  address where;
  int number = 0;
  static constexpr auto stradsap_members_() {
    return abi::stradsap_members<holder>(abi::bases<>(), &holder::where, &holder::number);
  }
};

struct library_types {
  std::variant<int, std::string> either;
  std::deque<int> deque;
  std::list<std::string> list;
  std::bitset<70> bits;
  std::chrono::milliseconds time{};
  std::complex<float> z;
  std::unique_ptr<int> owned;
  std::shared_ptr<int> one, same;
  std::unordered_map<int, std::shared_ptr<int>> hashed;
  std::vector<bool> flags;
  template <class Archive> void serialize(Archive& archive) {
    archive(either, deque, list, bits, time, z, owned, one, same, hashed, flags);
  }
};

struct nothing {
  static constexpr auto stradsap_members_() { return abi::stradsap_members<nothing>(abi::bases<>()); }
};

// members called `serialize` or `load` that are no functions for cereal
struct printed {
  int number = 0;
  std::string serialize() const { return std::to_string(number); }
  void load(int) {}
};

template <class T> T through(const rt::bytes& bytes) {
  T copy;
  abi::reader in(bytes);
  in(copy);
  CHECK(in.remaining() == 0);
  return copy;
}

template <class T> T through_bytes(const T& value) { return through<T>(abi::encoded(value)); }

library_types sample() {
  library_types s;
  s.either = "text";
  s.deque = {1, 2, 3};
  s.list = {"a", "b"};
  s.bits.set(69);
  s.time = std::chrono::milliseconds(17);
  s.z = {1, -2};
  s.owned = std::make_unique<int>(4);
  s.one = s.same = std::make_shared<int>(5);
  for (int i = 0; i < 50; ++i) s.hashed[i * 37] = s.one;
  s.flags = {true, false, true};
  return s;
}

}  // namespace

TEST_CASE("every form of cereal's functions brings a value back as it was", "[wire]") {
  const by_member member(3, {4, "four"});
  CHECK(through_bytes(member) == member);
  CHECK(through_bytes(by_pair{"pair"}) == by_pair{"pair"});
  CHECK(through_bytes(minimal{12}) == minimal{12});
  const outside non_member{1.5, {{"one"}, {"two"}}};
  CHECK(through_bytes(non_member) == non_member);
  versioned v{9};
  CHECK(through_bytes(v).number == 9);
  CHECK(through_bytes(v).seen == 7);
  both diamond;
  diamond.shared = 1;
  diamond.l = 2;
  diamond.r = 3;
  const both there = through_bytes(diamond);
  CHECK(std::tuple(there.shared, there.l, there.r) == std::tuple(1, 2, 3));
}

TEST_CASE("such values travel inside containers and classes with member lists", "[wire]") {
  const std::vector<std::map<std::string, by_pair>> nested = {{{"a", {"x"}}}, {{"b", {"y"}}, {"c", {"z"}}}};
  CHECK(through_bytes(nested) == nested);
  inheriting part;
  part.shared = 5;
  part.more = 6;
  CHECK(through_bytes(part).shared == 5);
  CHECK(through_bytes(part).more == 6);
  std::vector<both> many(3);
  many[2].shared = 8;
  CHECK(through_bytes(many)[2].shared == 8);
  CHECK(through_bytes(std::vector<nothing>(1000)).size() == 1000);
}

TEST_CASE("types of the standard library travel by cereal's own headers", "[wire]") {
  const library_types from = sample();
  const library_types to = through_bytes(from);
  CHECK(to.either == from.either);
  CHECK(to.deque == from.deque);
  CHECK(to.list == from.list);
  CHECK(to.bits == from.bits);
  CHECK(to.time == from.time);
  CHECK(to.z == from.z);
  CHECK(*to.owned == 4);
  CHECK(to.one == to.same);
  CHECK(to.hashed.at(37) == to.one);
  CHECK(to.flags == from.flags);
  std::vector<int> before;
  std::vector<int> after;
  for (const auto& [key, value] : from.hashed) before.push_back(key);
  for (const auto& [key, value] : to.hashed) after.push_back(key);
  CHECK(before == after);
  const std::vector<std::variant<int, std::string>> choices = {1, "two"};
  CHECK(through_bytes(choices) == choices);
}

TEST_CASE("a class with functions of its own never travels as its bytes in memory", "[wire]") {
  STATIC_REQUIRE(std::is_trivially_copyable_v<address>);
  STATIC_REQUIRE(!abi::is_copied_bytewise<address>());
  STATIC_REQUIRE(!abi::is_copied_bytewise<holder>());
  STATIC_REQUIRE(!abi::is_copied_bytewise<std::array<holder, 2>>());
  STATIC_REQUIRE(abi::is_copied_bytewise<std::array<double, 2>>());
  holder h{{address::places + 1}, 4};
  CHECK(abi::encoded(h).size() == 2 * sizeof(int));
  CHECK(through_bytes(h).where.at == address::places + 1);
}

TEST_CASE("a member called serialize that takes no archive encodes nothing", "[wire]") {
  STATIC_REQUIRE(!abi::self_serializing<printed>);
  STATIC_REQUIRE(abi::self_serializing<by_member>);
  STATIC_REQUIRE(!abi::self_serializing<std::vector<by_member>>);
  STATIC_REQUIRE(!abi::self_serializing<inheriting>);
}

TEST_CASE("truncated and altered bytes of such values are refused", "[wire]") {
  const rt::bytes whole = abi::encoded(sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    library_types back;
    abi::reader in(whole.data(), size);
    CHECK_THROWS_AS(in(back), error);
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned bits : {1u, 0x80u, 0xffu}) {
      rt::bytes broken = whole;
      broken[at] ^= static_cast<std::byte>(bits);
      library_types back;
      abi::reader in(broken);
      try {
        in(back);
      } catch (const error& e) {
        CHECK(e.code() == errc::decode);
      }
    }
  }
}

TEST_CASE("a false count inside such a value allocates nothing", "[wire]") {
  rt::bytes huge(16, std::byte{0x7f});
  const auto read = [&](auto value) {
    abi::reader in(huge);
    abi::input_archive from(in);
    CHECK_THROWS_AS((from)(value), error);
  };
  read(std::vector<double>());
  read(std::vector<by_pair>());
  read(std::string());
  read(std::deque<int>());
  read(std::unordered_map<int, int>());
}

TEST_CASE("two changes of a value without differences are refused, never lost", "[wire]") {
  const by_pair start{"start"};
  by_pair sum = start;
  abi::merge(sum, start, start);
  CHECK(sum == start);
  abi::merge(sum, start, by_pair{"one"});
  CHECK(sum == by_pair{"one"});
  abi::merge(sum, start, start);
  CHECK(sum == by_pair{"one"});
  CHECK_THROWS_WITH(abi::merge(sum, start, by_pair{"two"}), Catch::Contains("by_pair"));
  CHECK_THROWS_WITH(abi::merge(sum, start, by_pair{"one"}), Catch::Contains("by_pair"));
}

}  // namespace stradsap
