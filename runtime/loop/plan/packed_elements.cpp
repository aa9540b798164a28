#include "runtime/loop/plan/packed_elements.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <stradsap/error.hpp>

namespace stradsap::rt {

// ---- byte_queue ----

bytes& byte_queue::end() {
  constexpr std::size_t part_bytes = std::size_t{256} << 10;
  if (parts_.empty() || parts_.back().size() >= part_bytes) {
    parts_.emplace_back();
    parts_.back().reserve(part_bytes + part_bytes / 4);
  }
  return parts_.back();
}

std::uint64_t byte_queue::size() const {
  std::uint64_t all = 0;
  for (const bytes& part : parts_) all += part.size();
  return all - taken_;
}

bytes byte_queue::take(std::size_t length) {
  bytes all;
  all.reserve(length);
  while (all.size() < length) {
    const bytes& part = parts_.front();
    const std::size_t now = std::min(length - all.size(), part.size() - taken_);
    const std::byte* const from = part.data() + taken_;
    all.insert(all.end(), from, from + now);
    taken_ += now;
    if (taken_ < part.size()) continue;
    parts_.pop_front();
    taken_ = 0;
  }
  return all;
}

// ---- words ----

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint32_t);
constexpr std::uint8_t steps = 0x80;  // in the byte of the width: the bits are steps between words

std::uint32_t word_at(const std::byte* place) {
  std::uint32_t value = 0;
  std::memcpy(&value, place, word_bytes);
  return value;
}

/// Of one word of each element: `base` and the number of bits beyond it.
struct word_code {
  std::uint32_t base = 0;  // the least value; with steps, the first one
  std::uint8_t width = 0;
  bool is_by_steps = false;
};

word_code code_of(const std::byte* first, std::size_t count, std::size_t stride) {
  std::uint32_t least = word_at(first);
  std::uint32_t most = least;
  std::uint32_t before = least;
  std::uint32_t all_steps = 0;
  bool ascends = true;
  for (std::size_t k = 1; k < count; ++k) {
    const std::uint32_t value = word_at(first + k * stride);
    least = std::min(least, value);
    most = std::max(most, value);
    ascends = ascends && value >= before;
    all_steps |= value - before;
    before = value;
  }
  const int range = std::bit_width(most - least);
  const int by_steps = std::bit_width(all_steps);
  if (ascends && by_steps < range) return {word_at(first), static_cast<std::uint8_t>(by_steps), true};
  return {least, static_cast<std::uint8_t>(range), false};
}

std::size_t bytes_of_bits(std::size_t count, std::size_t width) { return (count * width + 7) / 8; }

void pack_bits(const std::byte* first, std::size_t count, std::size_t stride, const word_code& code,
               std::byte* to) {
  std::uint64_t waiting = 0;
  unsigned bits = 0;
  std::uint32_t base = code.base;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t value = word_at(first + k * stride);
    waiting |= static_cast<std::uint64_t>(value - base) << bits;
    if (code.is_by_steps) base = value;
    bits += code.width;
    if (bits < 32) continue;
    std::memcpy(to, &waiting, word_bytes);
    to += word_bytes;
    waiting >>= 32;
    bits -= 32;
  }
  std::memcpy(to, &waiting, (bits + 7) / 8);
}

void unpack_bits(const std::byte* from, std::size_t count, std::size_t stride, const word_code& code,
                 std::byte* to) {
  const std::byte* const end = from + bytes_of_bits(count, code.width);
  const std::uint64_t mask = (std::uint64_t{1} << code.width) - 1;
  std::uint64_t waiting = 0;
  unsigned bits = 0;
  std::uint32_t base = code.base;
  for (std::size_t k = 0; k < count; ++k) {
    if (bits < code.width) {
      std::uint32_t next = 0;
      const auto left = std::min<std::size_t>(word_bytes, static_cast<std::size_t>(end - from));
      std::memcpy(&next, from, left);
      from += left;
      waiting |= static_cast<std::uint64_t>(next) << bits;
      bits += 32;
    }
    const std::uint32_t value = base + static_cast<std::uint32_t>(waiting & mask);
    if (code.is_by_steps) base = value;
    waiting >>= code.width;
    bits -= code.width;
    std::memcpy(to + k * stride, &value, word_bytes);
  }
}

