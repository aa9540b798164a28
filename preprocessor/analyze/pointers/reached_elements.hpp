// Collects the elements that one pointer reaches, use by use. One thread at a time.
#pragma once

#include <string>
#include <vector>

#include "analyze/pointers/offsets.hpp"

namespace stradsap::pp {

/// How a pointer came to its place, if each execution that makes the pointer goes on from there: behind
/// `since` in the function, or from its start. `rounds` are the values of loops around calls on the way.
struct certain_way {
  const clang::FunctionDecl* function = nullptr;  // null: an execution may take another way
  const clang::Stmt* since = nullptr;
  std::vector<const clang::Expr*> path = {};
  std::vector<offset> rounds = {};
};

/// The position of an object, relative to the element that the pointer starts at.
struct position : displacement {
  bool is_member = false;        // of the element; the position is then relative to the member
  std::int64_t room_before = 0;  // bytes of the element before the member
  std::int64_t room_behind = 0;
  bool is_own = false;      // named by its class's own code, which stays within the object
  bool is_in_view = false;  // an element of a span: the span reaches it in any case
  bool is_lost = false;     // of unknown distance
  bool is_stated = false;   // made from a span: hidden code stays within the span
  certain_way way = {};     // unknown for members
};

class reached_elements {
 public:
  explicit reached_elements(std::int64_t element_size) : element_size_(element_size) {}

  /// Adds `count` neighbouring objects of `size` bytes. Returns false if they may leave the element of which
  /// they are members.
  [[nodiscard]] bool add(const position& first, const offset& count, std::int64_t size);
  /// Notes that each execution that makes the pointer reaches the elements that were added last, in all
  /// rounds of some loops: their values. Ignored if the ends of the interval may not be reached.
  void set_sure(const std::vector<offset>& rounds);

  /// Of elements that were added by one of several ways, which begin at these numbers of `num_added`, keeps
  /// those sure that all ways reach.
  void keep_sure_on_all(const std::vector<std::size_t>& ways);
  std::size_t num_added() const { return all_.size(); }

  /// Whether the pointer reaches the element itself and no other.
  bool is_alone() const;
  /// Whether the pointer reaches only the first `count` elements.
  bool is_within(const offset& count) const;
  /// The elements as an interval, which is empty if the text only made ends of ranges.
  std::string text() const;
  /// The part of them that each execution reaches that makes the pointer; empty if none is known.
  std::string sure_text() const;
  std::vector<const clang::Expr*> parts() const;

 private:
  offset in_elements(const offset& units, std::int64_t unit) const;

  std::int64_t element_size_;
  std::vector<offset> all_;
  std::vector<std::optional<offset>> sure_;  // of each of them
};

}  // namespace stradsap::pp
