#include "runtime/loop/blocks/total_counts.hpp"

#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <stradsap/error.hpp>

namespace stradsap::rt {
namespace {

using words = std::vector<std::uint32_t>;

/// A rank sends words: whether it has iterations, the length of its pattern and the pattern; then of each
/// signature its length, its tokens and its counts.
words encoded(const signature_counts& mine, const touch_pattern& pattern) {
  words out{pattern.has_value(), pattern ? static_cast<std::uint32_t>(pattern->size()) : 0};
  if (pattern) out.insert(out.end(), pattern->begin(), pattern->end());
  for (const auto& [tokens, counts] : mine) {
    out.push_back(static_cast<std::uint32_t>(tokens.size()));
    out.insert(out.end(), tokens.begin(), tokens.end());
    out.insert(out.end(), counts.begin(), counts.end());
  }
  return out;
}

/// Decodes the words of one rank piece by piece.
class decoder {
 public:
  void take(std::span<const std::byte> piece, signature_counts& into) {
    if (piece.size() % sizeof(std::uint32_t) != 0)
      throw error(errc::decode, fmt::format("a piece of counts has {} bytes", piece.size()));
    const std::size_t before = rest_.size();
    rest_.resize(before + piece.size() / sizeof(std::uint32_t));
    if (!piece.empty()) std::memcpy(rest_.data() + before, piece.data(), piece.size());
    std::span<const std::uint32_t> left(rest_);
    if (!has_pattern_ && left.size() >= 2 && left.size() - 2 >= left[1]) {
      if (left[0] != 0) pattern_.emplace(left.begin() + 2, left.begin() + 2 + left[1]);
      left = left.subspan(2 + left[1]);
      has_pattern_ = true;
    }
    constexpr std::size_t num_counts = std::tuple_size_v<per_subpass>;
    while (has_pattern_ && !left.empty() && left.size() - 1 >= std::uint64_t{left[0]} + num_counts) {
      const std::size_t length = left[0];
      per_subpass& sum = into[signature(left.begin() + 1, left.begin() + 1 + length)];
      for (std::size_t s = 0; s < num_counts; ++s) sum[s] += left[1 + length + s];
      left = left.subspan(1 + length + num_counts);
    }
    rest_.erase(rest_.begin(), rest_.end() - static_cast<std::ptrdiff_t>(left.size()));
  }

  [[nodiscard]] const touch_pattern& pattern() const {
    if (!has_pattern_ || !rest_.empty())
      throw error(errc::decode, fmt::format("{} words of counts remain", rest_.size()));
    return pattern_;
  }

 private:
  words rest_;  // of an unfinished entry
  bool has_pattern_ = false;
  touch_pattern pattern_;
};

}  // namespace

total_counts add_up(exchange& ranks, const signature_counts& mine, const touch_pattern& pattern) {
  total_counts total{mine, {}};
  const words own = encoded(mine, pattern);
  const auto bytes_of_own = std::as_bytes(std::span(own));
  const auto size = static_cast<std::size_t>(ranks.world_size());
  std::vector<decoder> decoders(size);
  std::vector<std::size_t> sent(size);
  const auto next = [&](rank_id to, std::size_t length) {
    const std::size_t at =
        std::exchange(sent[static_cast<std::size_t>(to)], sent[static_cast<std::size_t>(to)] + length);
    const auto piece = bytes_of_own.subspan(at, length);
    return bytes(piece.begin(), piece.end());
  };
  const auto take = [&](rank_id from, std::span<const std::byte> piece, std::uint64_t) {
    decoders[static_cast<std::size_t>(from)].take(piece, total.counts);
  };
  ranks.trade(std::vector<std::uint64_t>(size, bytes_of_own.size()), next, take);
  bool is_first = true;
  for (std::size_t r = 0; r < size; ++r) {
    const bool is_self = static_cast<rank_id>(r) == ranks.self();
    const touch_pattern& theirs = is_self ? pattern : decoders[r].pattern();
    if (!theirs) continue;
    if (std::exchange(is_first, false)) {
      total.pattern = *theirs;
    } else if (*theirs != total.pattern) {
      total.pattern.clear();
    }
  }
  return total;
}

}  // namespace stradsap::rt
