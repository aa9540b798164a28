#include "runtime/dds/paged_copies.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <sys/mman.h>

#include <fmt/format.h>

#include "runtime/base/log.hpp"
#include "runtime/dds/copies.hpp"
#include "runtime/dds/replica.hpp"

namespace stradsap::rt {

bool paged_copies::is_possible() {
  if (missing_ != nullptr || is_refused_) return !is_refused_;
  try {
    page_supplier& pages = *this;
    missing_ = std::make_unique<missing_pages>(pages);
  } catch (const error& e) {
    is_refused_ = true;
    warn(fmt::format("containers are copied whole despite --replicate: {} (docs/operators.md, Memory)",
                     e.what()));
  }
  return !is_refused_;
}

void paged_copies::begin(replica& local, value_reader read) {
  if (local.all_held()) return;
  if (!is_possible()) return local.hold_all();
  if (local.pages() == nullptr || !local.pages()->fits(local)) {
    page_table found(local);
    if (!found.is_worthwhile()) return local.hold_all();
    // A huge page would take 2 MiB for each edge, and pages come as small ones in any case.
    (void)::madvise(local.at(0), local.size() * local.ops().size, MADV_NOHUGEPAGE);
    copies_.fetch(local, found.edges());
    local.keep_pages(std::move(found));
  }
  if (read != nullptr && !local.knows_values()) {
    const lock_guard hold(supplying_);
    local.learn_values(values_of(local, read));
  }
  if (!watch_pages(local)) {
    warn_once("pages", "containers are copied whole despite --replicate: the system watches no more memory");
    return local.hold_all();
  }
  local.begin_paging();
  const lock_guard hold(supplying_);
  active_.push_back(&local);
}

/// Watches first, then gives void pages back: meanwhile the kernel could make pages of zeros.
bool paged_copies::watch_pages(replica& local) {
  std::byte* const base = local.at(0);
  const std::vector<byte_extent>& extents = local.pages()->extents();
  const auto unwatch = [&](auto first, auto last) {
    for (auto one = first; one != last; ++one) missing_->unwatch(base + one->begin, one->end - one->begin);
  };
  for (auto one = extents.begin(); one != extents.end(); ++one) {
    if (missing_->watch(base + one->begin, one->end - one->begin)) continue;
    unwatch(extents.begin(), one);
    return false;
  }
  for (const byte_extent& one : local.pages()->missing()) {
    if (::madvise(base + one.begin, one.end - one.begin, MADV_DONTNEED) == 0) continue;
    unwatch(extents.begin(), extents.end());
    return false;
  }
  return true;
}

void paged_copies::end() {
  const lock_guard hold(supplying_);
  for (replica* const local : std::exchange(active_, {})) {
    for (const byte_extent& one : local->pages()->extents())
      missing_->unwatch(local->at(0) + one.begin, one.end - one.begin);
    local->end_paging();
  }
}

void paged_copies::supply(std::span<const std::uintptr_t> touched) {
  const lock_guard hold(supplying_);
  try {
    for (replica* const local : active_) {
      const auto base = reinterpret_cast<std::uintptr_t>(local->at(0));
      std::vector<byte_extent> places;
      for (const std::uintptr_t address : touched) {
        if (address >= base && address < base + local->size() * local->ops().size)
          local->pages()->ask(address - base, places);
      }
      if (!places.empty()) fetch_pages(*local, places);
    }
  } catch (const std::exception& e) {
    die(3, fmt::format("a page of a container does not come: {}", e.what()));
  }
  for (const std::uintptr_t address : touched) missing_->wake(address);
}

/// Fetches whole pages, with all elements that have a part in them.
void paged_copies::fetch_pages(const replica& local, const std::vector<byte_extent>& places) {
  const std::size_t size = local.ops().size;
  std::vector<element_range> parts;
  parts.reserve(places.size());
  for (const byte_extent& one : places) parts.push_back({one.begin / size, (one.end + size - 1) / size});
  fetch(local, parts, [&](std::size_t i, const bytes& content) {
    const byte_extent& place = places[i];
    const std::byte* const from = content.data() + (place.begin - parts[i].begin * size);
    missing_->fill(local.at(0) + place.begin, from, place.end - place.begin);
  });
}

/// The range of all elements, here and elsewhere. Those elsewhere are not kept: bodies may need few of them.
abi::value_range paged_copies::values_of(const replica& local, value_reader read) {
  const std::uint64_t most = std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) / local.ops().size);
  const partition& groups = local.groups();
  std::optional<abi::value_range> all;
  const auto add = [&](const void* first, std::uint64_t n) {
    const abi::value_range some = read(first, n);
    if (!all) all = some;
    all = {std::min(all->least, some.least), std::max(all->greatest, some.greatest)};
  };
  for (partition::group_id g = 0; g < groups.num_groups(); ++g) {
    if (local.held(g) && groups.count(g) != 0) add(local.at(groups.begin(g)), groups.count(g));
    for (std::uint64_t at = groups.begin(g); !local.held(g) && at < groups.end(g); at += most) {
      const element_range some{at, std::min(groups.end(g), at + most)};
      fetch(local, {some},
            [&](std::size_t, const bytes& content) { add(content.data(), some.end - some.begin); });
    }
  }
  return all.value_or(abi::value_range{});
}

