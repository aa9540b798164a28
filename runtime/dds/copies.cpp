#include "runtime/dds/copies.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace stradsap::rt {

void copy_service::add(std::unique_ptr<replica> added) {
  const lock_guard hold(mutex_);
  const container_id id = added->id();
  replicas_[id] = std::move(added);
}

replica* copy_service::find(container_id id) {
  const lock_guard hold(mutex_);
  const auto found = replicas_.find(id);
  return found == replicas_.end() ? nullptr : found->second.get();
}

void copy_service::remove(container_id id) {
  const lock_guard hold(mutex_);
  replicas_.erase(id);
}

std::vector<replica*> copy_service::in_plan_layout_of(plan_id plan) {
  const lock_guard hold(mutex_);
  std::vector<replica*> found;
  for (const auto& [id, local] : replicas_) {
    if (local->plan_layout() && local->plan_layout()->plan == plan) found.push_back(local.get());
  }
  return found;
}

// Pieces of this size pass through caches and memory that both sides have in use. A large message would be
// written to fresh pages several times, which takes longer than its transfer.
static constexpr std::size_t piece_bytes = std::size_t{128} << 10;
// Enough that the owner always has the next request.
static constexpr std::size_t most_under_way = 8;

/// Splits the ranges into pieces with one owner each.
std::vector<std::pair<rank_id, fetch_request>> copy_service::requests_for(
    const replica& local, const std::vector<element_range>& ranges) {
  const partition& groups = local.groups();
  const moment as_of = now();
  const std::uint64_t most = std::max<std::uint64_t>(1, piece_bytes / local.ops().size);
  std::vector<std::pair<rank_id, fetch_request>> pieces;
  for (const element_range& range : ranges) {
    for (std::uint64_t at = range.begin; at < range.end;) {
      auto g = groups.group_of(at);
      const rank_id owner = groups.owner(g);
      const std::uint64_t limit = std::min(range.end, at + most);
      while (groups.end(g) < limit && groups.owner(g + 1) == owner) ++g;
      const std::uint64_t end = std::min(limit, groups.end(g));
      pieces.emplace_back(owner, fetch_request{local.id(), at, end, as_of});
      at = end;
    }
  }
  return pieces;
}

void copy_service::fetch(replica& local, const std::vector<element_range>& ranges) {
  const auto pieces = requests_for(local, ranges);
  if (pieces.empty()) return;
  STRADSAP_ASSERT(net_ != nullptr, "element {} is not here and there is nobody to ask",
                  pieces[0].second.begin);
  std::size_t asked = 0;
  std::vector<asked_piece> under_way;
  for (std::size_t here = 0; here < pieces.size();) {
    for (; asked < pieces.size() && asked < here + most_under_way; ++asked) {
      const auto& [owner, request] = pieces[asked];
      under_way.push_back({owner, request.begin, request.end});
      net_->send(owner, request);
    }
    for (const fetch_reply& reply : take_replies(under_way)) {
      local.unpack(reply.begin, reply.end, reply.elements);
      std::erase_if(under_way, [&](const asked_piece& one) { return one.begin == reply.begin; });
      ++here;
    }
  }
}

/// Waits for a reply; returns all that have arrived.
std::vector<fetch_reply> copy_service::take_replies(const std::vector<asked_piece>& under_way) {
  const lock_guard hold(mutex_);
  awaited_ = &under_way;
  // The wait ends in any case: the network thread ends the process if an owner is lost.
  while (replies_.empty()) notification_.wait(mutex_, waiting_);
  awaited_ = nullptr;
  return std::exchange(replies_, {});
}

std::vector<awaited_rank> copy_service::awaits() {
  std::vector<awaited_rank> found;
  const patient_lock hold(mutex_);
  if (!hold.has() || awaited_ == nullptr) return found;
  for (const asked_piece& one : *awaited_)
    found.push_back({one.owner, fmt::format("a copy of elements {} to {}", one.begin, one.end - 1)});
  return found;
}

void copy_service::ensure(replica& local, std::uint64_t element) {
  const lock_guard hold(fetching_);
  local.hold(local.groups().group_of(element));
}

moment copy_service::now() {
  const lock_guard hold(mutex_);
  return now_;
}

void copy_service::reach(moment now) {
  std::vector<std::pair<rank_id, fetch_request>> due;
  {
    const lock_guard hold(mutex_);
    now_ = now;
    const auto later = [&](const auto& asked) { return asked.second.as_of > now; };
    const auto first_due = std::partition(early_.begin(), early_.end(), later);
    due.assign(first_due, early_.end());
    early_.erase(first_due, early_.end());
  }
  for (const auto& [from, request] : due) answer(from, request);
}

void copy_service::received(rank_id from, const fetch_request& request) {
  {
    const lock_guard hold(mutex_);
    if (request.as_of > now_) {
      early_.emplace_back(from, request);
      return;
    }
  }
  answer(from, request);
}

void copy_service::answer(rank_id to, const fetch_request& request) {
  const replica* local = find(request.container);
  if (local == nullptr || request.begin > request.end || request.end > local->size()) {
    throw error(errc::decode,
                fmt::format("rank {} asked for elements {} to {} of container {}, which is not here", to,
                            request.begin, request.end, static_cast<int>(request.container)));
  }
  net_->send(to, fetch_reply{request.container, request.begin, request.end,
                             local->pack(request.begin, request.end)});
}

void copy_service::received(fetch_reply reply) {
  const lock_guard hold(mutex_);
  replies_.push_back(std::move(reply));
  notification_.announce();
}

}  // namespace stradsap::rt
