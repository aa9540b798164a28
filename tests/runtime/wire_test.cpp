#include <map>
#include <optional>
#include <string>

#include <stradsap/serialize.hpp>

#include "runtime/wire/messages.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap;

namespace {

class inner {
 public:
  inner() = default;
  explicit inner(int a) : a_(a) {}
  bool operator==(const inner&) const = default;
  static constexpr auto stradsap_members_() {
    return abi::members<inner>(abi::bases<>(), &inner::a_, &inner::text);
  }
  std::string text;

 private:
  int a_ = 0;
};
struct outer : inner {
  std::array<inner, 2> two;
  std::vector<std::optional<double>> maybe;
  std::map<std::string, std::pair<int, bool>> table;
  short marks[3] = {};
  static constexpr auto stradsap_members_() {
    return abi::members<outer>(abi::bases<inner>(), &outer::two, &outer::maybe, &outer::table, &outer::marks);
  }
};

outer sample() {
  outer o;
  o.text = "base";
  o.two = {inner(1), inner(2)};
  o.two[1].text = "second";
  o.maybe = {1.5, std::nullopt};
  o.table = {{"a", {1, true}}, {"b", {2, false}}};
  o.marks[2] = 7;
  return o;
}

template <class T> rt::bytes written(const T& value) {
  rt::bytes out;
  abi::writer w(out);
  w(value);
  return out;
}

}  // namespace

TEST_CASE("a nested, derived, private type comes back as it was", "[wire]") {
  const rt::bytes sent = written(sample());
  outer back;
  abi::reader in(sent);
  in(back);
  CHECK(in.remaining() == 0);
  CHECK(static_cast<const inner&>(back) == static_cast<const inner&>(sample()));
  CHECK(back.two == sample().two);
  CHECK(back.maybe == sample().maybe);
  CHECK(back.table == sample().table);
  CHECK(back.marks[2] == 7);
}

TEST_CASE("every truncation of a value is refused", "[wire]") {
  const rt::bytes whole = written(sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    outer back;
    abi::reader in(whole.data(), size);
    CHECK_THROWS_AS(in(back), error);
  }
}

TEST_CASE("a length that is larger than the message allocates nothing", "[wire]") {
  const rt::bytes huge = written(~std::uint64_t{0} / 16);
  std::vector<double> numbers;
  std::string text;
  CHECK_THROWS_AS(abi::reader(huge)(numbers), error);
  CHECK_THROWS_AS(abi::reader(huge)(text), error);
  CHECK(numbers.capacity() == 0);
}

TEST_CASE("changes of two copies add up member by member", "[wire]") {
  outer start = sample();
  outer sum = start;
  outer one = start;
  outer two = start;
  one.maybe[0] = 9;
  one.marks[2] = 10;
  two.marks[2] = 5;
  two.two[0].text = "changed";
  abi::merge(sum, start, one);
  abi::merge(sum, start, two);
  CHECK(sum.marks[2] == 7 + 3 - 2);
  CHECK(sum.two[0].text == "changed");
  CHECK(*sum.maybe[0] == 9);
}

TEST_CASE("a message comes back as it was, and a mutilated one never does harm", "[wire]") {
  rt::token t;
  t.block = 3;
  t.elements.resize(100, std::byte{5});
  const rt::bytes frame = rt::encode(t);
  CHECK(std::get<rt::token>(rt::decode(frame)).elements == t.elements);
  rt::bytes tail = frame;
  tail.push_back({});
  CHECK_THROWS_AS(rt::decode(tail), error);
  for (std::size_t at = 0; at < frame.size(); ++at) {
    for (const unsigned bits : {1u, 0x80u, 0xffu}) {
      rt::bytes broken = frame;
      broken[at] ^= static_cast<std::byte>(bits);
      try {
        (void)rt::decode(broken);
      } catch (const error& e) {
        CHECK(e.code() == errc::decode);
      }
    }
  }
}
