// The part of the pointer analysis that follows pointers through known functions, by the roles of their
// arguments, and the pointers that these functions return. One thread at a time.
#pragma once

#include <vector>

#include "analyze/pointers/call_follower.hpp"
#include "analyze/pointers/pointer_functions.hpp"

namespace stradsap::pp {

/// All functions throw unbounded if they lose a pointer.
class role_follower : public call_follower {
 public:
  using call_follower::call_follower;

 protected:
  /// Follows a pointer that a call passes to a known function.
  void given(const clang::Expr& call, const clang::Expr& e, const pointer_role& role,
             const std::vector<const clang::Expr*>& arguments, const position& at, const call_path& path);

 private:
  void given_range(const clang::Expr& call, const clang::Expr& e, const pointer_role& role,
                   const std::vector<const clang::Expr*>& arguments, const position& at,
                   const call_path& path);
  void given_back(const clang::Expr& call, const pointer_role& role, const position& first,
                  const position& last, std::int64_t size, const call_path& path);
  void pair_of_pointers(const clang::Expr& e, const position& at, const call_path& path);
  void pair_kept_in(const clang::VarDecl& variable, const clang::Expr& e, const position& at,
                    const call_path& path);
  void unmoved_pointer(const clang::Expr& e, const position& at, const call_path& path);
};

}  // namespace stradsap::pp
