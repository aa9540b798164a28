// Names of objects and of places in containers, as a function of the driver sees them: `net.weights`, also by
// an alias, a pointer, a parameter, or a function that returns it. Borrows from the ASTContext; one thread at
// a time.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace stradsap::pp {

/// A variable, or the object of a member function, and members of it.
struct object_path {
  const clang::Decl* root = nullptr;  // a variable, or the function for its `*this`; null: not known
  std::vector<const clang::FieldDecl*> fields;

  bool is_known() const { return root != nullptr; }
  bool begins_with(const object_path& whole) const;
  std::string text() const;
  friend bool operator==(const object_path&, const object_path&) = default;
  friend auto operator<=>(const object_path&, const object_path&) = default;
};

/// Whether a variable or member of the type keeps a place: a copy of an element is none.
bool keeps_places(clang::QualType type);

/// The objects that std::swap, or std::exchange, gives other values.
std::vector<const clang::Expr*> exchanged_by(const clang::CallExpr& call);

/// The values in the `return` statements of a function, apart from those of its lambdas.
std::vector<const clang::Expr*> values_returned_by(const clang::FunctionDecl& function);

/// The variable, function or member that an expression names; null for others.
const clang::ValueDecl* declaration_named_by(const clang::Expr& e);

class path_reader {
 public:
  explicit path_reader(const std::vector<const clang::FunctionDecl*>& functions);

  /// The object that an expression names; of a pointer, the object that it points to.
  object_path of(const clang::Expr& e) { return of(e, 0); }
  /// The container from which an expression takes a place of an element.
  object_path container_of_place(const clang::Expr& e) { return container_of_place(e, 0); }
  /// A path of a function that the expression calls, in terms of the caller. Not known for objects that live
  /// in the call.
  object_path in_caller(const object_path& path, const clang::FunctionDecl& callee, const clang::Expr& call) {
    return in_caller(path, callee, call, 0);
  }
  /// The functions that are assigned to a variable or member: to a pointer, or to a std::function.
  const std::vector<const clang::Expr*>& functions_assigned_to(const clang::ValueDecl& callable) const;
  /// Whether something other than an assignment or a step may change a pointer.
  bool is_passed_on(const clang::ValueDecl& pointer) const;

 private:
  struct counts {
    unsigned names = 0, reads = 0, steps = 0;
  };
  class counter;

  object_path of(const clang::Expr& e, unsigned depth);
  object_path of_variable(const clang::ValueDecl& variable, unsigned depth);
  object_path of_call(const clang::Expr& call, unsigned depth);
  object_path container_of_place(const clang::Expr& e, unsigned depth);
  object_path place_of_call(const clang::CallExpr& call, unsigned depth);
  object_path in_caller(const object_path& path, const clang::FunctionDecl& callee, const clang::Expr& call,
                        unsigned depth);
  object_path returned_by(const clang::FunctionDecl& function,
                          std::map<const clang::FunctionDecl*, object_path>& known,
                          object_path (path_reader::*read)(const clang::Expr&, unsigned), unsigned depth);
  bool keeps_its_value(const clang::VarDecl& pointer) const;

  std::map<const clang::ValueDecl*, counts> counts_;                             // of pointers
  std::map<const clang::ValueDecl*, std::vector<const clang::Expr*>> assigned_;  // to objects that are called
  std::map<const clang::FunctionDecl*, object_path> returned_objects_, returned_places_;
};

}  // namespace stradsap::pp
