// The containers that all iterations of a dynamic loop share, cut into pieces, and private copies of them for
// shards. Pieces have versions: a copy takes only those that differ. Thread rule: different threads for
// different pieces, or for different copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "runtime/loop/launch/frame.hpp"

namespace stradsap::rt {

/// Contiguous elements of one container.
struct shared_piece {
  std::size_t container = 0;  // its number in the list of shared captures
  std::size_t first_byte = 0;
  std::size_t num_bytes = 0;
};

class shared_pieces {
 public:
  /// Of the containers of these captures, of which the elements are plain bytes.
  shared_pieces(const loop_frame& f, const std::vector<std::size_t>& captures);

  [[nodiscard]] std::size_t size() const { return pieces_.size(); }
  [[nodiscard]] const shared_piece& operator[](std::size_t p) const { return pieces_[p]; }
  [[nodiscard]] std::size_t num_containers() const { return replicas_.size(); }
  [[nodiscard]] const replica& container(std::size_t i) const { return *replicas_[i]; }
  /// The elements of piece p, and the operations on them.
  [[nodiscard]] std::byte* elements(std::size_t p) const;
  [[nodiscard]] const abi::element_ops& ops(std::size_t p) const {
    return replicas_[pieces_[p].container]->ops();
  }
  [[nodiscard]] std::size_t num_elements(std::size_t p) const { return pieces_[p].num_bytes / ops(p).size; }
  /// Zeros, as many bytes as any piece has.
  [[nodiscard]] const std::byte* zeros() const { return zeros_.get(); }
  /// Changes with the elements of piece p.
  [[nodiscard]] std::uint64_t version(std::size_t p) const { return versions_[p]; }
  void changed(std::size_t p) { ++versions_[p]; }

 private:
  friend class private_copy;
  struct free_memory {
    void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
  };
  using memory = std::unique_ptr<std::byte, free_memory>;
  static constexpr std::align_val_t alignment{64};
  static memory allocate(std::size_t num_bytes) {
    return memory(static_cast<std::byte*>(::operator new(num_bytes, alignment)));
  }

  std::vector<const replica*> replicas_;
  std::vector<shared_piece> pieces_;
  std::vector<std::uint64_t> versions_;
  memory zeros_;
};

class private_copy {
 public:
  explicit private_copy(const shared_pieces& of);

  /// The memory for shared container number `i`.
  [[nodiscard]] std::byte* container(std::size_t i) const { return memory_[i].get(); }
  [[nodiscard]] std::byte* elements(std::size_t p) const {
    return container(of_[p].container) + of_[p].first_byte;
  }
  /// Takes the elements as they are now.
  void refresh();
  /// The copy of piece p has changed.
  void changed(std::size_t p) { versions_[p] = none; }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  const shared_pieces& of_;
  std::vector<shared_pieces::memory> memory_;
  std::vector<std::uint64_t> versions_;
};

/// The changes of some shards in one piece, as the sum that a binary tree over all shards has at one of its
/// nodes. `data`: the elements as these shards leave them; with a depth, their differences from the elements
/// that the set saw.
struct node_change {
  std::uint32_t piece = 0;
  std::uint32_t first_shard = 0;  // of the node
  std::byte* data = nullptr;
};

/// Adds up changes of one piece, in place, by a binary tree over shards [first, first + span): the sum is the
/// same for any nodes between the leaves and the root that `changes` has. `changes` are in the order of
/// shards, and `span` is a power of two. `start`: the elements that all of them began with. Null if there are
/// none.
[[nodiscard]] std::byte* sum_of(const node_change* begin, const node_change* end, std::size_t first,
                                std::size_t span, const abi::element_ops& ops, std::size_t num_elements,
                                const std::byte* start);

/// The nodes of the tree that together have shards [begin, end) as leaves, and no others: (first, span).
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> nodes_of(std::size_t begin, std::size_t end);

}  // namespace stradsap::rt
