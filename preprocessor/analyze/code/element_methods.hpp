// Member functions that are called on an element: which functions of the region a call may run, and where
// these name their object. Borrows from the region; one thread at a time.
#pragma once

#include <unordered_map>
#include <vector>

#include "analyze/code/region.hpp"

namespace stradsap::pp {

class element_methods {
 public:
  explicit element_methods(const region& code);

  /// `this` in a member function and in the lambdas that capture it there.
  const std::vector<const clang::CXXThisExpr*>& this_in(const clang::FunctionDecl& method) const;
  /// Functions in sight that a call runs on its object: one, or all overriders of a virtual one.
  std::vector<const clang::FunctionDecl*> run_by(const clang::Expr& call) const;
  /// Functions that a pointer to a member function of the class may point to: those that are named without
  /// being called.
  std::vector<const clang::FunctionDecl*> pointed_to(const clang::CXXRecordDecl* of) const;

 private:
  const region& code_;
  std::unordered_map<const clang::FunctionDecl*, std::vector<const clang::CXXThisExpr*>> this_in_;
};

}  // namespace stradsap::pp
