// The containers of this rank, and the exchange of copies with the owners of groups. Thread rule:
// thread-safe; the thread that delivers messages answers requests.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include <unistd.h>

#include "runtime/base/notification.hpp"
#include "runtime/dds/paged_copies.hpp"
#include "runtime/dds/replica.hpp"
#include "runtime/net/transport.hpp"

namespace stradsap::rt {

class copy_service {
 public:
  explicit copy_service(wait_policy waiting) : waiting_(waiting), paged_(*this) {}
  /// Called once the network is up; before, no element can be fetched.
  void connect(transport* net, wait_policy waiting) {
    net_ = net;
    waiting_ = waiting;
    process_ = ::getpid();
  }

  void add(std::unique_ptr<replica> added);
  /// Null if no container has that id.
  [[nodiscard]] replica* find(container_id id);
  void remove(container_id id);
  /// The containers with elements in the layout of that plan, in the order of their ids.
  [[nodiscard]] std::vector<replica*> in_plan_layout_of(plan_id plan);

  /// Copies elements from their owners; returns when they are here.
  void fetch(replica& local, const std::vector<element_range>& ranges);
  /// Copies that come page by page.
  [[nodiscard]] paged_copies& paged() { return paged_; }
  /// The requests for elements, by their owners: pieces of one owner each.
  [[nodiscard]] std::vector<std::pair<rank_id, fetch_request>> requests_for(
      const replica& local, const std::vector<element_range>& ranges);
  void send(rank_id to, fetch_request request) { net_->send(to, std::move(request)); }
  [[nodiscard]] wait_policy waiting() const { return waiting_; }
  /// Makes the group of `element` held. Called by executors.
  void ensure(replica& local, std::uint64_t element);

  /// This rank has come to `now`: its groups are current for requests up to this moment, so early requests
  /// are answered. Called on one thread. Every rank reaches the last moment of a launch before it ends its
  /// part.
  void reach(moment now);

  void received(rank_id from, const fetch_request& request);
  void received(fetch_reply reply);

  /// Of all fetches so far: of pages that were not sent, since this rank had them.
  [[nodiscard]] std::uint64_t bytes_unchanged() const { return bytes_unchanged_; }

  /// The owners that a fetch waits for now. By any thread.
  [[nodiscard]] std::vector<awaited_rank> awaits();

 private:
  /// A request under way.
  struct asked_piece {
    rank_id owner;
    std::uint64_t begin;
    std::uint64_t end;
    bool compares;
  };
  [[nodiscard]] std::vector<fetch_reply> take_replies(const std::vector<asked_piece>& under_way);
  void take(const fetch_reply& reply, replica& local, std::vector<asked_piece>& under_way);
  void answer(rank_id to, const fetch_request& request);
  [[nodiscard]] moment now();

  wait_policy waiting_;
  mutex fetching_;  // one fetch at a time; guards the held groups
  mutex mutex_;
  notification notification_;
  std::map<container_id, std::unique_ptr<replica>> replicas_ GUARDED_BY(mutex_);
  std::vector<fetch_reply> replies_ GUARDED_BY(mutex_);
  const std::vector<asked_piece>* awaited_ GUARDED_BY(mutex_) = nullptr;  // while a fetch waits
  moment now_ GUARDED_BY(mutex_);
  std::vector<std::pair<rank_id, fetch_request>> early_ GUARDED_BY(mutex_);  // requests for later moments
  transport* net_ = nullptr;
  pid_t process_ = 0;
  std::atomic<std::uint64_t> bytes_unchanged_{0};
  paged_copies paged_;  // last: its thread calls the rest
};

}  // namespace stradsap::rt
