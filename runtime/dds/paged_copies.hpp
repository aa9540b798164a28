// Copies that come page by page, while a loop runs that only reads their containers: a page is fetched from
// the owners of its elements when a body first touches it. So the copy is never stale, at any place, and
// takes memory for the pages that are read. docs/decisions/memory.md has the reasons.
//
// The thread `pages` fetches: an executor that sleeps at a page holds no lock of the runtime, and owners
// answer on their receiving thread at any time. Their elements do not change before all ranks have ended the
// loop. A lost owner ends this process, as it does during any fetch.
// Thread rule: begin() and end() on the main thread; received() and awaits() by any.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <stradsap/abi/abi.hpp>

#include "runtime/base/notification.hpp"
#include "runtime/dds/missing_pages.hpp"
#include "runtime/dds/page_table.hpp"
#include "runtime/wire/messages.hpp"

namespace stradsap::rt {

class copy_service;
class replica;

/// Finds the range of the values of n elements.
using value_reader = abi::value_range (*)(const void* first, std::uint64_t n);

class paged_copies final : page_supplier {
 public:
  explicit paged_copies(copy_service& copies) : copies_(copies) {}

  /// From now on this rank counts as holding the container, and its missing pages come when they are touched.
  /// If `read` is not null, the container knows the range of its values then: they all pass through here
  /// once, unless it is known. Holds all of it instead if the system refuses, with a warning. Throws error.
  void begin(replica& local, value_reader read);
  /// Ends this for all containers. No thread touches them any more. Pages that have come stay for the next
  /// loop, until the container changes.
  void end();

  /// Takes the reply if it belongs to a page. Throws error(errc::decode) if it does not fit its request.
  [[nodiscard]] bool received(fetch_reply& reply);
  /// The owners that a fetch of pages waits for now.
  [[nodiscard]] std::vector<awaited_rank> awaits();

 private:
  /// Elements under way, in pieces of one owner each.
  struct asked_part {
    element_range elements;
    bytes content;     // of the elements
    std::size_t left;  // elements that have not come
  };
  struct asked_piece {
    std::size_t part;  // index of asked_part
    rank_id owner;
    element_range elements;
    std::size_t size_bytes;
    bool is_here = false;
  };
  struct received_piece {
    std::size_t part;
    fetch_reply reply;
  };
  /// Takes the elements of part number i.
  using part_taker = std::function<void(std::size_t i, const bytes& content)>;

  [[nodiscard]] bool is_possible();
  [[nodiscard]] bool watch_pages(replica& local);
  void supply(std::span<const std::uintptr_t> touched) override;
  void fetch_pages(const replica& local, const std::vector<byte_extent>& places) REQUIRES(supplying_);
  void fetch(const replica& local, const std::vector<element_range>& parts, const part_taker& take)
      REQUIRES(supplying_);
  [[nodiscard]] abi::value_range values_of(const replica& local, value_reader read) REQUIRES(supplying_);
  [[nodiscard]] std::vector<received_piece> take_replies();

  copy_service& copies_;
  bool is_refused_ = false;
  mutex supplying_;  // held while pages are fetched
  std::vector<replica*> active_ GUARDED_BY(supplying_);
  mutex mutex_;
  notification notification_;
  container_id fetching_ GUARDED_BY(mutex_) = container_id::none;
  std::vector<asked_piece> asked_ GUARDED_BY(mutex_);
  std::vector<received_piece> replies_ GUARDED_BY(mutex_);
  std::unique_ptr<missing_pages> missing_;  // last: its thread calls the rest
};

struct paged_input {
  replica* container;
  value_reader read;  // null unless the loop needs the range of its values
};

/// While it lives, these containers come page by page. Requires that a loop that only reads them runs.
class paged_reads {
 public:
  paged_reads(paged_copies& pages, const std::vector<paged_input>& containers);
  ~paged_reads() { pages_.end(); }
  paged_reads(const paged_reads&) = delete;
  paged_reads& operator=(const paged_reads&) = delete;

 private:
  paged_copies& pages_;
};

}  // namespace stradsap::rt
