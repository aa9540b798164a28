#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include <stradsap/abi/merge.hpp>
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
    return abi::stradsap_members<inner>(abi::bases<>(), &inner::a_, &inner::text);
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
    return abi::stradsap_members<outer>(abi::bases<inner>(), &outer::two, &outer::maybe, &outer::table,
                                        &outer::marks);
  }
};

struct numbered {
  int number = 0;
  bool operator==(const numbered&) const = default;
  static constexpr auto stradsap_members_() {
    return abi::stradsap_members<numbered>(abi::bases<>(), &numbered::number);
  }
};
struct edge : numbered {
  float weights[2] = {};
  int to = 0;
  bool operator==(const edge&) const = default;
  static constexpr auto stradsap_members_() {
    return abi::stradsap_members<edge>(abi::bases<numbered>(), &edge::weights, &edge::to);
  }
};
struct gap {
  char first = 0;
  int second = 0;
  static constexpr auto stradsap_members_() {
    return abi::stradsap_members<gap>(abi::bases<>(), &gap::first, &gap::second);
  }
};
struct flagged {
  int number = 0;
  bool flags[4] = {};
  static constexpr auto stradsap_members_() {
    return abi::stradsap_members<flagged>(abi::bases<>(), &flagged::number, &flagged::flags);
  }
};

template <class T> T through(const std::vector<std::byte>& bytes) {
  T copy;
  abi::reader in(bytes);
  in(copy);
  return copy;
}

template <class T> T through_bytes(const T& value) {
  std::vector<std::byte> bytes;
  abi::writer out(bytes);
  out(value);
  return through<T>(bytes);
}

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

TEST_CASE("a sink and its small buffer together get the bytes of an encoding", "[wire]") {
  struct collector final : abi::byte_sink {
    void take(const std::byte* first, std::size_t size) override {
      all.insert(all.end(), first, first + size);
    }
    std::vector<std::byte> all;
  } sink;
  std::vector<std::vector<int>> value(20000, std::vector<int>(3, 5));
  value[7].assign(100000, 8);
  value.back().assign(5000, 9);
  value.emplace_back(2, 1);
  std::vector<std::byte> buffer;
  abi::writer out(buffer, sink);
  std::size_t largest = 0;
  for (const std::vector<int>& row : value) {
    out(row);
    largest = std::max(largest, buffer.size());
  }
  CHECK(largest < 40000);
  sink.take(buffer.data(), buffer.size());
  std::vector<std::byte> wanted;
  abi::writer whole(wanted);
  whole(value);
  wanted.erase(wanted.begin(), wanted.begin() + sizeof(std::uint64_t));
  CHECK(sink.all == wanted);
}

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

TEST_CASE("a vector of members without gaps travels as one run and takes no room to grow", "[wire]") {
  std::vector<edge> edges(5);
  for (int i = 0; i < 5; ++i) edges[static_cast<std::size_t>(i)] = {{i}, {0.5f, 1.5f}, -i};
  rt::bytes member_by_member = written(std::uint64_t{5});
  for (const edge& e : edges) {
    abi::writer out(member_by_member);
    out(e.number, e.weights[0], e.weights[1], e.to);
  }
  CHECK(written(edges) == member_by_member);
  CHECK(through_bytes(edges) == edges);
  CHECK(through_bytes(edges).capacity() == 5);
  CHECK(through_bytes(std::vector<inner>(5)).capacity() == 5);
  rt::bytes cut = written(edges);
  cut.pop_back();
  CHECK_THROWS_AS(through<std::vector<edge>>(cut), error);

  STATIC_REQUIRE(abi::plain<std::array<edge, 2>>);
  STATIC_REQUIRE(abi::plain<edge[2][3]>);
  STATIC_REQUIRE(!abi::plain<std::array<char, 0>>);
  STATIC_REQUIRE(!abi::plain<gap>);
  STATIC_REQUIRE(!abi::plain<flagged>);
  STATIC_REQUIRE(!abi::plain<inner>);
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

TEST_CASE("a hash table keeps its order of entries, whatever happened to it before", "[wire]") {
  std::unordered_map<int, std::string> table;
  std::uint64_t state = 1;
  const auto draw = [&state](std::uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state >> 33) % below);
  };
  for (int step = 0; step < 20000; ++step) {
    const int key = draw(700);
    if (draw(3) != 0) {
      table[key] = std::to_string(step);
    } else {
      table.erase(key);
    }
    if (step % 40 != 0) continue;
    const auto there = through_bytes(table);
    const std::vector<std::pair<int, std::string>> before(table.begin(), table.end());
    const std::vector<std::pair<int, std::string>> after(there.begin(), there.end());
    REQUIRE(before == after);
    REQUIRE(there.bucket_count() == table.bucket_count());
    if (draw(2) == 0) table = there;
  }
}

TEST_CASE("a hash table of impossibly many buckets is refused", "[wire]") {
  std::vector<std::byte> bytes;
  abi::writer out(bytes);
  out(std::uint64_t{1} << 60, std::uint64_t{0});
  std::unordered_map<int, int> table;
  abi::reader in(bytes);
  CHECK_THROWS_AS(in(table), error);
}

TEST_CASE("what one copy changed is what that copy says, and infinities are no obstacle", "[wire]") {
  const double infinity = std::numeric_limits<double>::infinity();
  double sum = infinity;
  abi::merge(sum, infinity, infinity);
  CHECK(sum == infinity);
  abi::merge(sum, infinity, 3.0);
  CHECK(sum == 3);
  double large = 1e20;
  abi::merge(large, 1e20, 7.0);
  CHECK(large == 7);
  abi::merge(large, 1e20, 1e20);
  CHECK(large == 7);
  int both = 10;
  abi::merge(both, 10, 11);
  abi::merge(both, 10, 12);
  CHECK(both == 13);
}
