// Lists of a dmultimap: their order, their sharing, their travel and how copies of them are folded.
#define STRADSAP_INSTRUMENTED
#include <string>
#include <vector>

#include <stradsap/abi/merge.hpp>
#include <stradsap/dmultimap.hpp>

#include "tests/support/catch.hpp"

using namespace stradsap;

namespace {

using list = abi::value_list<int, std::string>;

std::string text(const list& values) {
  std::string all;
  for (const auto& [key, value] : values) all += value;
  return all;
}

}  // namespace

TEST_CASE("values stand in the order of launches, iterations and positions, however they come",
          "[dmultimap]") {
  list values;
  values.insert({7, "a"}, 0, 0);
  values.insert({7, "d"}, 1, 30);
  values.insert({7, "b"}, 1, 10);
  values.insert({7, "c"}, 1, 10);
  values.insert({7, "e"}, 1, 31);
  values.insert({7, "g"}, 2, 9);
  values.insert({7, "f"}, 2, 8);
  values.insert({7, "h"}, 0, 0);
  values.insert({7, "i"}, 0, 0);
  values.insert({7, "j"}, 3, 0);
  CHECK(text(values) == "abcdefghij");
}

TEST_CASE("a copy of a list does not see what the other one gets", "[dmultimap]") {
  list values;
  values.insert({1, "a"}, 0, 0);
  list copy = values;
  CHECK(copy.begin() == values.begin());
  copy.insert({1, "b"}, 1, 5);
  values.insert({1, "c"}, 1, 6);
  CHECK(text(copy) == "ab");
  CHECK(text(values) == "ac");
  CHECK(list().begin() == list().end());
}

TEST_CASE("a list goes on where it was after it has travelled", "[dmultimap]") {
  list values;
  values.insert({1, "x"}, 0, 0);
  values.insert({1, "c"}, 4, 30);
  std::vector<std::byte> sent;
  abi::writer out(sent);
  abi::write(out, values);
  list back;
  abi::reader in(sent);
  abi::read(in, back);
  back.insert({1, "a"}, 4, 10);
  back.insert({1, "b"}, 4, 20);
  CHECK(text(back) == "xabc");
  CHECK(text(values) == "xc");
  abi::reader early(sent.data(), sent.size() - 1);
  CHECK_THROWS_AS(abi::read(early, back), error);
}

TEST_CASE("folding copies of a list keeps what each has added, one after the other", "[dmultimap]") {
  list start;
  start.insert({1, "s"}, 0, 0);
  list sum = start, first = start, second = start, third = start;
  first.insert({1, "a"}, 1, 0);
  first.insert({1, "b"}, 1, 0);
  third.insert({1, "c"}, 1, 0);
  for (const list& end : {first, second, third}) abi::merge(sum, start, end);
  CHECK(text(sum) == "sabc");
  sum.insert({1, "d"}, 1, 0);
  CHECK(text(sum) == "sabcd");
  CHECK(text(start) == "s");
}