template <class T> void append(bytes& to, T value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  to.insert(to.end(), first, first + sizeof value);
}

struct chunk_head {
  std::uint32_t length = 0;  // of the chunk, with its head
  std::uint32_t count = 0;   // elements
};

}  // namespace

void pack_elements(const std::byte* first, std::size_t count, std::size_t size, bytes& to) {
  const std::size_t begin = to.size();
  append(to, chunk_head{0, static_cast<std::uint32_t>(count)});
  const std::size_t words = size / word_bytes;
  for (std::size_t w = 0; w < words; ++w) {
    const std::byte* const column = first + w * word_bytes;
    const word_code code = code_of(column, count, size);
    append(to, static_cast<std::uint8_t>(code.width | (code.is_by_steps ? steps : 0)));
    append(to, code.base);
    const std::size_t at = to.size();
    to.resize(at + bytes_of_bits(count, code.width));
    if (code.width != 0) pack_bits(column, count, size, code, to.data() + at);
  }
  for (std::size_t k = 0; k < count && size % word_bytes != 0; ++k)
    to.insert(to.end(), first + k * size + words * word_bytes, first + (k + 1) * size);
  const auto length = static_cast<std::uint32_t>(to.size() - begin);
  std::memcpy(to.data() + begin, &length, sizeof length);
}

void element_unpacker::add(std::span<const std::byte> piece, const sink& take) {
  const bool is_whole = pending_.empty();
  if (!is_whole) pending_.insert(pending_.end(), piece.begin(), piece.end());
  std::span<const std::byte> left = is_whole ? piece : std::span<const std::byte>(pending_);
  while (left.size() >= sizeof(chunk_head)) {
    chunk_head head;
    std::memcpy(&head, left.data(), sizeof head);
    if (head.length < sizeof head || head.count == 0 || head.count > most_packed)
      throw error(errc::decode, fmt::format("packed elements: {} in {} bytes", head.count, head.length));
    if (left.size() < head.length) break;
    elements_.resize(head.count * size_);
    unpack(left.subspan(sizeof head, head.length - sizeof head), take);
    left = left.subspan(head.length);
  }
  pending_ = bytes(left.begin(), left.end());
}

void element_unpacker::unpack(std::span<const std::byte> packed, const sink& take) {
  const std::size_t count = elements_.size() / size_;
  const auto next = [&](std::size_t length) {
    if (packed.size() < length)
      throw error(errc::decode, fmt::format("packed elements end {} bytes early", length - packed.size()));
    const std::byte* const at = packed.data();
    packed = packed.subspan(length);
    return at;
  };
  const std::size_t words = size_ / word_bytes;
  for (std::size_t w = 0; w < words; ++w) {
    const auto kind = static_cast<std::uint8_t>(*next(1));
    const word_code code{word_at(next(word_bytes)), static_cast<std::uint8_t>(kind & ~steps),
                         (kind & steps) != 0};
    if (code.width > 32) throw error(errc::decode, fmt::format("packed words of {} bits", code.width));
    unpack_bits(next(bytes_of_bits(count, code.width)), count, size_, code,
                elements_.data() + w * word_bytes);
  }
  const std::size_t rest = size_ % word_bytes;
  for (std::size_t k = 0; k < count && rest != 0; ++k)
    std::memcpy(elements_.data() + k * size_ + words * word_bytes, next(rest), rest);
  if (!packed.empty())
    throw error(errc::decode, fmt::format("{} bytes after packed elements", packed.size()));
  take(elements_);
}

}  // namespace stradsap::rt
