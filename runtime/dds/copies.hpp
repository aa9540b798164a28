// The containers of this rank, and how it gets copies of groups that others own.
// Thread rule: thread-safe; requests of others are answered by who receives.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "runtime/base/arrival.hpp"
#include "runtime/dds/container_store.hpp"
#include "runtime/net/transport.hpp"

namespace stradsap::rt {

class copy_service {
 public:
  explicit copy_service(patience waiting) : waiting_(waiting) {}
  /// Called once the network is there; without it there is nobody to fetch from.
  void connect(transport* net, patience waiting) {
    net_ = net;
    waiting_ = waiting;
  }

  void add(std::unique_ptr<container_store> store);
  /// Null where there is none of that id.
  [[nodiscard]] container_store* find(container_id id);
  void remove(container_id id);
  /// Those whose elements that plan has, in the order of their ids.
  [[nodiscard]] std::vector<container_store*> away_with(plan_id plan);

  /// Copies elements from their owners; returns when they are here.
  void fetch(container_store& store, const std::vector<element_range>& ranges);
  /// Holds the group of `element`; for executors.
  void ensure(container_store& store, std::uint64_t element);

  /// This rank's groups are what they are as of `now`: who has come so far may have copies. What was asked
  /// for too early is answered. One thread; every rank reaches the last moment of a launch before it ends its
  /// part.
  void reach(moment now);

  void received(rank_id from, const fetch_request& request);
  void received(fetch_reply reply);

 private:
  [[nodiscard]] std::vector<std::pair<rank_id, fetch_request>> requests_for(
      const container_store& store, const std::vector<element_range>& ranges);
  [[nodiscard]] std::vector<fetch_reply> take_replies();
  void answer(rank_id to, const fetch_request& request);
  [[nodiscard]] moment now();

  patience waiting_;
  mutex fetching_;  // one fetch at a time; guards which copies are held
  mutex mutex_;
  arrival arrival_;
  std::map<container_id, std::unique_ptr<container_store>> stores_ GUARDED_BY(mutex_);
  std::vector<fetch_reply> replies_ GUARDED_BY(mutex_);
  moment now_ GUARDED_BY(mutex_);
  std::vector<std::pair<rank_id, fetch_request>> early_ GUARDED_BY(mutex_);  // as of later moments
  transport* net_ = nullptr;
};

}  // namespace stradsap::rt
