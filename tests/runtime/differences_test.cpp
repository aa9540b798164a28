// The encoding of a changed chunk: the words that differ, with a bit for each word of a line.
#include <cstring>
#include <random>

#include "runtime/loop/accumulate/chunks.hpp"
#include "tests/support/catch.hpp"

using stradsap::rt::bytes;
using stradsap::rt::read_difference;
using stradsap::rt::write_difference;

namespace {

/// Bytes of which about `share` of the words differ from those at `start`.
bytes changed_from(const bytes& start, std::size_t word, double share, std::mt19937& random) {
  bytes end = start;
  std::uniform_real_distribution<double> uniform;
  for (std::size_t at = 0; at < end.size(); at += word) {
    if (uniform(random) < share) end[at] ^= std::byte{1};
  }
  return end;
}

bytes encoded_difference(const bytes& start, const bytes& end, std::size_t word) {
  bytes made;
  stradsap::abi::writer out(made);
  write_difference(out, start.data(), end.data(), end.size(), word);
  return made;
}

/// Line, mask and single words, by the description in docs/decisions/batches.md.
bytes expected_difference(const bytes& start, const bytes& end, std::size_t word) {
  bytes made;
  stradsap::abi::writer out(made);
  for (std::size_t first = 0; first < end.size(); first += 64 * word) {
    std::uint64_t mask = 0;
    bytes words;
    for (std::size_t k = 0; k < 64 && first + k * word < end.size(); ++k) {
      const std::size_t at = first + k * word;
      const std::size_t n = std::min(word, end.size() - at);
      if (std::memcmp(start.data() + at, end.data() + at, n) == 0) continue;
      mask |= std::uint64_t{1} << k;
      words.insert(words.end(), end.begin() + static_cast<std::ptrdiff_t>(at),
                   end.begin() + static_cast<std::ptrdiff_t>(at + n));
    }
    if (mask == 0) continue;
    out(static_cast<std::uint32_t>(first / (64 * word)), mask);
    out.bytes(words.data(), words.size());
  }
  out(~std::uint32_t{0});
  return made;
}

}  // namespace

TEST_CASE("a difference has the changed words alone, and restores all", "[loop]") {
  std::mt19937 random(1);
  for (const std::size_t word : {1u, 2u, 4u}) {
    for (const std::size_t size : {1u, 3u, 4u, 80u, 255u, 256u, 257u, 1030u}) {
      for (const double share : {0.0, 0.1, 0.5, 0.95, 1.0}) {
        bytes start(size);
        for (std::byte& one : start) one = static_cast<std::byte>(random());
        const bytes end = changed_from(start, word, share, random);
        const bytes made = encoded_difference(start, end, word);
        CHECK(made == expected_difference(start, end, word));
        bytes restored = start;
        stradsap::abi::reader in(made);
        read_difference(in, restored.data(), size, word);
        CHECK(restored == end);
      }
    }
  }
}

TEST_CASE("a difference beyond the chunk is refused", "[loop]") {
  for (const std::uint32_t line : {0u, 1u, 1u << 30}) {
    bytes made;
    stradsap::abi::writer out(made);
    out(line, std::uint64_t{1} << 20, std::uint32_t{7}, ~std::uint32_t{0});
    bytes to(80);
    stradsap::abi::reader in(made);
    CHECK_THROWS_AS(read_difference(in, to.data(), to.size(), 4), stradsap::error);
    CHECK(to == bytes(80));
  }
}
