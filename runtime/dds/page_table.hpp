// The pages of a container without current elements on this rank, for a loop that fetches them when a body
// touches them. A page that also has elements that are current here would never be missing: the other
// elements in it, the edges, are fetched before. Pages are fetched in aligned runs; sequential touches make
// a fetch take several.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/ids.hpp"
#include "runtime/dds/partition.hpp"

namespace stradsap::rt {

class replica;

/// Bytes [begin, end) of a container's memory.
struct byte_extent {
  std::size_t begin;
  std::size_t end;
};

class page_table {
 public:
  /// Of the elements that are not held here now.
  explicit page_table(const replica& local);

  /// Elements that share a page with current ones, or with memory behind the container.
  [[nodiscard]] const std::vector<element_range>& edges() const { return edges_; }
  /// All other elements: whole pages.
  [[nodiscard]] const std::vector<byte_extent>& extents() const { return extents_; }
  /// Whether the rank had the same elements when the table was made.
  [[nodiscard]] bool fits(const replica& local) const;
  /// Whether pages are worth it: few extents have most of the elements.
  [[nodiscard]] bool is_worthwhile() const;
  [[nodiscard]] bool is_complete() const { return num_missing_ == 0; }
  /// The parts of the extents without current elements.
  [[nodiscard]] std::vector<byte_extent> missing() const;
  /// A thread touches the byte at `offset`. Appends the parts to fetch, none if they are here or asked for
  /// already. From now on they count as being here.
  void ask(std::size_t offset, std::vector<byte_extent>& parts);

 private:
  static constexpr std::size_t run_bytes = std::size_t{64} << 10;

  /// A thread that touches run after run.
  struct stream {
    std::size_t next = ~std::size_t{0};
    std::size_t length = 1;  // runs of a fetch
  };

  void add_run_of_elements(element_range missing, std::size_t size);
  void add_parts(std::size_t first_run, std::size_t last_run, std::vector<byte_extent>& parts) const;
  [[nodiscard]] std::size_t length_at(std::size_t run);

  std::vector<element_range> edges_;
  std::vector<byte_extent> extents_;
  std::vector<bool> is_here_;  // by run; those without a part of an extent are
  std::size_t num_missing_ = 0;
  std::vector<rank_id> owners_;
  std::vector<std::uint64_t> bounds_;
  std::vector<bool> held_;
  stream streams_[8];
  std::size_t oldest_ = 0;
};

}  // namespace stradsap::rt
