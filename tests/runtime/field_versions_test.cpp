#include "runtime/dds/field_versions.hpp"
#include "tests/support/catch.hpp"

using stradsap::abi::all_fields;
using stradsap::rt::field_versions;

TEST_CASE("a plan's key changes with the fields that it depends on, and with no other", "[dds]") {
  constexpr std::uint64_t word = 1, topic = 1ull << 63;
  field_versions versions;
  const std::uint64_t by_word = versions.key(word);
  const std::uint64_t by_topic = versions.key(topic);
  const std::uint64_t by_all = versions.key(all_fields);
  versions.bump(topic);
  CHECK(versions.key(word) == by_word);
  CHECK(versions.key(topic) != by_topic);
  CHECK(versions.key(all_fields) != by_all);
  versions.bump(all_fields);
  CHECK(versions.key(word) != by_word);
}

TEST_CASE("what the driver writes changes every key, but not that of no fields", "[dds]") {
  field_versions versions;
  const std::uint64_t one = versions.key(1);
  const std::uint64_t none = versions.key(0);
  versions.bump_all();
  CHECK(versions.key(1) != one);
  CHECK(versions.key(0) == none);
}
