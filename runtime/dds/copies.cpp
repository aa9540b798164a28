#include "runtime/dds/copies.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace stradsap::rt {

void copy_service::add(std::unique_ptr<container_store> store) {
  const lock_guard hold(mutex_);
  const container_id id = store->id();
  stores_[id] = std::move(store);
}

container_store* copy_service::find(container_id id) {
  const lock_guard hold(mutex_);
  const auto found = stores_.find(id);
  return found == stores_.end() ? nullptr : found->second.get();
}

void copy_service::remove(container_id id) {
  const lock_guard hold(mutex_);
  stores_.erase(id);
}

void copy_service::fetch(container_store& store, const std::vector<container_store::group_id>& groups) {
  const partition& all = store.groups();
  const moment as_of = now();
  std::size_t left = 0;  // replies to come
  for (std::size_t i = 0, next = 0; i < groups.size(); i = next, ++left) {
    const auto first = groups[i];
    STRADSAP_ASSERT(net_ != nullptr, "group {} is not here and there is nobody to ask", first);
    const auto follows = [&](std::size_t k) {
      return groups[k] == first + (k - i) && all.owner(groups[k]) == all.owner(first);
    };
    while (next < groups.size() && follows(next)) ++next;
    net_->send(all.owner(first), fetch_request{store.id(), first, static_cast<std::uint32_t>(next - i),
                                               all.begin(first), all.end(groups[next - 1]), as_of});
  }
  while (left > 0) {
    std::vector<fetch_reply> here;
    {
      const lock_guard hold(mutex_);
      // A lost owner ends the process from the network's thread, so this wait ends whatever happens.
      while (replies_.empty()) arrival_.wait(mutex_, waiting_);
      here.swap(replies_);
    }
    for (const fetch_reply& reply : here) {
      store.unpack(reply.begin, reply.end, reply.elements);
      for (auto g = reply.first_group; g < reply.first_group + reply.num_groups; ++g) store.set_held(g, true);
    }
    left -= here.size();
  }
}

void copy_service::ensure(container_store& store, std::uint64_t element) {
  const lock_guard hold(fetching_);
  const auto g = store.groups().group_of(element);
  if (!store.held(g)) fetch(store, {g});
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
  const container_store* store = find(request.container);
  if (store == nullptr || request.begin > request.end || request.end > store->size()) {
    throw error(errc::decode,
                fmt::format("rank {} asked for elements {} to {} of container {}, which is not here", to,
                            request.begin, request.end, static_cast<int>(request.container)));
  }
  net_->send(to, fetch_reply{request.container, request.first_group, request.num_groups, request.begin,
                               request.end, store->pack(request.begin, request.end)});
}

void copy_service::received(fetch_reply reply) {
  const lock_guard hold(mutex_);
  replies_.push_back(std::move(reply));
  arrival_.announce();
}

}  // namespace stradsap::rt
