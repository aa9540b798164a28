#include "runtime/loop/accumulate/chunks.hpp"

#include <emmintrin.h>

#include <bit>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

namespace stradsap::rt {

static constexpr std::size_t words_of_line = 64;  // a bit for each word
static constexpr std::uint32_t last_line = ~std::uint32_t{0};

void shard_changes::clear() {
  chunks_.clear();
  piece_ = used_ = 0;
}

void shard_changes::drop(const std::vector<bool>& dropped) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < chunks_.size(); ++k) {
    if (!dropped[k]) chunks_[kept++] = chunks_[k];
  }
  chunks_.resize(kept);
}

std::byte* shard_changes::add(std::uint64_t chunk, std::size_t size) {
  while (piece_ < pieces_.size() && used_ + size > pieces_[piece_].size) {
    ++piece_;
    used_ = 0;
  }
  if (piece_ == pieces_.size()) {
    const std::size_t room = std::max(size, piece_bytes);
    pieces_.push_back({std::make_unique_for_overwrite<std::byte[]>(room), room});
  }
  std::byte* const to = pieces_[piece_].first.get() + used_;
  constexpr std::size_t align = alignof(std::max_align_t);
  used_ += (size + align - 1) / align * align;
  chunks_.push_back({chunk, to, size});
  return to;
}

void shard_changes::add(std::uint64_t chunk, const std::byte* end, std::size_t size) {
  std::memcpy(add(chunk, size), end, size);
}

/// A bit for each of four words of four bytes that differs.
static std::uint64_t changed_of_four(const std::byte* start, const std::byte* end) {
  const auto words = [](const std::byte* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  };
  const __m128i same = _mm_cmpeq_epi32(words(start), words(end));
  return 0xfU ^ static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(same)));
}

/// A bit for each word of a line of `size` bytes that differs.
template <std::size_t Word>
static std::uint64_t changed_words(const std::byte* start, const std::byte* end, std::size_t size) {
  std::uint64_t changed = 0;
  std::size_t at = 0;
  for (; Word == 4 && at + 4 * Word <= size; at += 4 * Word)
    changed |= changed_of_four(start + at, end + at) << at / Word;
  for (; at + Word <= size; at += Word)  // of a size that the compiler knows
    changed |= std::uint64_t{std::memcmp(start + at, end + at, Word) != 0} << at / Word;
  if (at < size) changed |= std::uint64_t{std::memcmp(start + at, end + at, size - at) != 0} << at / Word;
  return changed;
}

/// Calls f(first byte, number of bytes) for each run of words with a bit, in a line of `size` bytes.
template <std::size_t Word, class F>
static void for_each_run(std::uint64_t words, std::size_t size, const F& f) {
  int from = 0;
  while (from < 64 && words >> from != 0) {
    from += std::countr_zero(words >> from);
    const int length = std::countr_one(words >> from);
    const std::size_t at = static_cast<std::size_t>(from) * Word;
    f(at, std::min(static_cast<std::size_t>(length) * Word, size - at));
    from += length;
  }
}

template <std::size_t Word>
static void write_words(abi::writer& out, const std::byte* start, const std::byte* end, std::size_t size) {
  constexpr std::size_t line = words_of_line * Word;
  for (std::size_t first = 0; first < size; first += line) {
    const std::size_t n = std::min(line, size - first);
    const std::uint64_t changed = changed_words<Word>(start + first, end + first, n);
    if (changed == 0) continue;
    const auto number = static_cast<std::uint32_t>(first / line);
    const std::size_t words = static_cast<std::size_t>(std::popcount(changed)) * Word;
    const std::size_t beyond = n % Word != 0 && (changed >> n / Word & 1) != 0 ? Word - n % Word : 0;
    std::byte* to = out.extend(sizeof number + sizeof changed + words - beyond);
    const auto append = [&to](const void* from, std::size_t length) {
      std::memcpy(to, from, length);
      to += length;
    };
    append(&number, sizeof number);
    append(&changed, sizeof changed);
    for_each_run<Word>(changed, n,
                       [&](std::size_t at, std::size_t length) { append(end + first + at, length); });
  }
  out(last_line);
}

template <std::size_t Word> static void read_words(abi::reader& in, std::byte* to, std::size_t size) {
  constexpr std::size_t line = words_of_line * Word;
  std::uint32_t number = 0;
  for (in(number); number != last_line; in(number)) {
    const std::size_t first = number * line;
    std::uint64_t changed = 0;
    in(changed);
    const std::size_t n = std::min(line, size - std::min(size, first));
    const std::size_t words = (n + Word - 1) / Word;
    if (words < words_of_line && changed >> words != 0)
      throw error(errc::decode, fmt::format("a change of byte {} of {}", first + n, size));
    for_each_run<Word>(
        changed, n, [&](std::size_t at, std::size_t size_of_run) { in.bytes(to + first + at, size_of_run); });
  }
}

void write_difference(abi::writer& out, const std::byte* start, const std::byte* end, std::size_t size,
                      std::size_t word) {
  if (word == 4) return write_words<4>(out, start, end, size);
  word == 2 ? write_words<2>(out, start, end, size) : write_words<1>(out, start, end, size);
}

void read_difference(abi::reader& in, std::byte* to, std::size_t size, std::size_t word) {
  if (word == 4) return read_words<4>(in, to, size);
  word == 2 ? read_words<2>(in, to, size) : read_words<1>(in, to, size);
}

}  // namespace stradsap::rt