void paged_copies::fetch(const replica& local, const std::vector<element_range>& parts,
                         const part_taker& take) {
  const std::size_t size = local.ops().size;
  std::vector<asked_part> under_way;
  std::vector<std::pair<rank_id, fetch_request>> requests;
  std::vector<asked_piece> pieces;
  for (const element_range& part : parts) {
    for (auto& [owner, request] : copies_.requests_for(local, {part})) {
      const element_range piece{request.begin, request.end};
      pieces.push_back({under_way.size(), owner, piece, (piece.end - piece.begin) * size});
      requests.emplace_back(owner, std::move(request));
    }
    under_way.push_back({part, bytes((part.end - part.begin) * size), part.end - part.begin});
  }
  {
    const lock_guard hold(mutex_);
    fetching_ = local.id();
    asked_ = std::move(pieces);
  }
  for (auto& [owner, request] : requests) copies_.send(owner, std::move(request));
  for (std::size_t here = 0; here < requests.size();) {
    for (const received_piece& one : take_replies()) {
      asked_part& part = under_way[one.part];
      std::memcpy(part.content.data() + (one.reply.begin - part.elements.begin) * size,
                  one.reply.elements.data(), one.reply.elements.size());
      part.left -= one.reply.end - one.reply.begin;
      if (part.left == 0) take(one.part, std::exchange(part.content, {}));
      ++here;
    }
  }
  const lock_guard hold(mutex_);
  fetching_ = container_id::none;
  asked_.clear();
}

/// Waits for a reply; returns all that have arrived.
std::vector<paged_copies::received_piece> paged_copies::take_replies() {
  const lock_guard hold(mutex_);
  // The wait ends in any case: the network thread ends the process if an owner is lost.
  while (replies_.empty()) notification_.wait(mutex_, copies_.waiting());
  return std::exchange(replies_, {});
}

bool paged_copies::received(fetch_reply& reply) {
  const lock_guard hold(mutex_);
  if (fetching_ == container_id::none || reply.container != fetching_) return false;
  const auto asked = std::find_if(asked_.begin(), asked_.end(), [&](const asked_piece& one) {
    return !one.is_here && one.elements.begin == reply.begin && one.elements.end == reply.end;
  });
  if (asked == asked_.end() || reply.unchanged != 0 || reply.elements.size() != asked->size_bytes)
    throw error(errc::decode, fmt::format("a reply with elements {} to {} that does not fit its request",
                                          reply.begin, reply.end));
  asked->is_here = true;
  replies_.push_back({asked->part, std::move(reply)});
  notification_.announce();
  return true;
}

std::vector<awaited_rank> paged_copies::awaits() {
  std::vector<awaited_rank> found;
  const patient_lock hold(mutex_);
  if (!hold.has()) return found;
  for (const asked_piece& one : asked_) {
    if (!one.is_here)
      found.push_back(
          {one.owner, fmt::format("pages with elements {} to {}", one.elements.begin, one.elements.end - 1)});
  }
  return found;
}

paged_reads::paged_reads(paged_copies& pages, const std::vector<paged_input>& containers) : pages_(pages) {
  try {
    for (const paged_input& one : containers) pages_.begin(*one.container, one.read);
  } catch (...) {
    pages_.end();
    throw;
  }
}

}  // namespace stradsap::rt
