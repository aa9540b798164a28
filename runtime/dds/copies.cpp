#include "runtime/dds/copies.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <stradsap/error.hpp>

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

// The elements of a smaller fetch take about as long as their hashes.
static constexpr std::uint64_t least_compared_bytes = std::uint64_t{64} << 10;
// Enough that the owner always has the next request.
static constexpr std::size_t most_under_way = 8;

std::vector<std::pair<rank_id, fetch_request>> copy_service::requests_for(
    const replica& local, const std::vector<element_range>& ranges) {
  const partition& groups = local.groups();
  const moment as_of = now();
  const std::uint64_t most = std::max<std::uint64_t>(1, fetched_piece_bytes / local.ops().size);
  std::vector<std::pair<rank_id, fetch_request>> pieces;
  for (const element_range& range : ranges) {
    for (std::uint64_t at = range.begin; at < range.end;) {
      auto g = groups.group_of(at);
      const rank_id owner = groups.owner(g);
      const std::uint64_t limit = std::min(range.end, at + most);
      while (groups.end(g) < limit && groups.owner(g + 1) == owner) ++g;
      const std::uint64_t end = std::min(limit, groups.end(g));
      pieces.emplace_back(owner, fetch_request{local.id(), at, end, as_of, {}});
      at = end;
    }
  }
  return pieces;
}

static std::uint64_t size_of(const replica& local,
                             const std::vector<std::pair<rank_id, fetch_request>>& pieces) {
  std::uint64_t elements = 0;
  for (const auto& [owner, request] : pieces) elements += request.end - request.begin;
  return elements * local.ops().size;
}

void copy_service::fetch(replica& local, const std::vector<element_range>& ranges) {
  auto pieces = requests_for(local, ranges);
  if (pieces.empty()) return;
  STRADSAP_ASSERT(net_ != nullptr, "element {} is not here and there is nobody to ask",
                  pieces[0].second.begin);
  if (::getpid() != process_)  // it has no thread that receives
    throw error(errc::unsupported, "elements of another rank in a child process made by fork()");
  const bool compares = local.has_pages() && size_of(local, pieces) >= least_compared_bytes;
  std::size_t asked = 0;
  std::vector<asked_piece> under_way;
  for (std::size_t here = 0; here < pieces.size();) {
    for (; asked < pieces.size() && asked < here + most_under_way; ++asked) {
      auto& [owner, request] = pieces[asked];
      if (compares && local.pace().compares_next())
        request.hashes = hash_pages(local, {request.begin, request.end});
      under_way.push_back({owner, request.begin, request.end, !request.hashes.empty()});
      net_->send(owner, std::move(request));
    }
    for (const fetch_reply& reply : take_replies(under_way)) {
      take(reply, local, under_way);
      ++here;
    }
  }
  local.note_fetched();
}

void copy_service::take(const fetch_reply& reply, replica& local, std::vector<asked_piece>& under_way) {
  const auto asked = std::find_if(under_way.begin(), under_way.end(),
                                  [&](const asked_piece& one) { return one.begin == reply.begin; });
  if (asked == under_way.end() || asked->end != reply.end || (!asked->compares && reply.unchanged != 0))
    throw error(errc::decode, fmt::format("a reply with elements {} to {} that does not fit its request",
                                          reply.begin, reply.end));
  const std::uint64_t unchanged = take_reply(reply, local);
  if (asked->compares) local.pace().learn((reply.end - reply.begin) * local.ops().size, unchanged);
  bytes_unchanged_ += unchanged;
  under_way.erase(asked);
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
  std::vector<awaited_rank> found = paged_.awaits();
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
  net_->send(to, reply_to(request, *local));
}

void copy_service::received(fetch_reply reply) {
  if (paged_.received(reply)) return;
  const lock_guard hold(mutex_);
  replies_.push_back(std::move(reply));
  notification_.announce();
}

}  // namespace stradsap::rt
