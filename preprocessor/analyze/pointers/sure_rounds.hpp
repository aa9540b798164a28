// Code that each execution runs: between the making of a pointer and a use of it stand no condition, no jump
// and no `try`, only loops that count through all their rounds. Borrows from the region; one thread at a
// time.
#pragma once

#include <optional>
#include <vector>

#include "analyze/code/region.hpp"
#include "analyze/pointers/offset_reader.hpp"
#include "analyze/pointers/reached_elements.hpp"

namespace stradsap::pp {

class sure_rounds {
 public:
  sure_rounds(const region& code, offset_reader& offsets) : code_(code), offsets_(offsets) {}

  /// The values of the loops around `e` on a way, if each execution of the way runs `e` in all their rounds.
  std::optional<std::vector<offset>> up_to(const clang::Expr& e, const certain_way& way);

 private:
  bool may_be_left(const clang::Expr& e, const certain_way& way,
                   const std::vector<const clang::Stmt*>& loops);
  void find_jumps();
  bool is_jump(const clang::Stmt& node) const;
  bool throws(const clang::FunctionDecl* callee) const;

  const region& code_;
  offset_reader& offsets_;
  bool has_jumps_ = false;  // whether the members below are known
  bool has_try_ = false;
  std::vector<const clang::Stmt*> throws_;
  std::vector<const clang::Stmt*> jumps_;
};

}  // namespace stradsap::pp
