#include "runtime/loop/batches/chunks.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

namespace stradsap::rt {

static constexpr std::size_t word = 4;
static constexpr std::size_t line = 64 * word;  // a bit for each word
static constexpr std::uint32_t last_line = ~std::uint32_t{0};

void shard_changes::clear() {
  chunks_.clear();
  piece_ = used_ = 0;
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

/// A bit for each word of a line of `size` bytes that differs.
static std::uint64_t changed_words(const std::byte* start, const std::byte* end, std::size_t size) {
  std::uint64_t changed = 0;
  for (std::size_t at = 0; at < size; at += word) {
    const std::size_t n = std::min(word, size - at);
    changed |= std::uint64_t{std::memcmp(start + at, end + at, n) != 0} << at / word;
  }
  return changed;
}

void write_difference(abi::writer& out, const std::byte* start, const std::byte* end, std::size_t size) {
  for (std::size_t first = 0; first < size; first += line) {
    const std::size_t n = std::min(line, size - first);
    if (std::memcmp(start + first, end + first, n) == 0) continue;
    const std::uint64_t changed = changed_words(start + first, end + first, n);
    out(static_cast<std::uint32_t>(first / line), changed);
    for (std::uint64_t left = changed; left != 0; left &= left - 1) {
      const std::size_t at = static_cast<std::size_t>(std::countr_zero(left)) * word;
      out.bytes(end + first + at, std::min(word, n - at));
    }
  }
  out(last_line);
}

void read_difference(abi::reader& in, std::byte* to, std::size_t size) {
  std::uint32_t number = 0;
  for (in(number); number != last_line; in(number)) {
    const std::size_t first = number * line;
    std::uint64_t changed = 0;
    in(changed);
    for (; changed != 0; changed &= changed - 1) {
      const std::size_t at = first + static_cast<std::size_t>(std::countr_zero(changed)) * word;
      if (at >= size) throw error(errc::decode, fmt::format("a change of byte {} of {}", at, size));
      in.bytes(to + at, std::min(word, size - at));
    }
  }
}

}  // namespace stradsap::rt
