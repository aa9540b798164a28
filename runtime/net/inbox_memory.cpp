#include "runtime/net/inbox_memory.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace stradsap::rt {

static constexpr std::size_t page_bytes = 4096;
static constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;  // so no access is past its end
static constexpr const char* file_name = "stradsap-inbox";

// ---- addresses ----

mapping::~mapping() {
  if (first_ != nullptr) ::munmap(first_, size_);
}

std::optional<mapping> mapping::of(int descriptor, std::size_t offset, std::size_t size, int times) {
  const std::size_t all = size * static_cast<std::size_t>(times);
  void* const at = ::mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return std::nullopt;
  mapping made(static_cast<std::byte*>(at), all);
  for (std::size_t begin = 0; begin < all; begin += size) {
    void* const copy = ::mmap(made.first_ + begin, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                              descriptor, static_cast<off_t>(offset));
    if (copy == MAP_FAILED) return std::nullopt;
  }
  return made;
}

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

/// Whether the process may write a file of this size. A longer one would end it by a signal.
static bool may_be_as_long(std::size_t size) {
  rlimit most{};
  return ::getrlimit(RLIMIT_FSIZE, &most) == 0 && (most.rlim_cur == RLIM_INFINITY || most.rlim_cur >= size);
}

std::optional<own_inbox_memory> own_inbox_memory::make(int ranks) {
  constexpr int most_ranks = 1024;
  const inbox_layout layout(ranks);
  if (ranks > most_ranks || !may_be_as_long(layout.size_bytes)) return std::nullopt;
  const int descriptor = ::memfd_create(file_name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return std::nullopt;
  own_inbox_memory made(ranks, descriptor);
  if (::ftruncate(descriptor, static_cast<off_t>(layout.size_bytes)) != 0) return std::nullopt;
  if (::fcntl(descriptor, F_ADD_SEALS, seals) != 0) return std::nullopt;
  auto head = mapping::of(descriptor, 0, layout.head_bytes);
  if (!head) return std::nullopt;
  made.head_ = std::move(*head);
  made.rings_.resize(static_cast<std::size_t>(ranks));
  std::uint64_t nonce = 0;
  if (::getrandom(&nonce, sizeof nonce, 0) != sizeof nonce) return std::nullopt;
  made.head().nonce = nonce;
  return made;
}

own_inbox_memory::~own_inbox_memory() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

own_inbox_memory::own_inbox_memory(own_inbox_memory&& other) noexcept
    : layout_(other.layout_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      head_(std::move(other.head_)),
      rings_(std::move(other.rings_)) {}

inbox_place own_inbox_memory::place() const { return {::getpid(), descriptor_, head().nonce}; }

inbox_head& own_inbox_memory::head() const { return head_in(head_); }

std::optional<ring_reader> own_inbox_memory::ring(rank_id from) {
  auto bytes_of_it = mapping::of(descriptor_, layout_.ring_at(from), layout_.ring_bytes, /*times=*/2);
  if (!bytes_of_it) return std::nullopt;
  mapping& kept = rings_[static_cast<std::size_t>(from)];
  kept = std::move(*bytes_of_it);
  return ring_reader(ends_in(head_, from), kept.data(), layout_.ring_bytes);
}

// ---- other ranks ----

/// The file behind `place` if this user owns it in another process; else -1. It is examined before it is
/// opened, because opening some files has effects.
static int open_file(const inbox_place& at) {
  const std::string path = fmt::format("/proc/{}/fd/{}", at.process, at.descriptor);
  char target[64];
  const auto length = ::readlink(path.c_str(), target, sizeof target);
  if (length <= 0) return -1;
  const std::string_view named(target, static_cast<std::size_t>(length));
  if (!named.starts_with(fmt::format("/memfd:{}", file_name))) return -1;
  return ::open(path.c_str(), O_RDWR | O_CLOEXEC);
}

static bool is_as_made(int descriptor, const inbox_layout& layout) {
  struct stat file{};
  return ::fstat(descriptor, &file) == 0 && static_cast<std::size_t>(file.st_size) == layout.size_bytes &&
         (::fcntl(descriptor, F_GET_SEALS) & seals) == seals;
}

std::optional<opened_inbox_memory> opened_inbox_memory::open(const inbox_place& at, rank_id self, int ranks) {
  const inbox_layout layout(ranks);
  const int descriptor = open_file(at);
  if (descriptor < 0) return std::nullopt;
  std::optional<mapping> head;
  std::optional<mapping> ring;
  if (is_as_made(descriptor, layout)) {
    head = mapping::of(descriptor, 0, layout.head_bytes);
    ring = mapping::of(descriptor, layout.ring_at(self), layout.ring_bytes, /*times=*/2);
  }
  ::close(descriptor);
  if (!head || !ring || head_in(*head).nonce != at.nonce) return std::nullopt;
  return opened_inbox_memory(layout, self, std::move(*head), std::move(*ring));
}

inbox_head& opened_inbox_memory::head() const { return head_in(head_); }

ring_writer opened_inbox_memory::ring() const {
  return {ends_in(head_, self_), ring_.data(), layout_.ring_bytes};
}

}  // namespace stradsap::rt
