// Which elements one pointer reaches, gathered use by use. One thread at a time.
#pragma once

#include <string>
#include <vector>

#include "analyze/offsets.hpp"

namespace stradsap::pp {

/// Where an object lies, counted from the element from which the pointer is made.
struct position : displacement {
  bool is_member = false;        // of the element: then it counts from the member
  std::int64_t room_before = 0;  // bytes of the element around the member
  std::int64_t room_behind = 0;
  bool is_own = false;      // named by a member function of its class, which keeps to its object
  bool is_in_view = false;  // an element of a span, all of whose elements are reached anyhow
  bool is_lost = false;     // which of them does not follow
  bool is_stated = false;   // made from a span: what code out of sight reaches through it lies in the span
};

class reached_elements {
 public:
  explicit reached_elements(std::int64_t element_size) : element_size_(element_size) {}

  /// So many objects of `size` bytes, side by side. False where they may leave the element of which they
  /// should be members.
  [[nodiscard]] bool add(const position& first, const offset& count, std::int64_t size);

  /// The element itself, and no other.
  bool is_alone() const;
  /// None but the `count` elements from it on.
  bool is_within(const offset& count) const;
  /// As an interval of elements; of none if only ends of ranges were made.
  std::string text() const;
  std::vector<const clang::Expr*> parts() const;

 private:
  offset in_elements(const offset& units, std::int64_t unit) const;

  std::int64_t element_size_;
  std::vector<offset> all_;
};

}  // namespace stradsap::pp
