// The positions of pointers, relative to the access that they start from: variables at each of their uses,
// functions' results, ends of ranges. Borrows from the region; one thread at a time.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "analyze/code/region.hpp"
#include "analyze/pointers/offset_reader.hpp"
#include "analyze/pointers/pointer_moves.hpp"
#include "analyze/pointers/pointer_values.hpp"
#include "analyze/pointers/reached_elements.hpp"

namespace stradsap::pp {

class pointer_places {
 public:
  pointer_places(const region& code, const clang::Expr& access, std::int64_t element_size,
                 offset_reader& offsets)
      : code_(code),
        access_(access),
        element_size_(element_size),
        offsets_(offsets),
        moves_(code),
        values_(code, offsets, moves_) {}

  /// The position of a variable at one of its uses, if it was initialised with `start`. Throws unbounded.
  position at_use(const clang::VarDecl& variable, const clang::Expr& use, const position& start,
                  const call_path& path);
  /// Sets the position of the pointer that a call has returned.
  void set_returned(const clang::Expr* call, const position& at) { returned_.insert_or_assign(call, at); }

  /// The number of objects between two pointers. Throws unbounded at `where` if it is unknown.
  offset length_of(const clang::Expr& first, const clang::Expr& last, const call_path& path,
                   const clang::Expr& where);
  /// The end of a range that begins at `at`, if a function has returned one of both pointers, so that both
  /// positions are known only relative to the access. Throws unbounded.
  std::optional<position> end_from_access(const clang::Expr& first, const clang::Expr& last, position at,
                                          const call_path& path);

 private:
  std::optional<position> before_end(const clang::VarDecl& variable, const clang::Expr& use,
                                     const position& start, const std::vector<pointer_move>& all,
                                     const call_path& path);
  std::optional<displacement> from_access(const pointer_value& pointer);
  std::optional<offset> distance_of(const clang::Expr& first, const clang::Expr& last, const call_path& path);

  std::int64_t target_size(const clang::Expr& pointer) const {
    return size_of_target(code_.ast(), pointer.getType());
  }

  const region& code_;
  const clang::Expr& access_;
  std::int64_t element_size_;
  offset_reader& offsets_;
  pointer_moves moves_;
  pointer_values values_;
  std::map<const clang::Expr*, position> returned_;
};

}  // namespace stradsap::pp
