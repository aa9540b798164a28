// Pages of elements: a rank that fetches elements again names the hash of each page that it has from before,
// and the owner sends only pages with another hash. A hash is of the bytes that the rank has, however they
// came, so a reply is right after any change of the copy.
// Thread rule: the functions, as those of a replica; comparing_pace, one thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/dds/partition.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

class replica;

/// A fetch asks for pieces of this size. They pass through caches and memory that both sides have in use. A
/// large message would be written to fresh pages several times, which takes longer than its transfer.
constexpr std::uint64_t fetched_piece_bytes = std::uint64_t{128} << 10;

/// The hash of each page of the elements, in order. At most 64 for elements of one piece.
[[nodiscard]] std::vector<std::uint64_t> hash_pages(const replica& local, element_range of);
/// The owner's answer. Throws error(errc::decode) for a number of hashes that does not fit.
[[nodiscard]] fetch_reply reply_to(const fetch_request& request, const replica& local);
/// Stores the elements of the reply. Returns the bytes of those that were here. Throws error(errc::decode).
std::uint64_t take_reply(const fetch_reply& reply, replica& local);

/// Decides for each piece of a container's fetches whether to compare its pages. Hashing is vain if most have
/// changed; then some of the next pieces are not compared, ever more of them.
class comparing_pace {
 public:
  [[nodiscard]] bool compares_next() {
    if (skips_ == 0) return true;
    --skips_;
    return false;
  }
  /// Of the bytes of a compared piece, so many were unchanged.
  void learn(std::uint64_t size_bytes, std::uint64_t unchanged) {
    constexpr unsigned most = 4;
    failures_ = unchanged >= size_bytes / 4 ? 0 : std::min(failures_ + 1, most);
    skips_ = (1U << failures_) - 1;
  }

 private:
  unsigned failures_ = 0;  // in a row
  unsigned skips_ = 0;     // pieces without comparing
};

}  // namespace stradsap::rt
