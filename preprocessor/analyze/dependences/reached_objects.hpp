// Finds the objects that an expression may reach, also through `this` of the functions around it: the objects
// of their calls. Borrows from the region; one thread at a time.
#pragma once

#include <set>

#include "analyze/code/region.hpp"
#include "analyze/dependences/dependences.hpp"

namespace stradsap::pp {

class reached_objects {
 public:
  reached_objects(const region& code, const dependences& depends) : code_(code), depends_(depends) {}
  /// The object around the region's body counts as an object that no text names. `depends` follows `this`.
  static reached_objects with_outer_this(const region& code, const dependences& depends) {
    reached_objects made(code, depends);
    made.follows_this_ = true;
    return made;
  }

  /// The variables with storage that the operand may reach; null among them for an object that no text names.
  origins of(const clang::Expr& operand);

 private:
  origins without_functions(origins found);
  const clang::FunctionDecl* method_around(const clang::FunctionDecl* function) const;
  origins objects_of(const clang::FunctionDecl* function);
  bool is_given_by_others(const clang::VarDecl& variable) const;
  origins others_of(const clang::VarDecl& variable);
  origins all_of(const clang::CXXRecordDecl& record);

  const region& code_;
  const dependences& depends_;
  bool follows_this_ = false;
  std::set<const clang::FunctionDecl*> open_;
  std::set<const clang::CXXRecordDecl*> all_open_;
};

}  // namespace stradsap::pp
