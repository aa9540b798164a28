// Where pointers stand to each other: how many objects lie between `&m[a]` and `&m[b]`, `p` and `p + n`,
// `v.begin()` and `v.end()`. Borrows from the region.
#pragma once

#include <optional>

#include "analyze/code/region.hpp"
#include "analyze/pointers/offset_reader.hpp"
#include "analyze/pointers/pointer_moves.hpp"

namespace stradsap::pp {

/// A pointer as an object that it is made from, `m[i * dim]` or `v.begin()`, and how far behind that it
/// points.
struct pointer_value {
  const clang::Expr* root = nullptr;
  displacement at = {};
};

class pointer_values {
 public:
  pointer_values(const region& code, offset_reader& offsets, const pointer_moves& moves)
      : code_(code), offsets_(offsets), moves_(moves) {}

  /// Throws unbounded.
  std::optional<pointer_value> of(const clang::Expr& pointer, const call_path& path);
  /// From one to the other, where both are made from one container. Throws unbounded.
  std::optional<displacement> distance(const pointer_value& from, const pointer_value& to);

 private:
  std::optional<pointer_value> of_variable(const clang::DeclRefExpr& name, const call_path& path);
  std::optional<pointer_value> of_designated(const clang::Expr& object, const call_path& path);
  std::optional<pointer_value> moved(std::optional<pointer_value> from, const offset& by,
                                     const clang::Expr& pointer) const;
  std::optional<offset> place_in_container(const clang::Expr& root);

  const region& code_;
  offset_reader& offsets_;
  const pointer_moves& moves_;
};

}  // namespace stradsap::pp
