#include "runtime/net/inbox_memory.hpp"

#include <algorithm>
#include <bit>

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

namespace stradsap::rt {

static constexpr std::size_t page_bytes = 4096;
static constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;  // so no access is past its end
static constexpr const char* file_name = "stradsap-inbox";

// ---- layout ----

static std::size_t whole_pages(std::size_t size) { return (size + page_bytes - 1) / page_bytes * page_bytes; }

/// All rings of an inbox take at most 16 MiB for up to 256 ranks; a ring need not exceed a cache.
inbox_layout::inbox_layout(int ranks) {
  constexpr std::size_t all_rings = std::size_t{16} << 20;
  constexpr std::size_t least = std::size_t{64} << 10;
  constexpr std::size_t most = std::size_t{1} << 20;
  const auto count = static_cast<std::size_t>(ranks);
  ring_bytes = std::clamp(std::bit_floor(all_rings / count), least, most);
  head_bytes = whole_pages(sizeof(inbox_head) + count * sizeof(ring_ends));
  size_bytes = head_bytes + count * ring_bytes;
}

static inbox_head& head_in(const mapping& m) { return *reinterpret_cast<inbox_head*>(m.data()); }

static ring_ends& ends_in(const mapping& m, rank_id of) {
  return reinterpret_cast<ring_ends*>(m.data() + sizeof(inbox_head))[of];
}

// ---- the owner ----

std::optional<own_inbox_memory> own_inbox_memory::make(int ranks) {
  constexpr int most_ranks = 1024;
  const inbox_layout layout(ranks);
  if (ranks > most_ranks) return std::nullopt;
  auto file = memory_file::make(file_name);
  if (!file || !file->resize(layout.size_bytes) || !file->seal(seals)) return std::nullopt;
  own_inbox_memory made(ranks, std::move(*file));
  auto head = mapping::of(made.file_.descriptor(), 0, layout.head_bytes);
  if (!head) return std::nullopt;
  made.head_ = std::move(*head);
  made.rings_.resize(static_cast<std::size_t>(ranks));
  std::uint64_t nonce = 0;
  if (::getrandom(&nonce, sizeof nonce, 0) != sizeof nonce) return std::nullopt;
  made.head().nonce = nonce;
  return made;
}

inbox_place own_inbox_memory::place() const { return {::getpid(), file_.descriptor(), head().nonce}; }

inbox_head& own_inbox_memory::head() const { return head_in(head_); }

std::optional<ring_reader> own_inbox_memory::ring(rank_id from) {
  auto bytes_of_it = mapping::of(file_.descriptor(), layout_.ring_at(from), layout_.ring_bytes, /*times=*/2);
  if (!bytes_of_it) return std::nullopt;
  mapping& kept = rings_[static_cast<std::size_t>(from)];
  kept = std::move(*bytes_of_it);
  return ring_reader(ends_in(head_, from), kept.data(), layout_.ring_bytes);
}

// ---- other ranks ----

std::optional<opened_inbox_memory> opened_inbox_memory::open(const inbox_place& at, rank_id self, int ranks) {
  const inbox_layout layout(ranks);
  const auto file = memory_file::open(at.process, at.descriptor, file_name, memory_file::access::write);
  if (!file || !file->is(layout.size_bytes, seals)) return std::nullopt;
  auto head = mapping::of(file->descriptor(), 0, layout.head_bytes);
  auto ring = mapping::of(file->descriptor(), layout.ring_at(self), layout.ring_bytes, /*times=*/2);
  if (!head || !ring || head_in(*head).nonce != at.nonce) return std::nullopt;
  return opened_inbox_memory(layout, self, std::move(*head), std::move(*ring));
}

inbox_head& opened_inbox_memory::head() const { return head_in(head_); }

ring_writer opened_inbox_memory::ring() const {
  return {ends_in(head_, self_), ring_.data(), layout_.ring_bytes};
}

}  // namespace stradsap::rt
