#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include <stradsap/error.hpp>

#include "runtime/loop/plan/packed_elements.hpp"
#include "tests/support/catch.hpp"

using namespace stradsap::rt;

namespace {

/// Elements of `size` bytes, of words in `range`, from `base` on; the first word ascends.
bytes elements(std::size_t count, std::size_t size, std::uint32_t base, std::uint32_t range,
               std::mt19937& draw) {
  bytes all(count * size);
  for (std::byte& b : all) b = static_cast<std::byte>(draw());
  std::uint32_t number = base;
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t w = 0; w < size / 4; ++w) {
      const std::uint32_t value = w == 0 ? number : base + (range == 0 ? draw() : draw() % range);
      std::memcpy(all.data() + k * size + 4 * w, &value, 4);
    }
    number += draw() % 9;
  }
  return all;
}

/// Unpacks in pieces of `length`.
bytes unpacked(const bytes& packed, std::size_t size, std::size_t length) {
  bytes all;
  element_unpacker from(size);
  for (std::size_t at = 0; at < packed.size(); at += length) {
    const auto piece = std::span(packed).subspan(at, std::min(length, packed.size() - at));
    from.add(piece,
             [&](std::span<const std::byte> some) { all.insert(all.end(), some.begin(), some.end()); });
  }
  CHECK(from.is_at_end());
  return all;
}

}  // namespace

TEST_CASE("packed elements come back whole, in whatever pieces", "[plan]") {
  std::mt19937 draw(1);
  const std::size_t size = GENERATE(1u, 4u, 6u, 8u, 12u, 23u);
  const std::uint32_t range = GENERATE(1u, 2u, 300u, 70'000u, 0u);  // 0: any word
  for (const std::uint32_t base : {0u, 123'456u, ~0u - 500u}) {
    bytes packed, wanted;
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{77}, most_packed}) {
      const bytes some = elements(count, size, base, range, draw);
      pack_elements(some.data(), count, size, packed);
      wanted.insert(wanted.end(), some.begin(), some.end());
    }
    for (const std::size_t length : {std::size_t{1}, std::size_t{1000}, packed.size()})
      CHECK(unpacked(packed, size, length) == wanted);
  }
}

TEST_CASE("words of a narrow range and ascending words are packed in few bits", "[plan]") {
  std::mt19937 draw(2);
  bytes packed;
  const bytes some = elements(1000, 12, 4'000'000'000u, 1000, draw);
  pack_elements(some.data(), 1000, 12, packed);
  CHECK(packed.size() <= 8 + 3 * 5 + 1000 * (4 + 10 + 10) / 8 + 3);
}

TEST_CASE("distorted packed elements are refused, or have the announced size", "[plan]") {
  std::mt19937 draw(3);
  bytes packed;
  const bytes some = elements(100, 12, 5, 1000, draw);
  pack_elements(some.data(), 100, 12, packed);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    bytes wrong = packed;
    for (int k = 0; k < 3; ++k) wrong[draw() % wrong.size()] = static_cast<std::byte>(draw());
    if (i % 3 == 0) wrong.resize(draw() % wrong.size());
    element_unpacker from(12);
    try {
      from.add(wrong, [](std::span<const std::byte> got) { CHECK(got.size() % 12 == 0); });
    } catch (const stradsap::error&) {
      ++refused;
    }
  }
  CHECK(refused > 100);
}

TEST_CASE("a queue of bytes gives them back in order", "[plan]") {
  byte_queue queue;
  std::mt19937 draw(4);
  bytes wanted, got;
  for (int i = 0; i < 300; ++i) {
    const bytes some(draw() % 5000, static_cast<std::byte>(i));
    wanted.insert(wanted.end(), some.begin(), some.end());
    bytes& end = queue.end();
    end.insert(end.end(), some.begin(), some.end());
  }
  CHECK(queue.size() == wanted.size());
  while (queue.size() > 0) {
    const bytes piece = queue.take(std::min<std::size_t>(queue.size(), draw() % 70'000));
    got.insert(got.end(), piece.begin(), piece.end());
  }
  CHECK(got == wanted);
}
